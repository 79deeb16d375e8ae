// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_abi.c - the records of bpf/abi.h have the same shape on both sides: member by member, the type
 * information of the BPF object against this compiler.
 */
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "bpf/base/ids.h"
#include "pyperf.skel.h"
#include "tests/forge/test.h"

struct member {
	const char *name;
	size_t offset, size;
};

struct record {
	const char *name;
	size_t size;
	const struct member *members;
	size_t count;
};

#define M(record_, member_)                                                                                  \
	{ #member_, offsetof(struct record_, member_), sizeof(((struct record_ *)0)->member_) }

#define EACH(record_, ...) static const struct member record_##_members[] = { __VA_ARGS__ }

EACH(node, M(node, key), M(node, count));
EACH(code, M(code, identity), M(code, key), M(code, epoch), M(code, state), M(code, hint));
EACH(owner, M(owner, key), M(owner, began), M(owner, process), M(owner, tid), M(owner, comm));
EACH(process, M(process, start_time), M(process, exec_id), M(process, runtime), M(process, unsettled),
     M(process, check_after), M(process, user), M(process, known), M(process, id), M(process, layout),
     M(process, state), M(process, no_epoch), M(process, generation), M(process, nodes),
     M(process, codes), M(process, self_below), M(process, space), M(process, tasks), M(process, names),
     M(process, values), M(process, contexts), M(process, begun));
EACH(record_process, M(record_process, type), M(record_process, pid), M(record_process, start_time),
     M(record_process, exec_id), M(record_process, user), M(record_process, comm),
     M(record_process, file));
EACH(program_file, M(program_file, inode), M(program_file, changed_ns), M(program_file, size),
     M(program_file, device), M(program_file, generation));
EACH(known_program, M(known_program, runtime), M(known_program, layout), M(known_program, elsewhere));
EACH(record_known, M(record_known, process), M(record_known, id), M(record_known, before),
     M(record_known, layout), M(record_known, pad));
EACH(record_fork, M(record_fork, type), M(record_fork, pid), M(record_fork, start_time),
     M(record_fork, exec_id), M(record_fork, id), M(record_fork, parent_id), M(record_fork, comm));
EACH(record_exit, M(record_exit, type), M(record_exit, pid), M(record_exit, id), M(record_exit, pad));
EACH(record_native, M(record_native, type), M(record_native, pid), M(record_native, id),
     M(record_native, space), M(record_native, pc), M(record_native, stale), M(record_native, pad));
EACH(record_span, M(record_span, type), M(record_span, pid), M(record_span, id), M(record_span, pad),
     M(record_span, address), M(record_span, ids));
EACH(number_request, M(number_request, pid), M(number_request, id), M(number_request, which),
     M(number_request, number));
#define T(member_) M(task_layout, member_)
EACH(task_layout, T(tstate_loop), T(task_size), T(task_name), T(task_awaited_by), T(task_is_task),
     T(task_awaited_by_is_set), T(task_coro), T(object_type), T(type_name), T(type_flags), T(set_used),
     T(set_table), T(set_mask), T(gen_frame), T(gen_state), T(frame_stack), T(created), T(executing),
     T(suspended), T(awaiting), T(awaited), T(resume), T(frame_object), T(frame_values),
     T(closure), T(function_name), T(current), T(task_type), T(future_type), T(group_type),
     T(partial_type));
EACH(context_key, M(context_key, address), M(context_key, hash));
EACH(trace_ids, M(trace_ids, high), M(trace_ids, low), M(trace_ids, span));
EACH(trace_class, M(trace_class, type), M(trace_class, at), M(trace_class, index), M(trace_class, pad));
#define P(member_) M(trace_place, member_)
EACH(trace_place, P(span_key), P(name), P(ids_type), P(classes), P(values), P(count), P(tuple_items),
     P(keys_are_old), P(has_sdk), P(pad));
#define V(member_) M(context_vars, member_)
EACH(context_vars, V(keys), V(types), V(tstate_context), V(head), V(var_hash), V(int_tag), V(count), V(pad),
     V(label), V(trace), V(thread));
#define C(member_) M(thread_context_place, member_)
EACH(thread_context_place, C(generation), C(offset), C(module), C(kind));
#define Q(member_) M(thread_context_record, member_)
EACH(thread_context_record, Q(trace), Q(span), Q(valid), Q(flags), Q(size), Q(more));
EACH(text_space, M(text_space, count), M(text_space, exec_pages));
EACH(text_mapping, M(text_mapping, start), M(text_mapping, end), M(text_mapping, position),
     M(text_mapping, text), M(text_mapping, writable));
EACH(text_part, M(text_part, begin), M(text_part, size));
EACH(text, M(text, base), M(text, first), M(text, pages), M(text, count), M(text, regions), M(text, loop));
EACH(asleep, M(asleep, pid), M(asleep, tid), M(asleep, start_time), M(asleep, begin), M(asleep, process),
     M(asleep, syscall), M(asleep, iowait), M(asleep, pad), M(asleep, comm));
EACH(outside_frame, M(outside_frame, address), M(outside_frame, fingerprint), M(outside_frame, instr),
     M(outside_frame, code), M(outside_frame, unnamed), M(outside_frame, mark));
EACH(outside_stack, M(outside_stack, asleep), M(outside_stack, outcome), M(outside_stack, depth),
     M(outside_stack, result), M(outside_stack, looks), M(outside_stack, none), M(outside_stack, pad),
     M(outside_stack, ns), M(outside_stack, frames));
EACH(timer_request, M(timer_request, first), M(timer_request, cpu), M(timer_request, pad));
EACH(rates, M(rates, period), M(rates, budget), M(rates, budget_free), M(rates, tick_levels),
     M(rates, pad));
EACH(code_part, M(code_part, address), M(code_part, length), M(code_part, bytes), M(code_part, kind),
     M(code_part, flags));
EACH(record_code, M(record_code, type), M(record_code, code), M(record_code, process), M(record_code, pid),
     M(record_code, address), M(record_code, fingerprint), M(record_code, first_line),
     M(record_code, version), M(record_code, line_format), M(record_code, pad), M(record_code, name),
     M(record_code, file), M(record_code, table), M(record_code, data));
static const struct member cpu_stats_members[] = {
#define STAT(name, help) M(cpu_stats, name),
#include "bpf/stats.def"
#undef STAT
	M(cpu_stats, outcome),
	M(cpu_stats, native),
	M(cpu_stats, times),
	M(cpu_stats, time_sum),
	M(cpu_stats, time_max),
};
#define L(member_) M(layout, member_)
EACH(layout, L(version), L(free_threaded), L(root_rule), L(has_cframe), L(epoch_size), L(line_format),
     L(frame_size), L(frame_lasti), L(lasti_shift), L(frame_tlbc_index), L(frame_code),
     L(frame_previous), L(frame_instr), L(frame_generator), L(frame_running), L(running),
     L(frame_owner), L(frame_is_entry), L(owner_shim),
     L(owner_generator),
     L(pointer_tag),
     L(cframe_frame), L(cframe_previous), L(tstate_size), L(tstate_next), L(tstate_interp),
     L(tstate_frame), L(tstate_base_frame), L(tstate_thread_id), L(tstate_chunk), L(tstate_exc_info),
     L(tstate_status),
     L(tstate_exception), L(status_active), L(status_may), L(status_living),
     L(code_bytecode), L(code_tlbc), L(interp_epoch),
     L(interp_tlbc_generation), L(frame_object), L(frame_locals), L(object_frame), L(object_data),
     L(interp_next), L(interp_threads), L(interp_gil), L(interp_gc_frame),
     L(gil_holder),
     L(runtime_interpreters), L(runtime_main), L(runtime_tstate), L(runtime_gil),
     L(runtime_tss_key),
     L(code_size), L(code_first_line),
     L(code_filename), L(code_name), L(code_qualname), L(code_linetable), L(code_version),
     L(code_count), L(code_numbers),
     L(str_length), L(str_state), L(str_ascii), L(str_compact), L(str_data), L(str_kind_shift),
     L(str_compact_bit), L(str_ascii_bit), L(str_implied), L(bytes_size), L(bytes_data));

static const struct member bank_used_members[] = {
	M(bank_used, nodes), M(bank_used, codes), M(bank_used, owners),
};

#define R(record_) { #record_, sizeof(struct record_), record_##_members, ARRAY_SIZE(record_##_members) }

static const struct record records[] = {
	R(node),	  R(code),	     R(owner),	       R(process),	 R(layout),
	R(cpu_stats),	  R(record_process), R(record_fork),   R(record_exit),	 R(code_part),
	R(record_code),	  R(timer_request),  R(bank_used),     R(record_native), R(number_request),
	R(rates),
	R(text_space),	  R(text_mapping),   R(text),	       R(text_part),	 R(task_layout),
	R(asleep),	     R(outside_frame), R(outside_stack),
	R(context_key),	  R(context_vars),   R(trace_ids),
	R(trace_class),	  R(trace_place),    R(record_span),
	R(thread_context_place), R(thread_context_record), R(program_file), R(known_program),
	R(record_known),
};

static struct pyperf *skel;

static int setup(void **state)
{
	(void)state;
	libbpf_set_print(NULL);
	skel = pyperf__open();
	return skel ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	pyperf__destroy(skel);
	return 0;
}

/* The number of differences, each printed. */
static int compare(const struct btf *btf, const struct record *r)
{
	int id = btf__find_by_name_kind(btf, r->name, BTF_KIND_STRUCT), differences = 0;
	const struct btf_type *t = btf__type_by_id(btf, id);

	if (id < 0 || !t || btf_vlen(t) != r->count || t->size != r->size) {
		print_error(
			"struct %s: %zu members, %zu bytes here, %d members, %d bytes in the BPF object\n",
			r->name, r->count, r->size, id < 0 ? -1 : btf_vlen(t), id < 0 ? -1 : (int)t->size);
		return 1;
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct member *m = &r->members[i];
		const struct btf_member *b = &btf_members(t)[i];
		const char *name = btf__name_by_offset(btf, b->name_off);
		size_t offset = btf_member_bit_offset(t, i) / 8, size = btf__resolve_size(btf, b->type);

		if (!strcmp(name, m->name) && offset == m->offset && size == m->size)
			continue;
		differences++;
		print_error("struct %s: %s at %zu, %zu bytes here, %s at %zu, %zu bytes in the BPF object\n",
			    r->name, m->name, m->offset, m->size, name, offset, size);
	}
	return differences;
}

TEST(test_every_record_is_the_same)
{
	const struct btf *btf = bpf_object__btf(skel->obj);
	int differences = 0;

	assert_non_null(btf);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		differences += compare(btf, &records[i]);
	assert_int_equal(differences, 0);
}

/*
 * A struct that is added to a header of bpf/abi/ has to be added here. The headers' text is in this program.
 */
#define TEXT_OF(header) ".incbin \"bpf/abi/" header ".h\"\n"
asm(".pushsection .rodata\n"
    "abi_text:\n" TEXT_OF("asleep") TEXT_OF("contexts") TEXT_OF("control") TEXT_OF("layout")
    TEXT_OF("native") TEXT_OF("process") TEXT_OF("records") TEXT_OF("stats") TEXT_OF("tasks")
    TEXT_OF("trace") TEXT_OF("tree") TEXT_OF("types")
    ".byte 0\n"
    ".popsection");
extern const char abi_text[] __attribute__((visibility("hidden")));

TEST(test_no_record_is_forgotten)
{
	size_t found = 0;

	for (const char *p = abi_text; (p = strstr(p, "\nstruct ")); p++) {
		size_t length = strcspn(p + 8, " ;\n");
		bool known = false;

		if (p[8 + length] != ' ' || p[8 + length + 1] != '{')
			continue;
		found++;
		for (size_t i = 0; i < ARRAY_SIZE(records); i++)
			known |= strlen(records[i].name) == length && !memcmp(records[i].name, p + 8, length);
		if (!known)
			print_error("struct %.*s is not compared\n", (int)length, p + 8);
		assert_true(known);
	}
	assert_int_equal(found, ARRAY_SIZE(records));
}

/* Nodes of attributes carry any attribute and any value, and are no frames; frames of all kinds are none. */
TEST(test_attributes)
{
	static const __u32 values[] = { 1, 63, 64, (1 << INSTR_BITS) - 1, 1 << INSTR_BITS, 0x12345678, ~0U };
	const __u32 last = (1 << ATTRIBUTE_NUMBER_BITS) - 1;

	for (__u32 attribute = 0; attribute <= last; attribute++) {
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			const __u32 code = attribute_code(attribute, values[i]);
			const __u64 key = node_key(5, code, attribute_instr(values[i]));

			assert_true(code < 1U << CODE_BITS);
			assert_true(node_is_attribute(key) && !node_is_native(key));
			assert_int_equal(node_parent(key), 5);
			assert_int_equal(attribute_of(key), attribute);
			assert_int_equal(attribute_value(key), values[i]);
			assert_int_equal(node_frame_kind(key), FRAME_MARKER);
			assert_int_equal(node_event(key, EVENT_OFFCPU), EVENT_OFFCPU);
			assert_false(node_is_attribute(node_key(0, code, 0))); /* a root's */
		}
	}
	assert_false(node_is_attribute(node_key(5, OUTCOME_WHOLE, INSTR_UNKNOWN)));
	assert_false(node_is_attribute(node_key(5, CODE_WAITS, INSTR_UNKNOWN)));
	assert_false(node_is_attribute(node_key(5, NODE_ATTRIBUTE - 1, 0))); /* a code's highest number */
	assert_false(node_is_attribute(node_key(5, NODE_NATIVE | NODE_ATTRIBUTE, 0)));
}

/* Bits of a node's key, and keys of different tables that must not be mistaken for others. */
TEST(test_keys)
{
	const __u64 key = node_key(0x3fffff, 0x2aaaaa, 0xabcde);

	assert_int_equal(NODE_BITS + CODE_BITS + INSTR_BITS, 64);
	assert_int_equal(node_parent(key), 0x3fffff);
	assert_int_equal(node_code(key), 0x2aaaaa);
	assert_int_equal(node_instr(key), 0xabcde);
	assert_true(OUTCOME_COUNT <= CODE_WAITS && CODE_WAITS + WAIT_CAUSES <= CODE_FIRST);
	assert_true(code_key(1, 0x1000) > 0);
	assert_int_not_equal(code_key(1, (1ULL << 47) - 8), code_key(2, 0));
	assert_true(owner_key(0, 0) != 0);
	for (__u32 kind = 0; kind < 1 << 11; kind++)
		assert_int_equal(owner_kind(owner_key(kind, ~0ULL)), kind);
	assert_int_not_equal(owner_key(0, 1), owner_key(1, 1));
	assert_true(EVENT_KINDS <= 1 << 11);
	/* A reserved entry is no node of any stack: the root's parent is 0. */
	assert_int_not_equal(node_key(0, (1 << CODE_BITS) - 1, INSTR_UNKNOWN), KEY_RESERVED);
}

/*
 * Ids wrap around; those that are held are never given out, and new ones are found beyond long stretches of
 * them.
 */
TEST(test_ids)
{
	static __u64 held[PROCESS_IDS / 64], used[PROCESS_IDS / 64];
	__u32 last = PROCESS_IDS - 2, id;

	assert_int_equal(new_id(held, &last), PROCESS_IDS - 1);
	held[0] = 0xe; /* 1, 2, 3 */
	id = new_id(held, &last);
	assert_true(id > 3);
	memset(held, 0xff, 73728 / 8);
	last = 0;
	for (int i = 0; i < 500000; i++) {
		id = new_id(held, &last);
		assert_true(id >= 73728 && id < PROCESS_IDS);
		assert_false(used[id / 64] >> id % 64 & 1); /* not twice in a round */
		used[id / 64] |= 1ULL << id % 64;
	}
	memset(held, 0xff, sizeof(held));
	assert_true(new_id(held, &last) > 0); /* rather than none */
}

AROUND_ALL(setup, teardown);

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven.h - the sampler in the kernel, run on the calling thread, one tick at a time. Every tick's books are
 * checked: one outcome, and as many samples in the tree as outcomes that belong into the profile.
 */
#ifndef PYPERF_TESTS_DRIVEN_H
#define PYPERF_TESTS_DRIVEN_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/abi.h"
#include "bpf/data/share.h"
#include "driven.skel.h"
#include "tests/forge/interpreter.h"
#include "tests/forge/test.h"

struct driven_options {
	__u32 nodes, codes, owners; /* in each bank; powers of two */
	__u32 max_depth, ring;
	__u32 patience; /* ns; 0 = for ever, so that a busy machine changes nothing */
	enum cache_mode cache;
	bool single, by_process, selected;
};

#define DRIVEN_THREADS 64
#define DRIVEN_RECORDS  1024
#define DRIVEN_ID      77 /* struct process.id of this process */

static struct {
	struct driven *skel;
	struct driven_options o;
	struct node *nodes;
	struct code *codes;
	struct owner *owners;
	struct cpu_stats *stats;
	int cpus;
	struct ring_buffer *ring;
	struct record_code records[DRIVEN_RECORDS]; /* those since driven_reset() */
	__u32 record_count;
	struct record_process notice; /* the latest */
	__u32 notices;
	__u64 start_time, exec_id; /* of this process, as the kernel knows it */
	__u32 newest;		   /* the node that the latest tick counted, 0 if none */
	__u64 *counts;		   /* of all nodes, before it */
} driven;

static inline int driven_on_record(void *context, void *record, size_t size)
{
	(void)context;
	if (*(__u32 *)record == RECORD_PROCESS) {
		assert_int_equal(size, sizeof(driven.notice));
		memcpy(&driven.notice, record, size);
		driven.notices++;
		return 0;
	}
	assert_int_equal(*(__u32 *)record, RECORD_CODE);
	assert_true(driven.record_count < DRIVEN_RECORDS);
	assert_in_range(size, offsetof(struct record_code, data), sizeof(struct record_code));
	memcpy(&driven.records[driven.record_count++], record, size);
	return 0;
}

static inline void *driven_map(const struct bpf_map *map)
{
	size_t size = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
	void *p = mmap(NULL, (size + PY_PAGE - 1) & ~(PY_PAGE - 1), PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(map), 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static inline void driven_configure(const struct driven_options *o)
{
	struct driven *s = driven.skel;

	s->rodata->opt_node_mask = o->nodes - 1;
	s->rodata->opt_code_mask = o->codes - 1;
	s->rodata->opt_owner_mask = o->owners - 1;
	s->rodata->opt_thread_sets_mask = DRIVEN_THREADS / 4 - 1;
	s->rodata->opt_max_depth = o->max_depth;
	s->rodata->opt_patience = o->patience;
	s->rodata->opt_single_reads = o->single;
	s->rodata->opt_cache = o->cache;
	s->rodata->opt_by_thread = !o->by_process;
	s->rodata->opt_all = !o->selected;
	assert_int_equal(bpf_map__set_max_entries(s->maps.nodes, BANKS * o->nodes), 0);
	assert_int_equal(bpf_map__set_max_entries(s->maps.codes, BANKS * o->codes), 0);
	assert_int_equal(bpf_map__set_max_entries(s->maps.owners, BANKS * o->owners), 0);
	assert_int_equal(bpf_map__set_max_entries(s->maps.threads, DRIVEN_THREADS), 0);
	assert_int_equal(bpf_map__set_max_entries(s->maps.processes, 16), 0);
	assert_int_equal(bpf_map__set_max_entries(s->maps.records, o->ring), 0);
	assert_int_equal(bpf_map__set_max_entries(s->maps.stats, driven.cpus), 0);
	assert_int_equal(bpf_map__set_max_entries(s->maps.scratches, driven.cpus), 0);
}

static inline void driven_load(const struct driven_options *o)
{
	driven.cpus = libbpf_num_possible_cpus();
	driven.o = *o;
	driven.skel = driven__open();
	assert_non_null(driven.skel);
	driven_configure(o);
	assert_int_equal(driven__load(driven.skel), 0);
	driven.nodes = driven_map(driven.skel->maps.nodes);
	driven.codes = driven_map(driven.skel->maps.codes);
	driven.owners = driven_map(driven.skel->maps.owners);
	driven.stats = driven_map(driven.skel->maps.stats);
	driven.ring = ring_buffer__new(bpf_map__fd(driven.skel->maps.records), driven_on_record, NULL, NULL);
	assert_non_null(driven.ring);
	driven.counts = calloc(BANKS * o->nodes, sizeof(driven.counts[0]));
	assert_non_null(driven.counts);
}

/* The mappings end with the process. */
static inline void driven_unload(void)
{
	free(driven.counts);
	ring_buffer__free(driven.ring);
	driven__destroy(driven.skel);
}

/* Empty tables, and nothing known of any process or thread. */
static inline void driven_reset(void)
{
	__u32 value = bpf_map__value_size(driven.skel->maps.threads), pid = getpid();
	_cleanup_free_ void *zero = calloc(1, value);

	ring_buffer__consume(driven.ring);
	memset(driven.nodes, 0, BANKS * driven.o.nodes * sizeof(driven.nodes[0]));
	memset(driven.codes, 0, BANKS * driven.o.codes * sizeof(driven.codes[0]));
	memset(driven.owners, 0, BANKS * driven.o.owners * sizeof(driven.owners[0]));
	memset(driven.stats, 0, driven.cpus * sizeof(driven.stats[0]));
	driven.nodes[0].key = KEY_RESERVED;
	for (__u32 i = 0; i < CODE_FIRST; i++)
		driven.codes[i].identity = KEY_RESERVED;
	assert_non_null(zero);
	for (__u32 i = 0; i < DRIVEN_THREADS; i++)
		assert_int_equal(bpf_map__update_elem(driven.skel->maps.threads, &i, 4, zero, value, 0), 0);
	for (__u32 i = 0; i < SHARES; i++)
		assert_int_equal(bpf_map__update_elem(driven.skel->maps.shares, &i, 4, zero,
						      bpf_map__value_size(driven.skel->maps.shares), 0),
				 0);
	bpf_map__delete_elem(driven.skel->maps.processes, &pid, sizeof(pid), 0);
	driven.skel->bss->processes_stamp++;
	driven.skel->bss->tree_generation = 0;
	memset(driven.skel->bss->banks_used, 0, sizeof(driven.skel->bss->banks_used));
	driven.record_count = driven.notices = 0;
}

/* A counter, summed over the CPUs. */
#define driven_stat(member)                                                                                  \
	({                                                                                                   \
		__u64 sum_ = 0;                                                                              \
		for (int cpu_ = 0; cpu_ < driven.cpus; cpu_++)                                               \
			sum_ += driven.stats[cpu_].member;                                                   \
		sum_;                                                                                        \
	})

/* Samples in the tree, those that found no room included: they are node 0's. */
static inline __u64 driven_samples(void)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < BANKS * driven.o.nodes; i++)
		sum += driven.nodes[i].count;
	return sum;
}

/* As user/kern/kernel.c adds them up: the sampler cannot count a tick that interrupts it. */
static inline __u64 driven_ticks(void)
{
	return driven_stat(ticks) + driven_stat(outcome[EVENT_CPU][OUTCOME_NESTED]);
}

static inline void driven_check_books(void)
{
	__u64 all = 0, inside = 0;

	for (int i = 0; i < OUTCOME_COUNT; i++) {
		all += driven_stat(outcome[EVENT_CPU][i]);
		inside += outcome_rows[i].place == PLACE_OUTSIDE ? 0 : driven_stat(outcome[EVENT_CPU][i]);
	}
	assert_int_equal(driven_stat(cache_mismatch), 0);
	assert_int_equal(all, driven_ticks());
	assert_int_equal(inside, driven_samples());
}

/* One tick on the calling thread. Returns its outcome. */
static inline enum outcome drive(void)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);
	__u64 before[OUTCOME_COUNT], ticks = driven_ticks();
	int found = -1;

	for (int i = 0; i < OUTCOME_COUNT; i++)
		before[i] = driven_stat(outcome[EVENT_CPU][i]);
	for (__u32 i = 0; i < BANKS * driven.o.nodes; i++)
		driven.counts[i] = driven.nodes[i].count;
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(driven.skel->progs.on_drive), &o), 0);
	assert_true(ring_buffer__consume(driven.ring) >= 0);
	assert_int_equal(driven_ticks(), ticks + 1);
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (driven_stat(outcome[EVENT_CPU][i]) != before[i])
			found = i;
	driven_check_books();
	assert_true(found >= 0);
	driven.newest = 0;
	for (__u32 i = 0; i < BANKS * driven.o.nodes; i++)
		if (driven.counts[i] != driven.nodes[i].count)
			driven.newest = i;
	return found;
}

static inline void driven_set_check(enum process_state state, __u32 id, __u64 check_after)
{
	__u32 pid = getpid(), index = 0;
	struct process p = {
		.start_time = driven.start_time,
		.exec_id = driven.exec_id,
		.runtime = py_address(py.runtime),
		.check_after = check_after,
		.id = id,
		.state = state,
	};

	assert_int_equal(bpf_map__update_elem(driven.skel->maps.layouts, &index, 4, &py.l, sizeof(py.l), 0),
			 0);
	assert_int_equal(bpf_map__update_elem(driven.skel->maps.processes, &pid, 4, &p, sizeof(p), 0), 0);
	driven.skel->bss->processes_stamp++;
}

static inline void driven_set_process(enum process_state state, __u32 id)
{
	driven_set_check(state, id, 0);
}

static inline struct process driven_process(void)
{
	__u32 pid = getpid();
	struct process p;

	assert_int_equal(bpf_map__lookup_elem(driven.skel->maps.processes, &pid, 4, &p, sizeof(p), 0), 0);
	return p;
}

/* As after a long time without a new code object. */
static inline void driven_settle(void)
{
	struct process p = driven_process();
	__u32 pid = getpid();

	assert_int_not_equal(p.unsettled, 0);
	p.unsettled = 1;
	assert_int_equal(bpf_map__update_elem(driven.skel->maps.processes, &pid, 4, &p, sizeof(p), 0), 0);
	driven.skel->bss->processes_stamp++;
	for (__u32 i = 0; i < BANKS * driven.o.codes; i++) {
		struct code *c = &driven.codes[i];

		if (c->epoch && !(c->epoch & 1) && c->epoch != SETTLED_NEVER)
			c->epoch = 1 << SETTLED_SHIFT;
	}
}

/* Makes this process the forged interpreter's, in empty tables. */
static inline void driven_watch(void)
{
	driven_reset();
	driven_set_process(PROCESS_PYTHON, DRIVEN_ID);
}

/* The newest record of a code object. */
static inline const struct record_code *driven_record(__u64 address)
{
	for (__u32 i = driven.record_count; i--;)
		if (driven.records[i].address == address)
			return &driven.records[i];
	return NULL;
}

/* The only node with samples. */
static inline __u32 driven_leaf(void)
{
	__u32 found = 0;

	for (__u32 i = 0; i < BANKS * driven.o.nodes; i++) {
		if (!driven.nodes[i].count)
			continue;
		assert_int_equal(found, 0);
		found = i;
	}
	assert_int_not_equal(found, 0);
	return found;
}

static inline void driven_frame_text(__u64 key, char ret[300])
{
	__u32 code = node_code(key), instr = node_instr(key);
	const struct record_code *e = NULL;

	if (code < CODE_FIRST) {
		assert_true(code < OUTCOME_COUNT);
		assert_int_equal(instr, INSTR_UNKNOWN);
		snprintf(ret, 300, "%s", outcome_rows[code].frame);
		return;
	}
	for (__u32 i = 0; i < driven.record_count; i++)
		if (driven.records[i].code == code)
			e = &driven.records[i];
	if (!e)
		snprintf(ret, 300, "?:%d", (int)instr - 1);
	else
		snprintf(ret, 300, "%.*s:%d", e->name.bytes, e->data, (int)instr - 1);
}

/*
 * The path to a node as text, from the root: "main:3;work:7", a name and the number of the instruction.
 * *ret_owner is whose it is. The caller frees it.
 */
static inline char *driven_path(__u32 node, const struct owner **ret_owner)
{
	char *text = strdup("");

	while (node_parent(driven.nodes[node].key)) {
		char frame[300], *longer;

		driven_frame_text(driven.nodes[node].key, frame);
		assert_true(asprintf(&longer, "%s%s%s", frame, *text ? ";" : "", text) >= 0);
		free(text);
		text = longer;
		node = node_parent(driven.nodes[node].key);
	}
	assert_int_equal(node_instr(driven.nodes[node].key), INSTR_UNKNOWN);
	*ret_owner = &driven.owners[node_code(driven.nodes[node].key)];
	return text;
}

/* The node that the latest tick counted. */
static inline void driven_newest_path_is(const char *expected)
{
	const struct owner *owner;
	_cleanup_free_ char *path = driven_path(driven.newest, &owner);

	assert_string_equal(path, expected);
}

/* All samples are on this path, and belong to this process and thread. */
static inline void driven_path_is(const char *expected)
{
	const struct owner *owner;
	_cleanup_free_ char *path = driven_path(driven_leaf(), &owner);
	__u32 tid = driven.o.by_process ? 0 : gettid();

	assert_string_equal(path, expected);
	assert_int_equal(owner_kind(owner->key), EVENT_CPU);
	assert_int_equal(owner->process, DRIVEN_ID);
	assert_int_equal(owner->tid, tid);
}

/* The start time and exec count that the kernel reports for this process when it does not know it. */
static inline void driven_learn_identity(void)
{
	driven_reset();
	assert_int_equal(drive(), OUTCOME_NEW_PROCESS);
	assert_int_equal(driven.notices, 1);
	driven.start_time = driven.notice.start_time;
	driven.exec_id = driven.notice.exec_id;
}

/* NULL, or why the kernel cannot run the programs here. */
static inline const char *driven_refusal(void)
{

	if (geteuid())
		return "needs root";
	if (libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL) != 1)
		return "BPF programs cannot be loaded here";
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return "the kernel has no type information";
	return NULL;
}

#endif

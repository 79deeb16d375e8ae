// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_thread_context_look.c - where threads publish ids, in this process's own memory: a forged library with
 * the variable, reached in each way, forged threads that prove it or do not, and modules that a tracer has to
 * have patched. What lacks a part is not taken for it.
 */
#include <sys/mman.h>

#include "tests/forge/objects.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/protobuf.h"
#include "remote/thread_context_look.h"
#include "python/context_names.h"
#include "tests/forge/library.h"
#include "tests/forge/test.h"

#define PAGE	   4096
#define MODULE	   3
#define GENERATION 5
#define VARIABLE   "otel_thread_ctx_v1"

enum { T_MODULE = OWN_TYPES, TYPES };
static const char *const type_names[TYPES] = { "type", "dict", "str", "int", "module" };

struct header {
	char signature[8];
	__u32 version, size;
	__u64 published_at, payload;
};

static struct header *published;
static struct library *library;
static __u64 *runtime, *interpreter, *thread, *places, *block, *record;

/* --- what is published of the process ------------------------------------------------------------------- */

static void *map_memfd(const char *name)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);
	void *at;

	assert_int_equal(ftruncate(fd, PAGE), 0);
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	memset(at, 0, PAGE);
	return at;
}

static void publish(const char *schema)
{
	_cleanup_buf_ struct buf value = {}, pair = {}, message = {};

	assert_int_equal(protobuf_add_text(&value, 1, schema), 0);
	assert_int_equal(protobuf_add_text(&pair, 1, "threadlocal.schema_version"), 0);
	assert_int_equal(protobuf_add_bytes(&pair, 2, value.data, value.size), 0);
	assert_int_equal(protobuf_add_bytes(&message, 2, pair.data, pair.size), 0);
	memcpy(published + 1, message.data, message.size);
	*published = (struct header){ "OTEL_CTX", 2, message.size, clock_boot_ns(),
				      (uintptr_t)(published + 1) };
}

/* --- the process ---------------------------------------------------------------------------------------- */

/* A thread whose table of places has the library's, where its variable points to a record. */
static void add_thread(void)
{
	__u64 *state = make(16);

	thread = make(4);
	places = make(32);
	block = make(32);
	record = make(4);
	thread[0] = address_of(thread);
	places += 2;
	thread[1] = address_of(places);
	places[-2] = 8;
	places[0] = GENERATION;
	places[2 * MODULE] = address_of(block);
	block[LIBRARY_OFFSET / 8] = address_of(record);
	record[3] = 1;
	state[1] = interpreter[1];
	state[2] = address_of(interpreter);
	state[3] = address_of(thread);
	interpreter[1] = address_of(state);
}

static void begin(__u32 version)
{
	forge_begin(version, type_names, TYPES);
	layout.tstate_next = 8;
	layout.tstate_interp = 16;
	layout.tstate_thread_id = 24;
	layout.tstate_status = 40;
	layout.interp_threads = layout.runtime_interpreters = 8;
	runtime = make(4);
	interpreter = make(2000);
	runtime[1] = address_of(interpreter);
	add_thread();
	library_forge(library, VARIABLE);
	publish("tlsdesc_v1_dev");
}

static __u64 *module_of(const struct pair *pairs, size_t count)
{
	__u64 *at = object(T_MODULE, 2);

	at[2] = address_of(dict(pairs, count));
	return at;
}

/* What sys.modules has besides what it always has. */
static void load(const struct pair *more, size_t count)
{
	const struct task_facts *facts = layout_task_facts(&layout);
	struct pair all[PAIRS] = { { "sys", module_of(NULL, 0) }, { "builtins", module_of(NULL, 0) } };

	memcpy(all + 2, more, count * sizeof(*more));
	interpreter[(facts ? facts->interp_modules / 8 : 1000) + 10] = address_of(dict(all, 2 + count));
}

static int look(struct thread_context_place *ret)
{
	const struct thread_context_question q = { .pid = getpid(), .memory = getpid(), .layout = &layout,
						   .runtime = address_of(runtime) };

	return thread_context_look(&q, ret);
}

static int look_alone(void)
{
	struct thread_context_place place;

	return look(&place);
}

/* The descriptor that the loader would have written. */
static void describe(__u64 argument)
{
	library->relocations[FIRST] = library_relocation(LIBRARY_SYMBOL, R_X86_64_TLSDESC, 0, 0);
	library->words[1] = argument;
}

/* ... of a library that has a place of its own in each thread. */
static __u64 *index_of(__u64 module, __u64 offset)
{
	__u64 *at = make(3);

	at[0] = module;
	at[1] = offset;
	at[2] = GENERATION;
	return at;
}

static int setup(void **state)
{
	(void)state;
	published = map_memfd("OTEL_CTX");
	library = map_memfd("library.so");
	begin(0x030c00f0);
	load(NULL, 0);
	describe(address_of(index_of(MODULE, LIBRARY_OFFSET)));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(published, PAGE);
	munmap(library, PAGE);
	return 0;
}

/* --- the tests ------------------------------------------------------------------------------------------ */

TEST(each_way_to_reach_it)
{
	struct thread_context_place p;

	assert_int_equal(look(&p), 0);
	assert_true(p.kind == THREAD_CONTEXT_MODULE && p.module == MODULE && p.offset == LIBRARY_OFFSET &&
		    p.generation == GENERATION);
	thread = make(8);
	describe(-8);
	assert_int_equal(look(&p), 0); /* what stands there is 0, which is no record */
	assert_true(p.kind == THREAD_CONTEXT_STATIC && p.offset == -8 && !p.module && !p.generation);
	library->relocations[FIRST] = library_relocation(LIBRARY_SYMBOL, R_X86_64_TPOFF64, 0, 0);
	library->words[0] = -16;
	assert_int_equal(look(&p), 0);
	assert_true(p.kind == THREAD_CONTEXT_STATIC && p.offset == -16);
	library->relocations[FIRST] = library_relocation(LIBRARY_SYMBOL, R_X86_64_DTPMOD64, 0, 0);
	library->words[0] = MODULE;
	assert_int_equal(look(&p), 0);
	assert_true(p.kind == THREAD_CONTEXT_MODULE && p.module == MODULE && p.offset == LIBRARY_OFFSET &&
		    !p.generation);
}

TEST(who_does_not_say_so)
{
	publish("tls_v1");
	assert_int_equal(look_alone(), 0);
	publish("go_pprof_labels_v1");
	assert_int_equal(look_alone(), -ENOENT);
	publish("tls_v1");
	published->published_at = 0;
	assert_int_equal(look_alone(), -EAGAIN);
	publish("tls_v1");
	library->names[1] = 'p';
	assert_int_equal(look_alone(), -ENOENT);
}

TEST(words_that_lie)
{
	static const __u64 wrong[] = { 0, 8, 1ULL << 47, 1ULL << 62, 1ULL << 63 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		describe(wrong[i]);
		assert_int_equal(look_alone(), -ENOENT);
	}
	describe(address_of(index_of(0, LIBRARY_OFFSET)));
	assert_int_equal(look_alone(), -ENOENT);
	describe(address_of(index_of(MODULE, LIBRARY_OFFSET + 8)));
	assert_int_equal(look_alone(), -ENOENT);
	describe(address_of(index_of(THREAD_CONTEXT_MODULES + 1, LIBRARY_OFFSET)));
	assert_int_equal(look_alone(), -ENOENT);
	library->relocations[FIRST] = library_relocation(LIBRARY_SYMBOL, R_X86_64_TPOFF64, 0, 0);
	library->words[0] = 16;
	assert_int_equal(look_alone(), -ENOENT);
	library->words[0] = -THREAD_CONTEXT_FAR - 8;
	assert_int_equal(look_alone(), -ENOENT);
}

/* Of threads one that has it is enough. */
TEST(threads_that_do_not_prove_it)
{
	for (int i = 0; i < 7; i++) {
		begin(0x030c00f0);
		load(NULL, 0);
		describe(address_of(index_of(MODULE, LIBRARY_OFFSET)));
		assert_int_equal(look_alone(), 0);
		switch (i) {
		case 0: thread[0] += 8; break;
		case 1: thread[1] = 1 << 20; break;
		case 2: places[-2] = MODULE - 1; break;
		case 3: places[0] = GENERATION - 1; break;
		case 4: places[2 * MODULE] = ~0ULL; break;
		case 5: block[LIBRARY_OFFSET / 8] = 8; break;
		case 6: record[3] = 2; break;
		}
		assert_int_equal(look_alone(), -ENOENT);
		add_thread();
		assert_int_equal(look_alone(), 0);
	}
	interpreter[1] = 0;
	assert_int_equal(look_alone(), -ENOENT);
}

TEST(what_a_tracer_has_to_have_patched)
{
	static const struct {
		const char *module, *mark;
		int value;
		enum thread_context_kind up_to_3_13, since;
	} rows[] = {
		{ "asyncio", "_datadog_patch", 1, THREAD_CONTEXT_MODULE, THREAD_CONTEXT_MODULE },
		{ "asyncio", "_datadog_patch", 0, THREAD_CONTEXT_UNTRUE, THREAD_CONTEXT_MODULE },
		{ "asyncio", "patch", 1, THREAD_CONTEXT_UNTRUE, THREAD_CONTEXT_MODULE },
		{ "anyio", "patch", 1, THREAD_CONTEXT_UNTRUE, THREAD_CONTEXT_MODULE },
		{ "trio", "patch", 1, THREAD_CONTEXT_UNTRUE, THREAD_CONTEXT_MODULE },
		{ "gevent", "__datadog_patch", 1, THREAD_CONTEXT_MODULE, THREAD_CONTEXT_MODULE },
		{ "gevent", "_datadog_patch", 1, THREAD_CONTEXT_UNTRUE, THREAD_CONTEXT_UNTRUE },
		{ "json", "patch", 1, THREAD_CONTEXT_MODULE, THREAD_CONTEXT_MODULE },
	};

	for (size_t i = 0; i < 4 * sizeof(rows) / sizeof(*rows); i++) {
		const size_t row = i / 4;
		const bool is_new = i % 2, is_traced = i / 2 % 2;
		struct pair mark = { rows[row].mark, NULL }, more[2];
		struct thread_context_place place;

		begin(is_new ? 0x030e00f0 : 0x030d00f0);
		describe(address_of(index_of(MODULE, LIBRARY_OFFSET)));
		mark.value = int_of(rows[row].value);
		more[0] = (struct pair){ rows[row].module, module_of(&mark, 1) };
		more[1] = (struct pair){ is_traced ? "ddtrace" : "another", module_of(NULL, 0) };
		load(more, 2);
		assert_int_equal(look(&place), 0);
		assert_int_equal(place.kind, !is_traced ? THREAD_CONTEXT_MODULE :
					     is_new	? rows[row].since :
							  rows[row].up_to_3_13);
	}
	interpreter = make(1); /* without its modules nobody knows */
	runtime[1] = address_of(interpreter);
	assert_int_equal(look_alone(), -ENOENT);
}

/* Whatever is there, a look ends. */
TEST(memory_that_is_anything)
{
	for (int i = 0; i < 300; i++) {
		begin(i % 2 ? 0x030900f0 : 0x030d00f0);
		load(&(struct pair){ "ddtrace", module_of(NULL, 0) }, 1);
		describe(address_of(index_of(MODULE, LIBRARY_OFFSET)));
		spoil(1 + i % 40);
		((__u64 *)library)[random_word() % (sizeof(*library) / sizeof(__u64))] = random_word();
		assert_true(look_alone() <= 0);
	}
}

static int begin_all(void **state)
{
	(void)state;
#if !defined(__x86_64__)
	print_message("SKIP not-applicable: ids that threads publish are found on x86-64\n");
	return 0;
#endif
	return 0;
}

AROUND_EACH(setup, teardown);
AROUND_ALL(begin_all, NULL);

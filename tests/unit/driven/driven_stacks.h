/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_stacks.h - tests of the driven sampler: which path in the tree a stack becomes, and which outcome.
 */
#include "base/clock.h"
#include "tests/unit/driven/driven_usual.h"

static void test_stack_names_and_owner(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		char comm[16] = {};
		FILE *f = fopen("/proc/self/comm", "re");

		assert_non_null(f);
		assert_int_equal(fscanf(f, "%15s", comm), 1);
		fclose(f);
		forge_usual(forge_minors[v], codes);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is(USUAL);
		assert_int_equal(driven.record_count, 3);
		record_is(codes[0], "main", 10);
		record_is(codes[1], "App.work", 10);
		record_is(codes[2], "<lambda>", 10);
		assert_int_equal(driven_record(codes[2])->version, py.l.code_version ? 3 : 0);
		assert_int_equal(driven_stat(frames), 3);
		assert_int_equal(driven_stat(nodes_new), 4);
		assert_int_equal(driven_stat(codes_new), 3);
		for (__u32 i = 0; i < driven.o.owners; i++)
			if (driven.owners[i].key)
				assert_string_equal(driven.owners[i].comm, comm);
	}
}

static void test_same_stack_is_same_node(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		__u32 leaf;

		forge_usual(forge_minors[v], codes);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		leaf = driven_leaf();
		for (int i = 0; i < 9; i++)
			assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven_leaf(), leaf);
		assert_int_equal(driven.nodes[leaf].count, 10);
		assert_int_equal(driven.record_count, 3);
		assert_int_equal(driven_stat(nodes_new), 4);
		assert_int_equal(driven_stat(thread_searches), 1);
	}
}

/* Generators on the heap, calls through C, hundreds of frames over several chunks. */
static void test_long_mixed_stack(void **state)
{
	static char expected[32768];

	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t = py_begin_with_thread(forge_minors[v]);
		size_t length = 0;

		driven_watch();
		for (int i = 0; i < 600; i++) {
			char name[16];

			snprintf(name, sizeof(name), "f%d", i % 50);
			if (i % 9 == 4)
				py_push_shim(t);
			if (i % 7 == 3)
				py_push_generator(t, py_code(name), i);
			else
				py_push(t, py_code(name), i);
			length += snprintf(expected + length, sizeof(expected) - length, "%s%s:%d",
					   i ? ";" : "", name, i);
		}
		/* Of the new code objects, 64 are sent in one tick, from the root on. */
		for (__u32 sent = 64; sent < 600; sent += 64) {
			assert_int_equal(drive(), OUTCOME_WHOLE);
			assert_int_equal(driven.record_count, sent);
		}
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven.record_count, 600);
		for (__u32 i = 0; i < 600; i++)
			assert_true(driven.records[i].fingerprint & 1);
		driven_path_is(expected);
		assert_int_equal(driven_stat(frames) + driven_stat(cache_frames), 600 * 10);
		assert_int_equal(driven_stat(read_faults), 0);
	}
}

/* The interpreter's own clean-up code (3.13+, _Py_InitCleanup): one string for all names, line 0. */
static void test_interpreters_own_code_is_not_shown(void **state)
{
	struct py_thread *t = py_begin_with_thread(0x030d);
	__u64 shim = py_code("<init>"), file;

	(void)state;
	py_write_code((void *)shim, "<init>", "<init>", 0);
	memcpy(&file, (void *)(shim + py.l.code_filename), 8);
	forge_put((void *)shim, py.l.code_name, file, 8);
	py_push(t, py_code("main"), 1);
	py_push(t, shim, 0);
	py_push(t, py_code("__init__"), 2);
	driven_watch();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	driven_path_is("main:1;__init__:2");
	assert_int_equal(driven.record_count, 2);
}

static void test_pages_not_resident(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		struct py_thread *t = forge_usual(forge_minors[v], codes);
		void *generator;

		py_protect(t->chunk, CHUNK_SIZE, PROT_NONE);
		assert_int_equal(drive(), OUTCOME_UNREADABLE);
		driven_path_is("[unreadable]");
		py_protect(t->chunk, CHUNK_SIZE, PROT_READ | PROT_WRITE);
		generator = py_push_generator(t, py_code("gen"), 2);
		py_protect(t->chunk, CHUNK_SIZE, PROT_NONE);
		driven_watch();
		/* 3.11, 3.12: a CFrame that is not filled in may name such a frame, too. */
		if (forge_minors[v] == 0x030b || forge_minors[v] == 0x030c) {
			assert_int_equal(drive(), OUTCOME_UNREADABLE);
			driven_path_is("[unreadable]");
		} else {
			assert_int_equal(drive(), OUTCOME_INCOMPLETE);
			driven_path_is("[incomplete];gen:2");
		}
		py_protect(t->chunk, CHUNK_SIZE, PROT_READ | PROT_WRITE);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is(USUAL ";gen:2");
		/* Unmapped, not only unreadable. */
		assert_int_equal(munmap(generator, PY_PAGE), 0);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_UNREADABLE);
		driven_path_is("[unreadable]");
		assert_ptr_equal(mmap(generator, PY_PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
				 generator);
	}
}

static void test_no_frames(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];

		py_set_frame(forge_usual(forge_minors[v], codes), 0);
		assert_int_equal(drive(), OUTCOME_NO_FRAMES);
		driven_path_is("[no Python frames]");
		assert_int_equal(driven.record_count, 0);
	}
}

/* A chain that ends where none may: the frames are kept, under a marker; not in 3.11 and 3.12, see below. */
static void test_chain_without_root(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		struct py_thread *t = forge_usual(forge_minors[v], codes);

		/* work() loses its caller. */
		forge_put((void *)(t->leaf - PY_FRAME), py.l.frame_previous, 0, 8);
		assert_int_equal(drive(), OUTCOME_INCOMPLETE);
		driven_path_is(py.l.has_cframe ? "[incomplete]" : "[incomplete];App.work:7;<lambda>:-1");
		forge_put((void *)(t->leaf - PY_FRAME), py.l.frame_previous, ~0ULL, 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_INCOMPLETE);
		driven_path_is(py.l.has_cframe ? "[incomplete]" : "[incomplete];App.work:7;<lambda>:-1");
	}
}

/*
 * 3.11 and 3.12 link a CFrame before they fill it in: then the frames that the one before leads to are shown.
 */
static void test_unfilled_cframe(void **state)
{
	static const __u64 garbage[] = { 0, 1, 8, 0xffff888000000000, 1ULL << 47, 0x10000, ~0ULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(garbage) * 2; i++) {
		__u64 codes[3];
		struct py_thread *t = forge_usual(i % 2 ? 0x030b : 0x030c, codes);
		__u8 *cframe = py_object(32);

		forge_put(cframe, py.l.cframe_frame, garbage[i / 2], 8);
		forge_put(cframe, py.l.cframe_previous, py_address(t->cframe), 8);
		forge_put(t->tstate, py.l.tstate_frame, py_address(cframe), 8);
		assert_int_equal(drive(), OUTCOME_INCOMPLETE);
		driven_path_is("[incomplete];" USUAL);
		/* Neither is readable. */
		forge_put(t->tstate, py.l.tstate_frame, garbage[i / 2], 8);
		driven_watch();
		assert_int_equal(drive(), garbage[i / 2] ? OUTCOME_UNREADABLE : OUTCOME_NO_FRAMES);
	}
}

/* ... or fill it in before the frame that it names has its caller: which then is NULL, or one from before. */
static void test_half_linked_entry(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		__u64 codes[3], stale = 0;
		struct py_thread *t = forge_usual(i % 2 ? 0x030b : 0x030c, codes);

		if (i / 2)
			memcpy(&stale, (void *)(unsigned long)(t->leaf + py.l.frame_previous), 8);
		py_push_cframe(t);
		t->leaf = stale;
		py_write_shim(t);
		py_push(t, codes[0], 0);
		if (py.l.root_rule == ROOT_ENTRY)
			forge_put((void *)(unsigned long)t->leaf, py.l.frame_is_entry, 1, 1);
		assert_int_equal(drive(), OUTCOME_INCOMPLETE);
		driven_path_is("[incomplete];" USUAL);
	}
}

static void test_process_states(void **state)
{
	__u64 codes[3];

	(void)state;
	forge_usual(0x030d, codes);
	driven_set_process(PROCESS_NOT_PYTHON, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_NOT_PYTHON);
	driven_set_process(PROCESS_FORBIDDEN, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_FORBIDDEN);
	driven_set_process(PROCESS_NO_LAYOUT, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_NO_LAYOUT);
	driven_path_is("[unsupported Python]");
	driven_watch();
	usleep(25000); /* one report in 20 ms */
	driven_set_process(PROCESS_WANTED, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_NEW_PROCESS);
	assert_int_equal(driven.notices, 1);
	assert_int_equal(driven.notice.pid, getpid());
	/* Another process image under the same pid. */
	driven.exec_id++;
	driven_set_process(PROCESS_PYTHON, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_NEW_PROCESS);
	driven.exec_id--;
	driven.start_time++;
	driven_set_process(PROCESS_PYTHON, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_NEW_PROCESS);
	driven.start_time--;
	driven_set_process(PROCESS_PYTHON, DRIVEN_ID);
	assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_int_equal(driven_samples(), 1);
}

/*
 * A verdict that is to be looked at again leads to one question when its time has come, and to none before.
 */
static void test_asks_again(void **state)
{
	static const enum process_state states[] = { PROCESS_WANTED, PROCESS_NO_LAYOUT, PROCESS_NOT_PYTHON };
	__u64 codes[3], begin;

	(void)state;
	forge_usual(0x030d, codes);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		driven.notices = 0;
		driven_set_check(states[i], DRIVEN_ID, clock_ns() + 600000000000ULL);
		drive();
		assert_int_equal(driven.notices, 0);
		usleep(3000);
		begin = clock_ns();
		driven_set_check(states[i], DRIVEN_ID, begin);
		drive();
		assert_int_equal(driven.notices, 1);
		drive();
		drive();
		if (clock_ns() - begin < 15000000)
			assert_int_equal(driven.notices, 1);
	}
}

/*
 * The caller side of the last stack is taken from the thread's cache only while every frame of it is the
 * same.
 */
static void test_cached_callers(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		const bool caching = driven.o.cache == CACHE_VERIFIED;
		__u64 codes[3];
		struct py_thread *t = forge_usual(forge_minors[v], codes);

		assert_int_equal(drive(), OUTCOME_WHOLE);
		if (!py.l.epoch_size) {
			driven_settle();
			assert_int_equal(drive(), OUTCOME_WHOLE);
		}
		assert_int_equal(drive(), OUTCOME_WHOLE);
		py_move(t, codes[2], 5);
		driven_settle();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;App.work:7;<lambda>:5");
		/* main() is elsewhere, and what it calls stands where it stood. */
		forge_put((void *)(t->leaf - 2 * PY_FRAME), py.l.frame_instr,
			  codes[0] + py.l.code_bytecode + 8, 8);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:4;App.work:7;<lambda>:5");
		/* The callers as they were, without a way from work() to main(). */
		forge_put((void *)(t->leaf - PY_FRAME), py.l.frame_previous, 0, 8);
		assert_int_equal(drive(), OUTCOME_INCOMPLETE);
		driven_newest_path_is(py.l.has_cframe ? "[incomplete]"
						      : "[incomplete];App.work:7;<lambda>:5");
		assert_int_equal(driven_stat(cache_full), caching);
		/* Twice only the frame below main() could be, and need not. */
		assert_in_range(driven_stat(cache_partial), caching, 3 * caching);
		assert_int_equal(driven_stat(codes_new), 3);
	}
}

/* A frame that is not on the data stack is compared in full too: here only its code object is another. */
static void test_cached_generator(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t = py_begin_with_thread(forge_minors[v]);
		__u64 other = py_code("other");
		void *frame;

		py_push(t, py_code("main"), 3);
		frame = py_push_generator(t, py_code("gen"), 4);
		py_push(t, py_code("leaf"), 5);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_settle();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("main:3;gen:4;leaf:5");
		driven_settle();
		forge_put(frame, py.l.frame_code, other, 8);
		forge_put(frame, py.l.frame_instr, other + py.l.code_bytecode + 12, 8);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;other:6;leaf:5");
		/* An instruction of none of them: still another code object. */
		forge_put(frame, py.l.frame_code, py_code("third"), 8);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven_stat(codes_new), 5);
	}
}

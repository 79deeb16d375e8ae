/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_threads.h - tests of the driven sampler: how the thread state of the running thread is found, among
 * others, and that no other is taken for it.
 */
#include "tests/unit/driven/driven_usual.h"

#define NOBODY 0x123456789000 /* a thread_id that is no thread's here */

/* A thread state of this thread whose stack is one call of `name`. */
static struct py_thread *add_self(const char *name, bool active)
{
	struct py_thread *t = py_add_thread(py_self(), active);

	py_new_chunk(t);
	py_push_shim(t);
	py_push(t, py_code(name), 1);
	return t;
}

static void add_others(__u32 count)
{
	while (count--)
		py_add_thread(NOBODY + count, true);
}

static void test_thread_state_of_nobody(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		struct py_thread *t = forge_usual(forge_minors[v], codes);

		forge_put(t->tstate, py.l.tstate_thread_id, NOBODY, 8);
		if (py.l.runtime_tstate)
			forge_put(py.runtime, py.l.runtime_tstate, py_address(t->tstate), 8);
		if (py.l.interp_gil)
			forge_put(py.gil, py.l.gil_holder, py_address(t->tstate), 8);
		for (int i = 0; i < 100; i++)
			assert_int_equal(drive(), OUTCOME_C_THREAD);
		driven_path_is("[C thread]");
		assert_int_equal(driven_stat(frames), 0);
		/* Pauses between searches grow: a thread of C code costs little. */
		assert_in_range(driven_stat(thread_searches), 1, 50);
	}
}

static void test_unreadable_thread_state(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		struct py_thread *t = forge_usual(forge_minors[v], codes);

		py_protect(t->tstate, TSTATE_READ, PROT_NONE);
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		assert_true(driven_stat(read_faults) > 0);
		/* It was known, and its page goes away. */
		py_protect(t->tstate, TSTATE_READ, PROT_READ);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is(USUAL);
		py_protect(t->tstate, TSTATE_READ, PROT_NONE);
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
	}
}

static void test_found_behind_others(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *me;

		py_begin(forge_minors[v]);
		add_others(2);
		me = add_self("me", true);
		add_others(200);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("me:1");
		/*
		 * Remembered. 3.11 cannot say that it is the active one, unless it is the runtime's current
		 * one.
		 */
		if (py.l.runtime_tstate)
			forge_put(py.runtime, py.l.runtime_tstate, py_address(me->tstate), 8);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven_stat(thread_searches), 1);
		if (py.l.runtime_tstate)
			forge_put(py.runtime, py.l.runtime_tstate, 0, 8);
		/* A search has an end. */
		add_others(60);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		assert_true(driven_stat(reads) < 300);
	}
}

static void test_found_in_another_interpreter(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u8 *first;

		py_begin(forge_minors[v]);
		first = py.interp;
		add_others(3);
		py.interp = py_pages(PY_INTERP);
		forge_put(first, py.l.interp_next, py_address(py.interp), 8);
		add_others(3);
		add_self("sub", true);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("sub:1");
	}
}

/* The lists are gone; only this one way leads to the thread state. */
static void only_way_works(__u8 *where, __u32 offset, __u64 value)
{
	forge_put(py.interp, py.l.interp_threads, 0, 8);
	driven_watch();
	assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
	forge_put(where, offset, value, 8);
	driven_watch();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	driven_path_is("me:1");
}

static void test_found_as_current_of_runtime(void **state)
{
	struct py_thread *t;

	(void)state;
	py_begin(0x030b);
	t = add_self("me", true);
	only_way_works(py.runtime, py.l.runtime_tstate, py_address(t->tstate));
}

static void test_found_as_holder_of_gil(void **state)
{
	(void)state;
	for (size_t v = 1; v < FORGE_VERSIONS; v++) {
		struct py_thread *t;

		py_begin(forge_minors[v]);
		t = add_self("me", true);
		only_way_works(py.gil, py.l.gil_holder, py_address(t->tstate));
	}
}

/*
 * 2.7 and 3.6, stripped: the interpreter is that of the GIL's holder. A thread that was found is not lost
 * when it lets go of the GIL, nor believed once it is in no list.
 */
static void test_without_a_list_of_interpreters(void **state)
{
	static const __u32 minors[] = { 0x0207, 0x0306 };
	struct py_thread *me, *other;

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(minors); v++) {
		py_begin(minors[v]);
		py.l.runtime_tstate = 16;
		me = add_self("me", true);
		other = py_add_thread(NOBODY, true);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		forge_put(py.runtime, py.l.runtime_tstate, py_address(other->tstate), 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("me:1");
		forge_put(py.runtime, py.l.runtime_tstate, py_address(me->tstate), 8);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		forge_put(py.runtime, py.l.runtime_tstate, 0, 8);
		usleep(20000); /* some jiffies: in one there is one search */
		assert_int_equal(drive(), OUTCOME_WHOLE);
		forge_put(py.interp, py.l.interp_threads, py_address(other->tstate), 8);
		forge_put(other->tstate, py.l.tstate_next, 0, 8);
		usleep(20000);
		assert_int_equal(drive(), OUTCOME_C_THREAD);
	}
}

/*
 * 2.7 and 3.6, stripped: nobody holds the GIL from the first sample on, as when C code that let go of it
 * takes all of the time. The loader has found an interpreter.
 */
static void test_without_a_list_and_without_the_gil(void **state)
{
	static const __u32 minors[] = { 0x0207, 0x0306 };

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(minors); v++) {
		py_begin(minors[v]);
		py.l.runtime_tstate = 16;
		py.l.runtime_main = 32;
		add_self("me", true);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		forge_put(py.runtime, py.l.runtime_main, py_address(py.interp), 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("me:1");
	}
}

/* Where PyGILState_Ensure() keeps it: a slot of the C library, whose key the runtime knows. */
static void test_found_in_thread_specific_storage(void **state)
{
	pthread_key_t key;

	(void)state;
#if !defined(__x86_64__) || !defined(__GLIBC__)
	print_message("SKIP: the slots of this C library are not known to the sampler\n");
	skip();
#endif
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t;

		py_begin(forge_minors[v]);
		if (!py.l.runtime_tss_key) /* 3.15 */
			continue;
		t = add_self("me", true);
		assert_int_equal(pthread_setspecific(key, t->tstate), 0);
		only_way_works(py.runtime, py.l.runtime_tss_key, 1 | (__u64)key << 32);
		/* Not initialised, or no key that could be: not used. */
		forge_put(py.runtime, py.l.runtime_tss_key, (__u64)key << 32, 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		forge_put(py.runtime, py.l.runtime_tss_key, 1 | 1ULL << 62, 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
	}
	assert_int_equal(pthread_key_delete(key), 0);
}

/* A thread with a sub-interpreter has two thread states. 3.11 does not say which is active. */
static void test_active_thread_state_is_preferred(void **state)
{
	(void)state;
	for (size_t v = 1; v < FORGE_VERSIONS; v++) {
		struct py_thread *a, *b;

		py_begin(forge_minors[v]);
		add_others(1);
		a = add_self("a", true);
		b = add_self("b", false); /* now the list's first */
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("a:1");
		/* The thread goes over to the other one. */
		forge_put(a->tstate, py.l.tstate_status, py.l.status_living, 4);
		forge_put(b->tstate, py.l.tstate_status, py.l.status_living | py.l.status_active, 4);
		usleep(30000); /* searched once a jiffy at most */
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("b:1");
		/* With the GIL released neither is active; one of them is still the thread's. */
		forge_put(b->tstate, py.l.tstate_status, py.l.status_living, 4);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("b:1");
	}
}

/* Takes t, the newest thread state, from the interpreter's list, as its own thread does at its end. */
static void unlink_newest(struct py_thread *t)
{
	memcpy(py.interp + py.l.interp_threads, t->tstate + py.l.tstate_next, 8);
}

/*
 * What a thread leaves of a thread state that it gave back: id, "active" and frame are still there. In each
 * round another part of that memory has been written over since. The thread has a new one.
 */
static void test_thread_state_that_is_gone(void **state)
{
	enum { UNTOUCHED, STATUS, STATUS_AND_INTERPRETER, ROUNDS };

	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS * ROUNDS; v++) {
		const size_t round = v % ROUNDS;
		struct py_thread *a, *b;

		py_begin(forge_minors[v / ROUNDS]);
		if (!py.l.status_active)
			continue;
		a = add_self("a", true);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("a:1");
		unlink_newest(a);
		/* unbound and, by version, cleared or finalizing; tstate_delete_common() */
		forge_put(a->tstate, py.l.tstate_status,
			  py.l.status_living | py.l.status_active | 1 << 2 | 1 << 7, 4);
		if (round == STATUS)
			forge_put(a->tstate, py.l.tstate_status, 0x13131313, 4);
		if (round == STATUS_AND_INTERPRETER) {
			forge_put(a->tstate, py.l.tstate_interp, 0x1313131313131313, 8);
			forge_put(a->tstate, py.l.tstate_status, py.l.status_living | py.l.status_active, 4);
		}
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		b = add_self("b", true);
		usleep(30000); /* after a search that found nothing there is a pause of two jiffies */
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("b:1");
		unlink_newest(b);
	}
}

/*
 * 3.11, 3.12: the thread state of an interpreter that another thread made. It is this thread's as long as its
 * CFrame is on this thread's C stack.
 */
static void test_thread_state_of_another_maker(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 on_stack[4];
		struct py_thread *t;
		__u8 *elsewhere;

		py_begin(forge_minors[v]);
		if (!py.l.has_cframe)
			continue;
		t = py_add_thread(NOBODY, true);
		elsewhere = t->cframe;
		memcpy(on_stack, elsewhere, sizeof(on_stack));
		forge_put(t->tstate, py.l.tstate_frame, py_address(on_stack), 8);
		t->cframe = (__u8 *)on_stack;
		py_new_chunk(t);
		py_push_shim(t);
		py_push(t, py_code("sub"), 1);
		driven_watch();
		for (int i = 0; i < 3; i++) {
			assert_int_equal(drive(), OUTCOME_WHOLE);
			driven_path_is("sub:1");
		}
		forge_put(t->tstate, py.l.tstate_frame, py_address(elsewhere), 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_C_THREAD);
	}
}

static void test_hostile_lists(void **state)
{
	static const __u64 bad[] = { 1, 8, 0x10000, 1ULL << 47, 0xffff888000000000, ~0ULL, 0x7fffffffe004 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad) * FORGE_VERSIONS; i++) {
		__u64 value = bad[i % ARRAY_SIZE(bad)];
		struct py_thread *t;

		py_begin(forge_minors[i / ARRAY_SIZE(bad)]);
		t = py_add_thread(NOBODY, true);
		forge_put(t->tstate, py.l.tstate_next, value, 8);
		forge_put(py.interp, py.l.interp_next, value, 8);
		if (py.l.interp_gil)
			forge_put(py.interp, py.l.interp_gil, value, 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		/* Cycles: of two thread states, and of the interpreter with itself. */
		t = py_add_thread(NOBODY, true);
		forge_put(py.threads[0].tstate, py.l.tstate_next, py_address(t->tstate), 8);
		forge_put(py.interp, py.l.interp_next, py_address(py.interp), 8);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_NO_THREAD_STATE);
		assert_true(driven_stat(reads) < 400);
	}
}

static void *drive_elsewhere(void *arg)
{
	struct py_thread *t = py_start_thread(py_self());

	py_push(t, py_code("elsewhere"), 4);
	*(enum outcome *)arg = drive();
	return (void *)(unsigned long)gettid();
}

/* Two threads, two owners; the thread table holds both. */
static void test_second_thread(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		enum outcome outcome = OUTCOME_NESTED;
		const struct owner *owner;
		pthread_t thread;
		__u64 codes[3];
		__u32 mine, leaf = 0;
		void *tid;

		forge_usual(forge_minors[v], codes);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		mine = driven_leaf();
		assert_int_equal(pthread_create(&thread, NULL, drive_elsewhere, &outcome), 0);
		assert_int_equal(pthread_join(thread, &tid), 0);
		assert_int_equal(outcome, OUTCOME_WHOLE);
		for (__u32 i = 0; i < driven.o.nodes; i++)
			if (driven.nodes[i].count && i != mine)
				leaf = i;
		assert_int_not_equal(leaf, 0);
		_cleanup_free_ char *path = driven_path(leaf, &owner);
		assert_string_equal(path, "elsewhere:4");
		assert_int_equal(owner->tid, driven.o.by_process ? 0 : (unsigned long)tid);
		assert_int_equal(driven.nodes[mine].count, 1);
	}
}

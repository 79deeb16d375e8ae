// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_proof.c - proof.c on an interpreter forged in this process: what holds, what is not there yet, and
 * each thing that a wrong layout or a hostile process can make of it.
 */
#include <errno.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>

#include "python/proof.h"
#include "tests/forge/interpreter.h"
#include "tests/forge/test.h"

static const char *reason;
static struct layout layouts[64];
static int layout_count;

/* Of every version and build. */
static int list_layouts(void **state)
{
	static const struct cpython *const versions[] = {
#define CPYTHON(major_, minor_) &cpython_##major_##_##minor_,
#include "python/layouts/versions.def"
#undef CPYTHON
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		layouts[layout_count] = versions[i]->layout;
		if (!layouts[layout_count].runtime_interpreters) /* 3.6: identify.c places the variables */
			layouts[layout_count].runtime_interpreters = 8;
		layouts[layout_count++].version = versions[i]->minor << 16 | 0xf0;
		if (!versions[i]->free_threaded)
			continue;
		layouts[layout_count] = *versions[i]->free_threaded;
		layouts[layout_count++].version = versions[i]->minor << 16 | 0xf0;
	}
	return layout_count < 10;
}

static int prove(void)
{
	reason = "";
	return proof_of_layout(getpid(), &py.l, py_address(py.runtime), &reason);
}

static void say(int result, const char *what)
{
	fail_msg("%u.%u%s: %d %s, where it should %s", py.l.version >> 24, py.l.version >> 16 & 0xff,
		 py.l.free_threaded ? "t" : "", result, reason, what);
}

static void holds(void)
{
	int result = prove();

	if (result != PROOF_HOLDS)
		say(result, "hold");
}

/* main() calls work(), which calls a function that has not begun. */
static struct py_thread *begin(int layout, __u64 ret_codes[3])
{
	struct py_thread *t;

	py_begin_layout(&layouts[layout]);
	t = py_start_this_thread();
	ret_codes[0] = py_code("main");
	ret_codes[1] = py_code("App.work");
	ret_codes[2] = py_code("<lambda>");
	py_push(t, ret_codes[0], 3);
	py_push(t, ret_codes[1], 7);
	py_push(t, ret_codes[2], -1);
	return t;
}

static void contradicted(const char *part)
{
	int result = prove();

	if (result != -EPROTO || !strstr(reason, part))
		say(result, part);
}

TEST(sound)
{
	__u64 codes[3];

	for (int v = 0; v < layout_count; v++) {
		begin(v, codes);
		holds();
		py_push_generator(&py.threads[0], codes[0], 5);
		holds();
	}
}

/* Free-threaded 3.14+: the frame runs a thread's own copy of the bytecode. */
TEST(copied_bytecode)
{
	__u64 codes[3], table, copy;
	__u8 *leaf;

	for (int v = 0; v < layout_count; v++) {
		begin(v, codes);
		if (!py.l.code_tlbc)
			continue;
		leaf = (__u8 *)(uintptr_t)py.threads[0].leaf;
		copy = py_address(py_object(2000));
		table = py_address(py_object(32));
		forge_put(leaf, py.l.frame_instr, copy + 14, 8);
		contradicted("bytecode");
		forge_put((void *)(uintptr_t)codes[2], py.l.code_tlbc, table, 8);
		forge_put((void *)(uintptr_t)table, 0, 2, 8);
		forge_put((void *)(uintptr_t)table, 16, copy, 8);
		contradicted("bytecode");
		forge_put(leaf, py.l.frame_tlbc_index, 1, 4);
		holds();
		forge_put(leaf, py.l.frame_tlbc_index, 2, 4);
		contradicted("bytecode");
	}
}

/*
 * Start-up: no interpreter, no thread, a thread without a frame, one with the interpreter's own frame alone.
 */
TEST(not_yet)
{
	for (int v = 0; v < layout_count; v++) {
		py_begin_layout(&layouts[v]);
		assert_int_equal(prove(), PROOF_NOT_YET);
		py_add_thread(py_self(), true);
		assert_int_equal(prove(), PROOF_NOT_YET);
		py_start_thread(py_self());
		assert_int_equal(prove(), PROOF_NOT_YET);
		forge_put(py.runtime, py.l.runtime_interpreters, 0, 8);
		assert_int_equal(prove(), PROOF_NOT_YET);
	}
}

/* The threads that run Python may come anywhere in the list, and the interpreter too. */
TEST(any_thread_serves)
{
	__u64 codes[3];
	__u8 *other;

	for (int v = 0; v < layout_count; v++) {
		begin(v, codes);
		for (int i = 0; i < 100; i++)
			py_add_thread(py_self(), false);
		holds();
		other = py_pages(PY_INTERP);
		forge_put(other, py.l.interp_next, py_address(py.interp), 8);
		forge_put(py.runtime, py.l.runtime_interpreters, py_address(other), 8);
		holds();
		/* One that is caught half-way does not matter. */
		forge_put(py_start_thread(0)->tstate, py.l.tstate_frame, 4, 8);
		holds();
	}
}

/* Deeper than one walk goes. */
TEST(deep)
{
	struct py_thread *t;
	__u64 code, first;

	for (int v = 0; v < layout_count; v++) {
		py_begin_layout(&layouts[v]);
		t = py_start_this_thread();
		code = py_code("recurse");
		py_push(t, code, 3);
		first = t->leaf;
		for (int i = 0; i < 9000; i++)
			py_push(t, code, 3);
		holds();
		forge_put((void *)(uintptr_t)first, py.l.frame_code, 8, 8);
		assert_int_equal(prove(), -EPROTO);
	}
}

static const __u64 liars[] = { 1, 4, 0x1000, (1ULL << 47) - 8, 1ULL << 63, ~7ULL, ~0ULL };

TEST(bad_lists)
{
	__u64 codes[3];

	for (int v = 0; v < layout_count; v++) {
		for (size_t i = 0; i < 3 * ARRAY_SIZE(liars); i++) {
			struct py_thread *t = begin(v, codes);
			__u8 *places[] = { py.runtime + py.l.runtime_interpreters,
					   py.interp + py.l.interp_threads, t->tstate + py.l.tstate_interp };

			forge_put(places[i % 3], 0, liars[i / 3], 8);
			contradicted("thread list");
		}
	}
}

TEST(bad_stacks)
{
	struct py_thread *t;
	__u64 codes[3];

	for (int v = 0; v < layout_count; v++) {
		for (size_t i = 0; i < ARRAY_SIZE(liars); i++) {
			t = begin(v, codes);
			py_set_frame(t, liars[i]);
			contradicted("do not lead to");
			t = begin(v, codes);
			forge_put((void *)(uintptr_t)t->leaf, py.l.frame_previous, liars[i], 8);
			contradicted("do not lead to");
			t = begin(v, codes);
			forge_put(t->tstate, py.l.tstate_thread_id, liars[i], 8);
			contradicted("ids of threads");
		}
		/*
		 * A chain that ends where none may: up to 3.10 there is no telling. One that never does is
		 * deeper than anybody looks.
		 */
		t = begin(v, codes);
		forge_put((void *)(uintptr_t)t->leaf, py.l.frame_previous, 0, 8);
		if (py.l.root_rule != ROOT_NULL)
			contradicted("do not lead to");
		py_begin_layout(&layouts[v]);
		t = py_start_this_thread();
		py_push(t, py_code("ring"), 3);
		forge_put((void *)(uintptr_t)t->leaf, py.l.frame_previous, t->leaf, 8);
		holds();
	}
}

/* Code objects that are something else, and those without what the profile needs. */
TEST(bad_codes)
{
	__u64 codes[3];
	void *code;

	for (int v = 0; v < layout_count; v++) {
		const struct layout *l = &layouts[v];
		const __u32 parts[] = { l->code_qualname ? l->code_qualname : l->code_name, l->code_filename,
					l->code_linetable };

		begin(v, codes);
		code = (void *)(uintptr_t)codes[1];
		forge_put(code, py.header + 8, py_address(py.str_type), 8);
		contradicted("do not hold code objects");
		forge_put(code, py.header + 8, 0, 8);
		contradicted("do not hold code objects");
		begin(v, codes);
		py.code_type = py_type("function", 0);
		for (int i = 0; i < 3; i++)
			forge_put((void *)(uintptr_t)codes[i], py.header + 8, py_address(py.code_type), 8);
		contradicted("do not hold code objects");
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
			begin(v, codes);
			forge_put((void *)(uintptr_t)codes[0], parts[i], 0, 8);
			contradicted("names and line tables");
			forge_put((void *)(uintptr_t)codes[0], parts[i], codes[1], 8);
			contradicted("names and line tables");
			forge_put((void *)(uintptr_t)codes[0], parts[i], 8, 8);
			contradicted("names and line tables");
		}
		begin(v, codes);
		forge_put((void *)(uintptr_t)codes[0], py.l.code_filename, py_bytes("x", 1), 8);
		if (!l->str_implied) /* in 2.7 that is a name */
			contradicted("names and line tables");
		forge_put((void *)(uintptr_t)codes[0], py.l.code_linetable,
			  py.l.str_implied ? 8 : py_string("x"), 8);
		contradicted("names and line tables");
		begin(v, codes);
		py_move(&py.threads[0], codes[2], py.l.frame_lasti ? 1 << 26 : 1001);
		contradicted("bytecode");
		py_move(&py.threads[0], codes[2], -2);
		contradicted("bytecode");
	}
}

/*
 * Each offset that is used set to what it is not: refused, or without a frame to judge by, and nothing
 * crashes.
 */
TEST(damaged_layouts)
{
#define U16(member) { #member, offsetof(struct layout, member), 2 }
#define U8(member) { #member, offsetof(struct layout, member), 1 }
	static const struct {
		const char *name;
		size_t offset, size;
	} members[] = {
		U16(tstate_interp), U16(tstate_frame),	 U16(tstate_thread_id), U16(code_filename),
		U16(code_linetable), U16(str_length),	 U16(str_state),	U16(bytes_size),
		U16(interp_threads), U16(runtime_interpreters), U8(frame_code), U8(frame_previous),
		U8(frame_instr),
	};
	static const __u64 values[] = { 0, 1, 3, 1 << 15, 0xffff };
	__u64 codes[3];

	for (int v = 0; v < layout_count; v++) {
		for (size_t m = 0; m < ARRAY_SIZE(members); m++) {
			/* 0 there says that there is no list of interpreters. */
			const bool zero_is_fine =
				members[m].offset == offsetof(struct layout, runtime_interpreters);

			for (size_t i = zero_is_fine; i < ARRAY_SIZE(values); i++) {
				struct layout good;
				int result;

				begin(v, codes);
				good = py.l;
				/*
				 * Words of frames are aligned, and in what is read, in every layout that
				 * there is.
				 */
				forge_put(&py.l, members[m].offset,
					  members[m].size == 1 ? values[i] & 0x48 : values[i],
					  members[m].size);
				/* Up to 3.10 f_lasti may be any number, and f_back NULL. */
				if (good.frame_lasti &&
				    (members[m].offset == offsetof(struct layout, frame_instr) ||
				     members[m].offset == offsetof(struct layout, frame_previous)))
					continue;
				/*
				 * The words of 2.7's strings that are not text hold nothing that is asked
				 * for.
				 */
				if (good.str_implied &&
				    members[m].offset == offsetof(struct layout, str_state))
					continue;
				result = memcmp(&good, &py.l, sizeof(good)) ? prove() : PROOF_NOT_YET;
				if (result == PROOF_HOLDS)
					fail_msg("%u.%u%s with %s = %llu", good.version >> 24,
						 good.version >> 16 & 0xff, good.free_threaded ? "t" : "",
						 members[m].name, (unsigned long long)values[i]);
			}
		}
	}
}

/*
 * Many threads whose frames lead from one end of memory to the other and back: it ends, in less than the
 * worker has.
 */
TEST(rings)
{
	struct timespec begin, end;
	__u64 code;

	for (int v = 0; v < layout_count; v++) {
		py_begin_layout(&layouts[v]);
		code = py_code("ring");
		for (int i = 0; i < 200; i++) {
			struct py_thread *t = py_start_thread(0); /* which is no thread's id */
			__u64 first;

			py_push(t, code, 3);
			first = t->leaf;
			py_push_generator(t, code, 5);
			forge_put((void *)(uintptr_t)first, py.l.frame_previous, t->leaf, 8);
		}
		clock_gettime(CLOCK_MONOTONIC, &begin);
		assert_int_equal(prove(), -EPROTO);
		clock_gettime(CLOCK_MONOTONIC, &end);
		if (end.tv_sec - begin.tv_sec > 5)
			fail_msg("%ld s", (long)(end.tv_sec - begin.tv_sec));
	}
}

TEST(process_that_is_gone)
{
	__u64 codes[3];
	pid_t child;

	begin(0, codes);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(proof_of_layout(child, &py.l, py_address(py.runtime), &reason), -ESRCH);
}

AROUND_ALL(list_layouts, NULL);

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_copies.h - tests of the driven sampler: free-threaded 3.14 and 3.15 give each thread a copy of the
 * bytecode it runs, and a frame says which one it runs (internal/pycore_code.h: co_tlbc). On synthetic memory
 * only: no such build could be had.
 */
#include "tests/unit/driven/driven_usual.h"

static const __u32 with_copies[] = { FORGE_THREADED | 0x030e, FORGE_THREADED | 0x030f };

#define COPIES	3
#define NO_UNIT "1048574" /* INSTR_UNKNOWN - 1 */

/* A code object whose bytecode has as many copies, the first of them its own. Returns their table. */
static __u64 *code_with_copies(const char *name, __u64 *ret_code)
{
	__u64 *table = py_pages((COPIES + 1) * sizeof(__u64));

	*ret_code = py_code(name);
	table[0] = COPIES;
	table[1] = *ret_code + py.l.code_bytecode;
	for (int i = 1; i < COPIES; i++)
		table[1 + i] = py_address(py_object(2000));
	forge_put((void *)*ret_code, py.l.code_tlbc, py_address(table), 8);
	return table;
}

/* The newest frame stands in a copy. */
static void stand_in(struct py_thread *t, __s32 index, __u64 copy, __u32 unit)
{
	forge_put((void *)t->leaf, py.l.frame_tlbc_index, (__u32)index, 4);
	forge_put((void *)t->leaf, py.l.frame_instr, copy + 2 * unit, 8);
}

static struct py_thread *forge_copies(__u32 minor, __u64 **ret_table, __u64 *ret_code)
{
	struct py_thread *t = py_begin_with_thread(minor);

	*ret_table = code_with_copies("work", ret_code);
	py_push(t, py_code("main"), 3);
	py_push(t, *ret_code, 5);
	py_push(t, *ret_code, 0);
	stand_in(t, 1, (*ret_table)[2], 7);
	py_push(t, *ret_code, 0);
	stand_in(t, 2, (*ret_table)[3], 999);
	driven_watch();
	return t;
}

static void test_copies_of_bytecode(void **state)
{
	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(with_copies); v++) {
		__u64 *table, code;
		struct py_thread *t = forge_copies(with_copies[v], &table, &code);

		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("main:3;work:5;work:7;work:999");
		stand_in(t, 2, table[3], 0);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;work:5;work:7;work:0");
	}
}

/* The function stays right; of the line nothing is said. */
static void test_copies_that_lie(void **state)
{
	static const __s32 indices[] = { -1, COPIES, 65536, 0x7fffffff, -0x7fffffff - 1, 1 };

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(with_copies); v++) {
		const __u64 tables[] = { 0, 1, 8, 1ULL << 47, ~7ULL, 0x1000 };
		__u64 *table, code;
		struct py_thread *t;

		for (size_t i = 0; i < ARRAY_SIZE(indices); i++) {
			t = forge_copies(with_copies[v], &table, &code);
			stand_in(t, indices[i], table[3], 999);
			assert_int_equal(drive(), OUTCOME_WHOLE);
			driven_path_is("main:3;work:5;work:7;work:" NO_UNIT);
		}
		for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
			forge_copies(with_copies[v], &table, &code);
			forge_put((void *)code, py.l.code_tlbc, tables[i], 8);
			assert_int_equal(drive(), OUTCOME_WHOLE);
			driven_path_is("main:3;work:5;work:" NO_UNIT ";work:" NO_UNIT);
		}
		forge_copies(with_copies[v], &table, &code);
		py_protect(table, PY_PAGE, PROT_NONE);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("main:3;work:5;work:" NO_UNIT ";work:" NO_UNIT);
	}
}

/* Another thread's copy took the place of one: the count that says so makes cached callers read again. */
static void test_copies_change_hands(void **state)
{
	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(with_copies); v++) {
		__u64 *table, code;
		struct py_thread *t = forge_copies(with_copies[v], &table, &code);

		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_path_is("main:3;work:5;work:7;work:999");
		table[2] -= 2 * 4;
		forge_put(py.interp, py.l.interp_tlbc_generation, 1, 4);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;work:5;work:11;work:999");
		assert_int_equal(t->depth, 4);
	}
}

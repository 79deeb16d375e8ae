/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_usual.h - the stack that most tests of the driven sampler begin with, and what its records must
 * hold.
 */
#ifndef PYPERF_TESTS_DRIVEN_USUAL_H
#define PYPERF_TESTS_DRIVEN_USUAL_H

#include "tests/forge/driven.h"

/* main() at unit 3 calls work() at unit 7, which calls a leaf that has not begun. */
static inline struct py_thread *forge_usual(__u32 minor, __u64 ret_codes[3])
{
	struct py_thread *t = py_begin_with_thread(minor);

	ret_codes[0] = py_code("main");
	ret_codes[1] = py_code("App.work");
	ret_codes[2] = py_code("<lambda>");
	py_push(t, ret_codes[0], 3);
	py_push(t, ret_codes[1], 7);
	py_push(t, ret_codes[2], -1);
	driven_watch();
	return t;
}

#define USUAL "main:3;App.work:7;<lambda>:-1"

static inline void record_is(__u64 address, const char *name, __s32 first_line)
{
	const struct record_code *e = driven_record(address);

	assert_non_null(e);
	assert_int_equal(e->process, DRIVEN_ID);
	assert_int_equal(e->pid, getpid());
	assert_int_equal(e->first_line, first_line);
	assert_int_equal(e->name.flags | e->file.flags | e->table.flags, 0);
	assert_int_equal(e->name.bytes, strlen(name));
	assert_memory_equal(e->data, name, strlen(name));
	assert_int_equal(e->file.bytes, strlen("/srv/app.py"));
	assert_memory_equal(e->data + e->name.bytes, "/srv/app.py", e->file.bytes);
	assert_int_equal(e->table.bytes, sizeof(py_table));
	assert_memory_equal(e->data + e->name.bytes + e->file.bytes, py_table, sizeof(py_table));
	assert_true(e->fingerprint & 1);
	assert_int_equal(driven.codes[e->code].key, code_key(DRIVEN_ID, address));
}

#endif

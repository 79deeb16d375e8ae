// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_known_programs.c - the kernel side's table of programs with a known layout: what comes in, goes again,
 * and is forgotten with its layout.
 */
#include "tests/unit/kern/open_kernel.h"

#include "kern/known_programs.h"
#include "kern/object.h"
#include "pyperf.skel.h"

static const struct program_file one = { .inode = 1 }, two = { .inode = 2 }, three = { .inode = 3 };

static bool has(const struct program_file *file, struct known_program *ret)
{
	return !bpf_map__lookup_elem(kernel->skel->maps.known_programs, file, sizeof(*file), ret,
				     sizeof(*ret), 0);
}

AROUND_EACH(NULL, teardown);

TEST(comes_and_goes)
{
	struct known_program p = { .runtime = -5, .layout = 3 };

	kernel = open_kernel(selected);
	assert_int_equal(kernel_know_program(kernel, &one, &p), 0);
	p.layout = 4;
	assert_int_equal(kernel_know_program(kernel, &one, &p), 0); /* changed */
	assert_true(has(&one, &p));
	assert_int_equal(p.runtime, -5);
	assert_int_equal(p.layout, 4);
	kernel_forget_program(kernel, &one);
	assert_false(has(&one, &p));
}

TEST(full)
{
	struct known_program p = { .layout = 3 };
	struct program_file file = { .inode = 1 };

	kernel = open_kernel(selected);
	for (; file.inode <= KNOWN_PROGRAMS; file.inode++)
		assert_int_equal(kernel_know_program(kernel, &file, &p), 0);
	assert_int_equal(kernel_know_program(kernel, &file, &p), -E2BIG);
	known_programs_forget_layout(&kernel->side.known_programs, 3);
	assert_false(has(&one, &p));
	assert_int_equal(kernel_know_program(kernel, &file, &p), 0);
}

TEST(goes_with_its_layout)
{
	const struct known_program a = { .layout = 3 }, b = { .layout = 4 };
	struct known_program p;

	kernel = open_kernel(selected);
	assert_int_equal(kernel_know_program(kernel, &one, &a), 0);
	assert_int_equal(kernel_know_program(kernel, &two, &b), 0);
	assert_int_equal(kernel_know_program(kernel, &three, &a), 0);
	known_programs_forget_layout(&kernel->side.known_programs, 3);
	assert_false(has(&one, &p));
	assert_true(has(&two, &p));
	assert_false(has(&three, &p));
}

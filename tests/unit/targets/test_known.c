// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_known.c - files in which a layout was proved: which ones are, what is known of a process of theirs,
 * and when that still holds once the worker has looked at it.
 */
#include <sys/sysmacros.h>

#include "tests/unit/targets/parts.h"

#include "kern/known_programs.h"
#include "targets/known.h"

#define MAJOR 254
#define MINOR 7

static struct known known;
static const struct program_file program = {
	.inode = 42, .changed_ns = 1, .size = 100, .device = MAJOR << 20 | MINOR,
};
static struct layout layout;

static int setup(void **state)
{
	known = (struct known){ 0 };
	layout = (struct layout){ .version = 0x030d00f0 };
	return open_parts(state);
}

static int teardown(void **state)
{
	known_free(&known);
	return close_parts(state);
}

static void begin(void)
{
	need_kernel();
	known.kernel = kernel;
}

/* Of a process whose runtime is in its program's own file. */
static struct identity own(void)
{
	return (struct identity){
		.verdict = VERDICT_PYTHON,
		.device = makedev(MAJOR, MINOR),
		.inode = 42,
		.from_code = 0x1000,
		.build_id = "abcd",
		.path = "/usr/bin/python3",
		.layout = layout,
	};
}

/* ... in a library that the program needs. */
static struct identity elsewhere(void)
{
	struct identity i = own();

	i.inode = 99;
	i.needs_device = makedev(MAJOR, MINOR);
	i.needs_inode = 42;
	return i;
}

static int record(const struct program_file *file, __u32 before, bool *ret_elsewhere)
{
	const struct record_known e = {
		.process = { .pid = 4000000, .start_time = 5, .comm = "python3", .file = *file },
		.id = 77, .before = before, .layout = 3,
	};

	*ret_elsewhere = false;
	return known_register(&known, registry, &e, ret_elsewhere);
}

AROUND_EACH(setup, teardown);
AROUND_ALL(NULL, close_kernel);

TEST(a_program_with_its_runtime)
{
	struct identity i = own();
	bool is_elsewhere;

	begin();
	assert_int_equal(record(&program, 0, &is_elsewhere), -ENOENT);
	known_learn(&known, &program, &i, 3);
	assert_int_equal(record(&program, 0, &is_elsewhere), 0);
	assert_false(is_elsewhere);
	assert_string_equal(registry_find(registry, 77)->binary, "/usr/bin/python3");
	assert_string_equal(registry_find(registry, 77)->build_id, "abcd");
	assert_string_equal(registry_find(registry, 77)->comm, "python3");
	assert_int_equal(registry_find(registry, 77)->layout, 3);
}

TEST(a_program_that_needs_a_library)
{
	struct identity i = elsewhere();
	bool is_elsewhere;

	begin();
	known_learn(&known, &program, &i, 3);
	assert_int_equal(record(&program, 0, &is_elsewhere), 0);
	assert_true(is_elsewhere);
}

TEST(none_is_known_any_more)
{
	struct identity i = own();
	bool is_elsewhere;

	begin();
	known_learn(&known, &program, &i, 3);
	known_forget(&known);
	assert_int_equal(known.count, 0);
	assert_int_equal(record(&program, 0, &is_elsewhere), -ENOENT);
	known_learn(&known, &program, &i, 3);
	assert_int_equal(record(&program, 0, &is_elsewhere), 0);
}

/* Each of these may be of another program than that which was asked about, or proves nothing. */
TEST(what_is_not_learned)
{
	struct program_file unknown = { .inode = 0 };
	struct identity i = own();
	bool is_elsewhere;

	begin();
	i.verdict = VERDICT_UNPROVED;
	known_learn(&known, &program, &i, 3);
	i = own();
	i.inode++;
	known_learn(&known, &program, &i, 3);
	i = own();
	i.device = makedev(MAJOR, MINOR + 1);
	known_learn(&known, &program, &i, 3);
	i = own();
	i.from_code = 0;
	known_learn(&known, &program, &i, 3);
	i = elsewhere();
	i.needs_inode = 43;
	known_learn(&known, &program, &i, 3);
	assert_int_equal(record(&program, 0, &is_elsewhere), -ENOENT);
	i = own();
	i.inode = 0;
	known_learn(&known, &unknown, &i, 3);
	assert_int_equal(known.count, 0);
}

/* It was written to: nothing is known of it any more. */
TEST(another_state_of_the_file)
{
	struct program_file changed = program;
	struct identity i = own();
	bool is_elsewhere;

	begin();
	known_learn(&known, &program, &i, 3);
	changed.changed_ns++;
	assert_int_equal(record(&changed, 0, &is_elsewhere), -ENOENT);
}

TEST(an_exec_stays_in_its_container)
{
	struct registry_entry shell = {
		.id = 5, .pid = 4000000, .binary = "", .build_id = "", .layout = -1,
		.label[LABEL_pod] = "shop",
	};
	struct identity i = own();
	bool is_elsewhere;

	begin();
	assert_int_equal(registry_add(registry, &shell), 0);
	known_learn(&known, &program, &i, 3);
	assert_int_equal(record(&program, 5, &is_elsewhere), 0);
	assert_string_equal(registry_find(registry, 77)->label[LABEL_pod], "shop");
}

TEST(the_oldest_makes_room)
{
	struct identity i = own();
	bool is_elsewhere;

	begin();
	for (__u64 n = 0; n <= KNOWN_PROGRAMS; n++) {
		struct program_file file = program;

		file.changed_ns = n;
		known_learn(&known, &file, &i, 3);
		known_learn(&known, &file, &i, 3); /* again */
		assert_int_equal(record(&file, 0, &is_elsewhere), 0);
	}
	assert_int_equal(known.count, KNOWN_PROGRAMS);
	assert_int_equal(record(&(struct program_file){ 42, 0, 100, MAJOR << 20 | MINOR, 0 }, 0,
				&is_elsewhere), -ENOENT);
	assert_int_equal(record(&program, 0, &is_elsewhere), 0);
}

/* The worker found it where the kernel side has it, with the same layout, but without a frame so far. */
TEST(what_holds)
{
	struct record_process p = { .pid = 4000000, .start_time = 5, .exec_id = 2, .file = program };
	struct process now = { .start_time = 5, .exec_id = 2, .state = PROCESS_PYTHON, .runtime = 0x7000 };
	struct identity i = own();

	begin();
	now.layout = kernel_add_layout(kernel, &layout, 1);
	known_learn(&known, &program, &i, now.layout);
	i.verdict = VERDICT_UNPROVED;
	i.runtime = 0x7000;
	assert_false(known_holds(&known, &p, &i)); /* the kernel side does not have it */
	assert_int_equal(kernel_set_process(kernel, p.pid, &now), 0);
	assert_true(known_holds(&known, &p, &i));
	i.runtime++;
	assert_false(known_holds(&known, &p, &i));
	i.runtime--;
	i.layout.version++;
	assert_false(known_holds(&known, &p, &i));
	i.layout.version--;
	p.exec_id++;
	assert_false(known_holds(&known, &p, &i));
}

TEST(what_holds_of_a_library)
{
	struct record_process p = { .pid = 4000000, .start_time = 5, .exec_id = 2, .file = program };
	struct process now = { .start_time = 5, .exec_id = 2, .state = PROCESS_PYTHON };
	struct identity i = elsewhere();

	begin();
	now.layout = kernel_add_layout(kernel, &layout, 1);
	known_learn(&known, &program, &i, now.layout);
	assert_int_equal(kernel_set_process(kernel, p.pid, &now), 0);
	i.verdict = VERDICT_UNPROVED;
	i.runtime = 0x7000;
	assert_true(known_holds(&known, &p, &i));
	i.inode++; /* another libpython */
	assert_false(known_holds(&known, &p, &i));
	i.inode--;
	i.build_id[0]++;
	assert_false(known_holds(&known, &p, &i));
}

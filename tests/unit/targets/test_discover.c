// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_discover.c - the whole of discovery: the kernel side's records go in, a real worker looks at real
 * processes, and what it says reaches the subject that asked.
 */
#include "tests/unit/targets/discovering.h"

#include "proc/procfs.h"
#include "targets/discover.h"

static int states; /* bits by enum process_state */

static int note_state(void *pid, const struct registry_entry *e)
{
	if (e->pid == *(__u32 *)pid)
		states |= 1 << (e->layout >= 0 ? PROCESS_PYTHON : PROCESS_NO_LAYOUT);
	return 0;
}

static void record_of_a_process(void **state)
{
	struct record_process p;

	(void)state;
	begin();
	assert_int_equal(discover_verdict(discover, getpid()), 0);
	p = process_of(getpid());
	p.type = RECORD_PROCESS;
	assert_int_equal(discover_record(discover, &p, sizeof(p)), 0);
	assert_int_equal(discover_pending(discover), 1);
	take_replies();
	assert_int_equal(discover_verdict(discover, getpid()), PROCESS_NOT_PYTHON);
}

static void interpreter(void **state)
{
	__u32 pid;

	(void)state;
	begin();
	pid = start_interpreter();
	registry_each(registry, note_state, &pid);
	assert_int_equal(states, 1 << PROCESS_PYTHON);
	assert_non_null(strstr(registry_after(registry, 0)->binary, "python3"));
	/* Where it is, is asked again. */
	discover_second(discover);
	assert_int_equal(discover_pending(discover), 1);
	take_replies();
	assert_int_equal(discover_verdict(discover, pid), PROCESS_PYTHON);
}

static void wanted(void **state)
{
	struct record_process p;
	struct process known;

	(void)state;
	begin();
	p = process_of(start_child(NULL));
	assert_int_equal(discover_want(discover, &p), 0);
	assert_int_equal(kernel_get_process(kernel, p.pid, &known), 0);
	assert_int_equal(known.state, PROCESS_WANTED);
	assert_int_equal(known.start_time, p.start_time);
	assert_int_equal(known.exec_id, p.exec_id);
	assert_int_not_equal(known.id, 0);
	assert_int_equal(discover_pending(discover), 0);
	assert_int_equal(discover_verdict(discover, p.pid), 0);
}

static void fork_and_exit(void **state)
{
	struct registry_entry parent = { .id = 70, .pid = 4000000, .layout = 0, .comm = "parent" };
	struct record_fork f = { RECORD_FORK, 4000001, 5, 1, 71, 70, "child" };
	struct record_exit e = { RECORD_EXIT, 4000001, 71, 0 };

	(void)state;
	begin();
	assert_int_equal(registry_add(registry, &parent), 0);
	assert_int_equal(discover_record(discover, &f, sizeof(f)), 0);
	assert_int_equal(discover_verdict(discover, f.pid), PROCESS_PYTHON);
	assert_int_equal(discover_record(discover, &e, sizeof(e)), 0);
	assert_int_equal(discover_verdict(discover, f.pid), 0);
	assert_true(registry_find(registry, 71)->ended);
	assert_false(registry_find(registry, 70)->ended);
}

/*
 * A code object that could not be read in the kernel: nor can the worker, there is nothing at that address.
 */
static void code_object(void **state)
{
	struct registry_entry self = { .id = 70, .pid = getpid() };
	struct record_code c = { .type = RECORD_CODE, .code = CODE_FIRST, .process = 70, .pid = getpid() };
	struct code_line l;
	__u64 ticks;

	(void)state;
	begin();
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	self.start_time = ticks * (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
	self.layout = kernel_add_layout(kernel, &layout_find(0x030d00f0)->layout);
	assert_true(self.layout >= 0);
	assert_int_equal(registry_add(registry, &self), 0);
	c.name.flags = c.file.flags = c.table.flags = PART_FAULT;
	assert_int_equal(discover_record(discover, &c, offsetof(struct record_code, data)), 0);
	assert_int_equal(discover_pending(discover), 1);
	discover_forget_codes(discover, (struct kernel_range){ CODE_FIRST, CODE_FIRST + 1 });
	take_replies();
	codes_resolve(codes, CODE_FIRST, 0, &l);
	assert_string_not_equal(l.function, "[unknown code]"); /* it is held, without a name */
}

static void records_cut_short(void **state)
{
	static const size_t sizes[] = { 0, sizeof(struct record_process), sizeof(struct record_code),
					sizeof(struct record_fork), sizeof(struct record_exit),
					sizeof(struct record_native), 64 };
	_cleanup_free_ struct record_code *c = calloc(1, sizeof(*c));
	struct registry_entry zero = { .pid = 77 }; /* of the number that is in all of the records */

	(void)state;
	assert_non_null(c);
	begin();
	assert_int_equal(registry_add(registry, &zero), 0);
	for (__u32 type = 0; type < ARRAY_SIZE(sizes); type++) {
		c->type = type;
		for (size_t size = 0; size < sizes[type]; size++)
			assert_int_equal(discover_record(discover, c, size), 0);
		assert_int_equal(discover_pending(discover), 0);
		assert_int_equal(registry_find(registry, 0)->pid, 77);
		assert_false(registry_find(registry, 0)->ended);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_parts, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(record_of_a_process),
		TEST(interpreter),
		TEST(wanted),
		TEST(fork_and_exit),
		TEST(code_object),
		TEST(records_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, close_kernel);
}

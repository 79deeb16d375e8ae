// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sandbox.c - what a worker may not do fails there, and a parser may do even less. Each system call is
 * made twice, each time in a child with a worker's capabilities: without the sandbox, where it must get as
 * far as something other than EPERM, and within. That what they need works is for test_worker.c to show, and
 * for test_parser_child.c.
 */
#include "tests/forge/test.h"
#include "tests/unit/guard/mighty_calls.h"

static const struct call calls[] = {
	CALL(trace_me),
	CALL(trace_parent),
	CALL(write_to_a_process),
	CALL(unix_socket),
	CALL(tcp_socket),
	MADE_BY_ZYGOTE(two_sockets),
	CALL(execute),
	CALL(execute_at),
	CALL(bpf),
	CALL(perf_event),
	CALL(open_to_write),
	CALL(open_to_read_and_write),
	CALL(open_to_create),
	CALL(open_to_truncate),
	CALL(open_differently),
	CALL(rename_a_file),
	CALL(remove_a_file),
	CALL(write_to_a_file),
	CALL(write_at_a_place),
	CALL(send_elsewhere),
	MADE_BY_ZYGOTE(another_process),
	CALL(another_thread),
	CALL(newer_clone),
	CALL(name_spaces),
	CALL(signal_a_process),
	CALL(signal_a_thread),
	MADE_BY_ZYGOTE(signal_by_descriptor),
	CALL(take_a_descriptor),
	CALL(executable_memory),
	CALL(made_executable),
	MADE_BY_ZYGOTE(limits),
	MADE_BY_ZYGOTE(own_settings),
	MADE_BY_ZYGOTE(capabilities),
	CALL(device),
	CALL(ring),
	CALL(keys),
};

/* A worker may make these, and a parser may not. */
static const struct call reading[] = {
	CALL(open_to_read),
	CALL(read_where_it_stands),
	CALL(read_a_process),
	CALL(look_at_a_path),
	CALL(ask_for_a_mount),
	CALL(list_a_folder),
	CALL(ask_on_another_socket),
	CALL(take_from_another_socket),
	CALL(write_a_table),
	CALL(sleep_a_little),
};

TEST(forbidden)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		is_forbidden(&calls[i], SANDBOX_WORKER);
}

TEST(forbidden_to_the_parser)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		is_forbidden(&calls[i], SANDBOX_PARSER);
	for (size_t i = 0; i < ARRAY_SIZE(reading); i++) {
		is_forbidden(&reading[i], SANDBOX_PARSER);
		assert_int_not_equal(errno_of(&reading[i], SANDBOX_WORKER), EPERM);
	}
}

/* The zygote has a worker's list and what it takes to make one, and nothing else. */
TEST(forbidden_to_the_zygote)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		int within = errno_of(&calls[i], SANDBOX_ZYGOTE);

		if ((within == EPERM) == calls[i].zygote)
			fail_msg("%s: %s", calls[i].name, strerror(within));
	}
}

/*
 * A worker that may not look at everybody keeps all that there is (isolate.c), and so does its zygote. The
 * lists leave them no use for it, and they can still read.
 */
TEST(forbidden_to_the_mighty)
{
	const __u64 before = kept;

	kept = ~PRIVILEGE(CAP_SYS_PTRACE);
	for (size_t i = 0; i < ARRAY_SIZE(mighty); i++) {
		is_forbidden(&mighty[i], SANDBOX_WORKER);
		is_forbidden(&mighty[i], SANDBOX_ZYGOTE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		is_forbidden(&calls[i], SANDBOX_WORKER);
	for (size_t i = 0; i < ARRAY_SIZE(reading); i++)
		assert_int_not_equal(errno_of(&reading[i], SANDBOX_WORKER), EPERM);
	kept = before;
}

/* A list is a limit, and a longer one that comes later takes nothing of it back. */
TEST(no_way_back)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (privileges_keep(0) || sandbox_enter(SANDBOX_WORKER))
			_exit(1);
		_exit(sandbox_enter(SANDBOX_ZYGOTE) == -EPERM ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Without no_new_privs only the mighty may, and a worker is not to rely on being that. */
TEST(not_without_no_new_privs)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (privileges_use(0))
			_exit(1);
		_exit(sandbox_enter(SANDBOX_WORKER) == -EACCES ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profiler_rules.c - what the profiler itself may not do from the first sample on, and what it must be
 * able to do, in each of its threads. That a run works by this list is for the end-to-end tests to show.
 */
#include "tests/forge/test.h"
#include "tests/unit/guard/calls.h"

static long listen_elsewhere(void)
{
	return listen(99, 1);
}

static long load_a_program(void)
{
	union bpf_attr attr = {};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static long make_a_map(void)
{
	union bpf_attr attr = {};

	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static long change_the_owner(void)
{
	return fchownat(AT_FDCWD, "/nonexistent/a", 1, 1, 0);
}

static long change_the_user(void)
{
	return setresuid(-1, -1, -1);
}

static long own_memory_executable(void)
{
	return (long)mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long stop_a_process(void)
{
	return syscall(SYS_kill, 0x7ffffff0, SIGSTOP);
}

static long write_to_the_terminal(void)
{
	return syscall(SYS_ioctl, 99, TIOCSTI, NULL);
}

/* The profiler has files, the network and the maps that are there, and none of these. */
static const struct call forbidden_here[] = {
	CALL(trace_me),		 CALL(trace_parent),	    CALL(write_to_a_process),
	CALL(read_a_process),	 CALL(execute),		    CALL(execute_at),
	CALL(bpf),		 CALL(load_a_program),	    CALL(make_a_map),
	CALL(open_differently),	 CALL(name_spaces),	    CALL(take_a_descriptor),
	CALL(made_executable),	 CALL(own_memory_executable), CALL(ring),
	CALL(keys),		 CALL(listen_elsewhere),    CALL(change_the_owner),
	CALL(change_the_user),	 CALL(stop_a_process),	    CALL(write_to_the_terminal),
};

/* What it needs all the time, and what its threads need. */
static const struct call allowed_here[] = {
	CALL(tcp_socket),	CALL(two_sockets),    CALL(open_to_create), CALL(rename_a_file),
	CALL(remove_a_file),	CALL(write_to_a_file), CALL(another_process), CALL(list_a_folder),
	CALL(signal_by_descriptor), CALL(limits),	 CALL(sleep_a_little),
};

TEST(forbidden_to_the_profiler)
{
	const struct call newer = CALL(newer_clone);

	for (size_t i = 0; i < ARRAY_SIZE(forbidden_here); i++)
		is_forbidden(&forbidden_here[i], SANDBOX_PROFILER);
	for (size_t i = 0; i < ARRAY_SIZE(allowed_here); i++)
		if (errno_of(&allowed_here[i], SANDBOX_PROFILER) == EPERM)
			fail_msg("%s is refused", allowed_here[i].name);
	/* So the C library makes its threads by clone(), of which the flags can be seen. */
	assert_int_equal(errno_of(&newer, SANDBOX_PROFILER), ENOSYS);
}

static void *in_thread(void *pipes)
{
	const int *fds = pipes;
	char byte;

	/* It is there before the list is, and asks when it has come. */
	if (read(fds[0], &byte, 1) != 1)
		return NULL;
	errno = 0;
	return (void *)(intptr_t)(execute() < 0 ? errno : 0);
}

TEST(list_of_all_threads)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		pthread_t thread;
		void *result = NULL;
		int fds[2];

		if (pipe(fds) || pthread_create(&thread, NULL, in_thread, fds) || privileges_keep(0) ||
		    sandbox_enter(SANDBOX_PROFILER) || write(fds[1], "", 1) != 1 ||
		    pthread_join(thread, &result))
			_exit(255);
		_exit((intptr_t)result);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EPERM);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls.h - system calls for the tests of lists: each is made in a child of its own, without a list and
 * within one. A test uses some of them.
 */
#ifndef PYPERF_TESTS_CALLS_H
#define PYPERF_TESTS_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/privileges.h"
#include "guard/sandbox.h"
#include "tests/forge/test.h"

#pragma GCC diagnostic ignored "-Wunused-function"

static long trace_me(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long trace_parent(void)
{
	return ptrace(PTRACE_PEEKDATA, getppid(), NULL, NULL);
}

static long write_to_a_process(void)
{
	char from = 1, to = 0;
	struct iovec local = { &from, 1 }, remote = { &to, 1 };

	return process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
}

static long unix_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static long tcp_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static long two_sockets(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

static long execute(void)
{
	char *const none[] = { NULL };

	return execve("/nonexistent", none, none);
}

static long execute_at(void)
{
	return syscall(SYS_execveat, AT_FDCWD, "/nonexistent", NULL, NULL, 0);
}

static long bpf(void)
{
	union bpf_attr attr = {};

	return syscall(SYS_bpf, 9999, &attr, sizeof(attr)); /* no such command: EINVAL, whoever asks */
}

static long perf_event(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, 0, -1, 0);
}

static long open_to_write(void)
{
	return open("/dev/null", O_WRONLY);
}

static long open_to_read_and_write(void)
{
	return open("/dev/null", O_RDWR);
}

static long open_to_create(void)
{
	return open("/dev/null", O_RDONLY | O_CREAT, 0600);
}

static long open_to_truncate(void)
{
	return open("/dev/null", O_RDONLY | O_TRUNC);
}

static long open_differently(void)
{
	return syscall(SYS_openat2, AT_FDCWD, "/dev/null", NULL, 0);
}

static long rename_a_file(void)
{
	return renameat(AT_FDCWD, "/nonexistent/a", AT_FDCWD, "/nonexistent/b");
}

static long remove_a_file(void)
{
	return unlinkat(AT_FDCWD, "/nonexistent/a", 0);
}

static long write_to_a_file(void)
{
	return write(2, "", 0);
}

static long write_at_a_place(void)
{
	return pwrite(99, "", 1, 0); /* not the table */
}

static long send_elsewhere(void)
{
	return send(99, "", 1, 0); /* not the socket */
}

static long another_process(void)
{
	long pid = fork();

	if (!pid)
		_exit(0);
	return pid;
}

static long another_thread(void)
{
	return syscall(SYS_clone, CLONE_THREAD, NULL, NULL, NULL, NULL); /* EINVAL: not without CLONE_VM */
}

static long newer_clone(void)
{
	return syscall(SYS_clone3, NULL, 0);
}

static long name_spaces(void)
{
	return unshare(0);
}

static long signal_a_process(void)
{
	return kill(getppid(), 0);
}

static long signal_a_thread(void)
{
	return syscall(SYS_tgkill, getppid(), getppid(), 0);
}

static long signal_by_descriptor(void)
{
	return syscall(SYS_pidfd_send_signal, 99, 0, NULL, 0);
}

static long take_a_descriptor(void)
{
	return syscall(SYS_pidfd_getfd, 99, 0, 0);
}

static long executable_memory(void)
{
	return (long)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long made_executable(void)
{
	static char page[8192];

	return mprotect((void *)(((uintptr_t)page + 4095) & ~4095UL), 4096, PROT_READ | PROT_EXEC);
}

static long limits(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_CORE, &limit);
}

static long own_settings(void)
{
	return prctl(PR_GET_NAME, (char[16]){ 0 }, 0, 0, 0);
}

static long capabilities(void)
{
	__u64 now;
	int err = privileges_get(&now);

	errno = -err;
	return err ? -1 : 0;
}

static long device(void)
{
	return syscall(SYS_ioctl, 99, 0, NULL);
}

static long ring(void)
{
	return syscall(SYS_io_uring_setup, 0, NULL);
}

static long keys(void)
{
	return syscall(SYS_add_key, NULL, NULL, NULL, 0, 0);
}

static long open_to_read(void)
{
	return open("/dev/null", O_RDONLY);
}

static long read_where_it_stands(void)
{
	return read(99, (char[1]){ 0 }, 1);
}

static long read_a_process(void)
{
	char from = 1, to = 0;
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

static long look_at_a_path(void)
{
	struct stat stat;

	return fstatat(AT_FDCWD, "/dev/null", &stat, 0);
}

static long ask_for_a_mount(void)
{
	struct statx stat;

	return statx(AT_FDCWD, "/dev/null", 0, STATX_MNT_ID, &stat);
}

static long list_a_folder(void)
{
	return syscall(SYS_getdents64, 99, NULL, 0);
}

static long ask_on_another_socket(void)
{
	struct msghdr message = { 0 };

	return sendmsg(5, &message, 0);
}

static long take_from_another_socket(void)
{
	return recv(5, (char[1]){ 0 }, 1, 0);
}

static long write_a_table(void)
{
	return pwrite(4, "", 1, 0);
}

static long sleep_a_little(void)
{
	return usleep(1);
}

#define CALL(function) { #function, function, false }
#define MADE_BY_ZYGOTE(function) { #function, function, true }

struct call {
	const char *name;
	long (*make)(void);
	bool zygote; /* may make it: to fork and end workers, and for what they give up */
};

#define NONE ((enum sandbox)-1)

/* With which capabilities calls are made: a worker's. */
static __u64 kept = PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH);

/* The errno of a call in a child of its own, 0 if it succeeded. */
static int errno_of(const struct call *call, enum sandbox sandbox)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		if (privileges_keep(kept) || (sandbox != NONE && sandbox_enter(sandbox)))
			_exit(255);
		errno = 0;
		_exit(call->make() < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void is_forbidden(const struct call *call, enum sandbox sandbox)
{
	int without = errno_of(call, NONE), within = errno_of(call, sandbox);

	if (without == EPERM)
		print_message("SKIP: %s is refused here without the sandbox too\n", call->name);
	assert_int_not_equal(without, 255);
	if (within != EPERM)
		fail_msg("%s: %s", call->name, strerror(within));
}

#endif

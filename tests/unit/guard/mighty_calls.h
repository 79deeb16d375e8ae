/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mighty_calls.h - calls for which the capabilities are there that a worker is left with where it has no
 * CAP_SYS_PTRACE. Each is made so that it changes nothing even where it is allowed: with an argument that
 * cannot be right, or to what is there already.
 */
#ifndef PYPERF_TESTS_MIGHTY_CALLS_H
#define PYPERF_TESTS_MIGHTY_CALLS_H

#include <sched.h>
#include <sys/fanotify.h>
#include <sys/mount.h>
#include <time.h>

#include "tests/unit/guard/calls.h"

static long mount_something(void)
{
	return mount("none", "/nonexistent", "tmpfs", 0, NULL);
}

static long unmount_something(void)
{
	return umount2("/nonexistent", 0);
}

static long open_a_mount(void)
{
	return syscall(SYS_open_tree, -1, "", ~0U);
}

static long enter_a_name_space(void)
{
	return setns(-1, 0);
}

static long another_root(void)
{
	return chroot("/nonexistent");
}

static long load_a_module(void)
{
	return syscall(SYS_init_module, NULL, 0, "");
}

static long load_a_module_of_a_file(void)
{
	return syscall(SYS_finit_module, -1, "", 0);
}

static long remove_a_module(void)
{
	return syscall(SYS_delete_module, "pyperf-nonexistent", O_NONBLOCK);
}

static long another_kernel(void)
{
	return syscall(SYS_kexec_load, 0, 99, NULL, ~0UL);
}

static long end_the_machine(void)
{
	return syscall(SYS_reboot, 0, 0, 0, NULL); /* without its magic numbers: EINVAL */
}

static long swap_somewhere(void)
{
	return syscall(SYS_swapon, "/nonexistent", 0);
}

static long host_name(void)
{
	return syscall(SYS_sethostname, "", -1);
}

static long set_the_clock(void)
{
	return clock_settime(CLOCK_MONOTONIC, &(struct timespec){ 0 }); /* which nobody may set: EINVAL */
}

static long wake_the_machine(void)
{
	return syscall(SYS_clock_nanosleep, CLOCK_BOOTTIME_ALARM, 0, &(struct timespec){ 0, 1 }, NULL);
}

/* Of no bytes. */
static long poison_memory(void)
{
	static char page[8192];

	return madvise((void *)(((uintptr_t)page + 4095) & ~4095UL), 0, MADV_HWPOISON);
}

static long make_a_device(void)
{
	return mknodat(AT_FDCWD, "/nonexistent/a", S_IFCHR | 0600, 0);
}

static long give_a_file_away(void)
{
	return fchownat(AT_FDCWD, "/nonexistent/a", 0, 0, 0);
}

static long open_a_file_to_others(void)
{
	return fchmodat(AT_FDCWD, "/nonexistent/a", 0777, 0);
}

static long capabilities_of_a_file(void)
{
	return syscall(SYS_setxattr, "/nonexistent/a", "security.capability", "", 0, 0);
}

static long link_a_file(void)
{
	return linkat(AT_FDCWD, "/nonexistent/a", AT_FDCWD, "/nonexistent/b", 0);
}

static long another_user(void)
{
	return syscall(SYS_setresuid, -1, -1, -1);
}

static long another_group(void)
{
	return syscall(SYS_setgroups, -1, NULL);
}

static long open_by_handle(void)
{
	return syscall(SYS_open_by_handle_at, -1, NULL, 0);
}

static long watch_all_files(void)
{
	return syscall(SYS_fanotify_init, ~0U, 0);
}

static long read_the_log(void)
{
	return syscall(SYS_syslog, 99, NULL, 0);
}

static long account(void)
{
	return syscall(SYS_acct, "/nonexistent/a");
}

static long hold_memory(void)
{
	return mlock(NULL, 0);
}

static long real_time(void)
{
	return syscall(SYS_sched_setscheduler, 0, 99, NULL);
}

static long priority(void)
{
	return syscall(SYS_setpriority, 99, 0, 0);
}

static long limits_of_another(void)
{
	return syscall(SYS_prlimit64, getppid(), 99, NULL, NULL);
}

static long move_memory_of_another(void)
{
	return syscall(SYS_move_pages, getppid(), 0, NULL, NULL, NULL, ~0);
}

static const struct call mighty[] = {
	CALL(trace_parent),	CALL(write_to_a_process), CALL(bpf),		   CALL(perf_event),
	CALL(tcp_socket),	CALL(execute),		  CALL(signal_a_process),  CALL(take_a_descriptor),
	CALL(open_to_write),	CALL(device),		  CALL(name_spaces),	   CALL(mount_something),
	CALL(unmount_something), CALL(open_a_mount),	  CALL(enter_a_name_space), CALL(another_root),
	CALL(load_a_module),	CALL(load_a_module_of_a_file), CALL(remove_a_module), CALL(another_kernel),
	CALL(end_the_machine),	CALL(swap_somewhere),	  CALL(host_name),	   CALL(set_the_clock),
	CALL(wake_the_machine), CALL(poison_memory),	  CALL(make_a_device),	   CALL(give_a_file_away),
	CALL(open_a_file_to_others), CALL(capabilities_of_a_file), CALL(link_a_file), CALL(another_user),
	CALL(another_group),	CALL(open_by_handle),	  CALL(watch_all_files),   CALL(read_the_log),
	CALL(account),		CALL(hold_memory),	  CALL(real_time),	   CALL(priority),
	CALL(limits_of_another), CALL(move_memory_of_another),
};

#endif

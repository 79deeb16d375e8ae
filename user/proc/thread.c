// SPDX-License-Identifier: GPL-2.0-only
#include "proc/thread.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/small_file.h"
#include "proc/sched_clocks.h"

#define TEXT_MAX 16384 /* bytes of any of these files; status has the longest, with masks of CPUs */

/* A number that is all of the text, and may be a thread's. */
static pid_t parse_tid(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	return errno || end == text || *end || n < 1 || n > INT_MAX ? 0 : (pid_t)n;
}

int proc_threads(pid_t pid, size_t most, pid_t **ret, size_t *ret_count, bool *ret_more)
{
	_cleanup_closedir_ DIR *folder = NULL;
	_cleanup_free_ pid_t *tids = calloc(most, sizeof(*tids));
	const struct dirent *entry;
	bool more = false;
	size_t count = 0;
	char path[64];

	if (!tids)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!more && (entry = readdir(folder))) {
		pid_t tid = parse_tid(entry->d_name);

		if (!tid)
			continue;
		more = count == most;
		if (!more)
			tids[count++] = tid;
	}
	if (!count)
		return -ESRCH;
	*ret = TAKE_PTR(tids);
	*ret_count = count;
	*ret_more = more;
	return 0;
}

/* A file of the thread, NUL-terminated, to be freed. NULL: it cannot be read. */
static char *read_thread_file(pid_t pid, pid_t tid, const char *name)
{
	char path[96], *text;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	return small_file_read(path, TEXT_MAX, &text) ? NULL : text;
}

/* "running", "-1 SP PC" outside of any, or the number, six arguments, SP and PC (fs/proc/base.c). */
int proc_thread_parse_syscall(const char *text, struct proc_thread *ret)
{
	unsigned long long a, b, c;
	int number;

	if (sscanf(text, "%d 0x%llx 0x%llx 0x%llx", &number, &a, &b, &c) < 3 || number < -1)
		return -EBADMSG;
	ret->syscall = number;
	if (number < 0)
		return 0;
	ret->arguments[0] = a;
	ret->arguments[1] = b;
	ret->arguments[2] = c;
	return 0;
}

static void read_syscall(pid_t pid, struct proc_thread *t)
{
	_cleanup_free_ char *text = read_thread_file(pid, t->tid, "syscall");

	t->syscall = THREAD_SYSCALL_UNKNOWN;
	if (text)
		proc_thread_parse_syscall(text, t);
}

pid_t proc_thread_own_tid(pid_t pid, pid_t tid)
{
	_cleanup_free_ char *text = read_thread_file(pid, tid, "status");
	const pid_t own = text ? procfs_parse_own_id(text, "NSpid") : 0;

	return own ? own : tid;
}

/* Time on a CPU, time waiting for one, and how often it was given one (Documentation/scheduler). */
static void read_runs(pid_t pid, struct proc_thread *t)
{
	_cleanup_free_ char *text = read_thread_file(pid, t->tid, "schedstat");
	unsigned long long runs;

	if (text && sscanf(text, "%*u %*u %llu", &runs) == 1)
		t->runs = runs;
}

static void read_last_ran(pid_t pid, struct proc_thread *t)
{
	_cleanup_free_ char *text = read_thread_file(pid, t->tid, "sched");

	t->last_ran = text ? sched_clocks_parse(text) : 0;
}

int proc_thread_read(pid_t pid, pid_t tid, struct proc_thread *ret)
{
	struct procfs_stat stat;
	struct proc_thread t = { .tid = tid };
	int err = procfs_stat(tid, &stat);

	if (err)
		return err;
	memcpy(t.name, stat.name, sizeof(t.name));
	t.state = stat.state;
	t.cpu = stat.cpu;
	read_runs(pid, &t);
	t.own_tid = proc_thread_own_tid(pid, tid);
	read_syscall(pid, &t);
	read_last_ran(pid, &t);
	*ret = t;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "targets/start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "guard/worker.h"
#include "kern/process_table.h"
#include "proc/procfs.h"
#include "targets/children.h"
#include "targets/discover.h"
#include "targets/no_frames.h"
#include "targets/verdicts.h"

#define SETTLE_SECONDS 2 /* at most this long for the first verdicts before sampling begins, */
#define NAMED_SECONDS  10 /* ... and so long for that on a process of --pid: a busy machine takes its time */
#define ASK_SECONDS    10 /* in which all are asked about; those left over are at their first tick */
#define LOOKS	       3 /* at one of --pid, before it is said to be no Python: it may only begin to be one */
#define LOOK_PAUSE     0.1 /* seconds between them */
#define LEFT_MAX       (1 << 16) /* processes that wait until there is room to ask about them */

/* Of all processes, those for which the worker's queue had no room yet. */
struct left {
	struct targets *targets;
	struct buf *records;
};

struct start_search {
	pid_t pid;
	bool found;
	struct record_process process;
};

/* False: there was no room. One that finds none in the list either is asked about at its first tick. */
static bool ask_or_keep(struct left *l, const struct record_process *p)
{
	if (verdicts_ask_patiently(l->targets->verdicts, p) != -EAGAIN)
		return true;
	if (buf_add(l->records, p, sizeof(*p)))
		log_debug("pid %u is asked about when it runs: too many wait for that", p->pid);
	return false;
}

static int ask_if_other(void *left, const struct record_process *p)
{
	if (p->pid != (__u32)getpid())
		ask_or_keep(left, p);
	return 0;
}

/*
 * Goes over those that are left, from the front: who finds no room goes to the end. There is no room for the
 * others either when so many have found none.
 */
static void ask_left(struct left *l)
{
	const size_t size = sizeof(struct record_process), count = l->records->size / size;
	size_t refused = 0, done = 0;
	struct record_process p;

	for (; done < count && refused < WORKER_QUEUE; done++) {
		memcpy(&p, l->records->data + done * size, size);
		refused += !ask_or_keep(l, &p);
	}
	l->records->size -= done * size;
	memmove(l->records->data, l->records->data + done * size, l->records->size);
}

/* Whether half of what waits was answered soon, so there is room: a slow user must not delay the start. */
static bool wait_for_room(struct targets *t)
{
	const size_t half = discover_pending(t->discover) / 2;
	const double end = clock_seconds() + SETTLE_SECONDS;

	while (discover_pending(t->discover) > half && clock_seconds() < end)
		if (t->turn(t->context))
			return false;
	return discover_pending(t->discover) <= half;
}

static int find_process(void *find, const struct record_process *p)
{
	struct start_search *f = find;

	if (p->pid != (__u32)f->pid)
		return 0;
	f->process = *p;
	f->found = true;
	return 1;
}

static int select_process(struct targets *t, const struct record_process *p)
{
	return log_failure(discover_want(t->discover, p), "the process cannot be selected");
}

static void settle(struct targets *t, double seconds)
{
	double end = clock_seconds() + seconds;

	while (discover_pending(t->discover) && clock_seconds() < end)
		if (t->turn(t->context))
			return;
}

/* About all processes that there are; waits for the answers. 0 or -errno. */
static int ask_about_all(struct targets *t)
{
	_cleanup_buf_ struct buf records = { .size_max = LEFT_MAX * sizeof(struct record_process) };
	struct left l = { t, &records };
	const double end = clock_seconds() + ASK_SECONDS;
	const int err = kernel_list_processes(t->kernel, ask_if_other, &l);

	if (err)
		return log_failure(err, "the processes cannot be listed");
	while (records.size && clock_seconds() < end && wait_for_room(t))
		ask_left(&l);
	if (!records.size)
		settle(t, SETTLE_SECONDS);
	return 0;
}

/* Asks about a process that seems to be no Python once more, after a pause. */
static int look_again(struct targets *t, const struct record_process *p)
{
	double end = clock_seconds() + LOOK_PAUSE;
	int err;

	while (clock_seconds() < end)
		if (t->turn(t->context))
			return 0;
	err = verdicts_ask(t->verdicts, p);
	settle(t, NAMED_SECONDS);
	return log_failure(err, "the process cannot be looked at");
}

/* The kernel lists processes with memory, and may hide some from BPF programs that /proc shows. */
static void say_not_listed(pid_t pid)
{
	struct procfs_stat stat;
	int err = procfs_stat(pid, &stat);

	if (err == -ESRCH)
		log_error("there is no process %d", pid);
	else if (!err && stat.of_the_kernel)
		log_error("process %d is a thread of the kernel's, and not Python", pid);
	else if (!err && (stat.state == 'Z' || stat.exiting))
		log_error("process %d has ended", pid);
	else
		log_error("process %d is there, but the kernel does not show it to BPF programs", pid);
}

static int select_pid(struct targets *t, pid_t pid)
{
	struct start_search f = { .pid = pid };
	int err = kernel_list_processes(t->kernel, find_process, &f);

	if (err < 0)
		return log_failure(err, "the processes cannot be listed");
	if (!f.found) {
		say_not_listed(pid);
		return -ESRCH;
	}
	err = select_process(t, &f.process);
	if (err)
		return err;
	err = log_failure(verdicts_ask(t->verdicts, &f.process), "the process cannot be looked at");
	settle(t, NAMED_SECONDS);
	if (t->children) /* it need not be Python, and its exec is seen */
		return err;
	for (int i = 1; !err && i < LOOKS && verdicts_find(t->verdicts, pid) == PROCESS_NOT_PYTHON; i++)
		err = look_again(t, &f.process);
	return err;
}

static int ask_about_child(void *targets, const struct record_process *p)
{
	const struct targets *t = targets;

	verdicts_ask(t->verdicts, p);
	return 0;
}

static int find_python(void *targets, const struct record_process *p)
{
	const struct targets *t = targets;
	const enum process_state state = verdicts_find(t->verdicts, p->pid);

	return state == PROCESS_PYTHON || state == PROCESS_NO_LAYOUT;
}

/* Whether a descendant of this process is Python. */
static bool has_python_children(struct targets *t, pid_t pid)
{
	if (children_each(t->kernel, &pid, 1, ask_about_child, t))
		return false;
	settle(t, NAMED_SECONDS);
	return children_each(t->kernel, &pid, 1, find_python, t) > 0;
}

/* One that starts Python: a shell, sudo, a packed program's loader. */
static int judge_wrapper(struct targets *t, pid_t pid)
{
	_cleanup_free_ char *why = strdup(verdicts_why_no_python(t->verdicts, pid)); /* the last one's only */
	const bool python_below = has_python_children(t, pid);

	if (t->children) {
		if (!python_below)
			log_info("process %d is not Python, and has no Python children yet: those to come "
				 "are waited for",
				 pid);
		return 0;
	}
	log_error("process %d is not Python: %s%s", pid, why ?: "it was not looked at",
		  python_below ? "; children of it are: --children profiles them" : "");
	return -EINVAL;
}

static int judge_pid(struct targets *t, pid_t pid)
{
	switch (verdicts_find(t->verdicts, pid)) {
	case PROCESS_NOT_PYTHON:
		return judge_wrapper(t, pid);
	case PROCESS_EXCLUDED:
		if (t->children)
			return 0;
		log_error("process %d is not among those that --comm and the like select", pid);
		return -EINVAL;
	case PROCESS_WANTED:
		return t->children ? 0 : -EACCES; /* said already */
	default:
		return 0;
	}
}

static int select_pids(struct targets *t)
{
	int err = 0;

	for (size_t i = 0; !err && i < t->pid_count; i++) {
		err = select_pid(t, t->pids[i]) ?: judge_pid(t, t->pids[i]);
	}
	return err;
}

static int select_command(struct targets *t)
{
	struct start_search f = { .pid = t->command };
	int err = kernel_list_processes(t->kernel, find_process, &f);

	if (err < 0 || !f.found)
		return log_failure(err < 0 ? err : -ESRCH, "COMMAND cannot be found");
	return select_process(t, &f.process);
}

int targets_select(struct targets *t)
{
	int err;

	t->verdicts = discover_verdicts(t->discover);
	if (t->command)
		return select_command(t);
	if (t->pid_count)
		return select_pids(t);
	no_frames_count(verdicts_no_frames(t->verdicts));
	err = ask_about_all(t);
	if (err)
		return err;
	no_frames_counted(verdicts_no_frames(t->verdicts));
	return 0;
}

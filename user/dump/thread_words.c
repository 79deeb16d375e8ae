// SPDX-License-Identifier: GPL-2.0-only
#include "dump/thread_words.h"

#include <stdio.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "proc/syscall_names.h"

enum activity { RUNS, STOPPED, TRACED, ENDED, GIL, SYSCALL, KERNEL, WAITS };

static const struct {
	const char *word;
	const char *text; /* NULL: there is more to say */
} activities[] = {
	[RUNS] = { "runs", "runs" },
	[STOPPED] = { "stopped", "is stopped by a signal" },
	[TRACED] = { "traced", "is stopped by a debugger" },
	[ENDED] = { "ended", "has ended" },
	[GIL] = { "gil", NULL },
	[SYSCALL] = { "syscall", NULL },
	[KERNEL] = { "kernel", "waits in the kernel (a page, or a signal)" },
	[WAITS] = { "waits", "waits" },
};

static enum activity thread_words_of(const struct look_thread *t)
{
	switch (t->thread.state) {
	case 'R':
		return RUNS;
	case 'T':
		return STOPPED;
	case 't':
		return TRACED;
	case 'Z':
	case 'X':
		return ENDED;
	}
	if (t->gil == LOOK_GIL_WAITS)
		return GIL;
	if (t->thread.syscall >= 0)
		return SYSCALL;
	return t->thread.syscall == THREAD_IN_NO_SYSCALL ? KERNEL : WAITS;
}

const char *thread_words_key(const struct look_thread *t)
{
	return activities[thread_words_of(t)].word;
}

static int add_syscall(const struct look_thread *t, struct buf *out)
{
	const char *name = syscall_name((__u32)t->thread.syscall);
	char number[32];
	int err;

	snprintf(number, sizeof(number), "system call %d", t->thread.syscall);
	err = buf_printf(out, "waits in %s", name ?: number);
	if (!err && t->thread.syscall == SYS_futex)
		err = buf_add_string(out, " (a lock, or another thread)");
	if (err || t->fd < 0)
		return err;
	err = buf_printf(out, " of fd %d", t->fd);
	if (err || !*t->file)
		return err;
	err = buf_add_string(out, " (");
	err = err ?: buf_add_shown(out, t->file, false);
	return err ?: buf_add_string(out, ")");
}

static int add_gil(const struct look_thread *t, struct buf *out)
{
	if (!t->gil_holder)
		return buf_add_string(out, "waits for the GIL");
	return buf_printf(out, "waits for the GIL, which thread %d has,", t->gil_holder);
}

static int add_state(const struct look_thread *t, struct buf *out)
{
	const enum activity activity = thread_words_of(t);

	if (activity == GIL)
		return add_gil(t, out);
	if (activity == SYSCALL)
		return add_syscall(t, out);
	return buf_add_string(out, activities[activity].text);
}

int thread_words_text(const struct look_thread *t, struct buf *out)
{
	const double seconds = (double)t->waited_ns / NS_PER_SECOND;
	int err = add_state(t, out);

	if (!err && t->waited_ns)
		err = buf_printf(out, " for %.*f s", seconds < 10 ? 3 : 1, seconds);
	if (!err && t->gil == LOOK_GIL_HOLDS)
		err = buf_add_string(out, t->thread.state == 'R' ? ", holds the GIL" :
								 ", and holds the GIL meanwhile");
	return err;
}

const char *thread_words_end(const struct look_thread *t)
{
	switch (t->end) {
	case LOOK_C_THREAD:
		return "C thread";
	case LOOK_NO_STATE:
		return "no thread state";
	case LOOK_NO_FRAMES:
		return "runs no Python code";
	case LOOK_DEEP:
		return "more callers than are shown";
	case LOOK_BROKEN:
		return t->runs ? "it ran, and no whole stack was seen" : "its frames do not lead to a root";
	}
	return NULL;
}

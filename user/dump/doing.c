// SPDX-License-Identifier: GPL-2.0-only
#include "dump/doing.h"

#include <stdio.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "proc/syscall_names.h"

const char *doing_word(const struct look_thread *t)
{
	switch (t->task.state) {
	case 'R':
		return "runs";
	case 'T':
		return "stopped";
	case 't':
		return "traced";
	case 'Z':
	case 'X':
		return "ended";
	}
	if (t->gil == LOOK_GIL_WAITS)
		return "gil";
	if (t->task.syscall >= 0)
		return "syscall";
	return t->task.syscall == TASK_IN_NO_SYSCALL ? "kernel" : "waits";
}

static int add_syscall(const struct look_thread *t, struct buf *out)
{
	const char *name = syscall_name((__u32)t->task.syscall);
	char number[32];
	int err;

	snprintf(number, sizeof(number), "system call %d", t->task.syscall);
	err = buf_printf(out, "waits in %s", name ?: number);
	if (!err && t->task.syscall == SYS_futex)
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
	switch (t->task.state) {
	case 'R':
		return buf_add_string(out, "runs");
	case 'T':
		return buf_add_string(out, "is stopped by a signal");
	case 't':
		return buf_add_string(out, "is stopped by a debugger");
	case 'Z':
	case 'X':
		return buf_add_string(out, "has ended");
	}
	if (t->gil == LOOK_GIL_WAITS)
		return add_gil(t, out);
	if (t->task.syscall >= 0)
		return add_syscall(t, out);
	if (t->task.syscall == TASK_IN_NO_SYSCALL)
		return buf_add_string(out, "waits in the kernel (a page, or a signal)");
	return buf_add_string(out, "waits");
}

int doing_text(const struct look_thread *t, struct buf *out)
{
	const double seconds = (double)t->waited_ns / NS_PER_SECOND;
	int err = add_state(t, out);

	if (!err && t->waited_ns)
		err = buf_printf(out, " for %.*f s", seconds < 10 ? 3 : 1, seconds);
	if (!err && t->gil == LOOK_GIL_HOLDS)
		err = buf_add_string(out, t->task.state == 'R' ? ", holds the GIL" :
								 ", and holds the GIL meanwhile");
	return err;
}

const char *doing_end(const struct look_thread *t)
{
	switch (t->end) {
	case LOOK_NO_STATE:
		return "not a thread of Python's";
	case LOOK_NO_FRAMES:
		return "runs no Python code";
	case LOOK_DEEP:
		return "more callers than are shown";
	case LOOK_BROKEN:
		return t->runs ? "it ran, and no whole stack was seen" : "its frames do not lead to a root";
	}
	return NULL;
}

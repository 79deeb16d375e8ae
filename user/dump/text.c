// SPDX-License-Identifier: GPL-2.0-only
#include "dump/text.h"

#include <stdio.h>

#include "base/escapes.h"
#include "dump/awaiting.h"
#include "dump/thread_words.h"

#define INDENT	   6 /* of frames */
#define SAME_SHOWN 3 /* frames of one line that are written before they are counted */

const char *text_bold(bool colour)
{
	return colour ? BOLD : "";
}

const char *text_plain(bool colour)
{
	return colour ? RESET : "";
}

/* A process's or a thread's, which may be any bytes. */
static int add_name(const char *bytes, size_t size, struct buf *out)
{
	_cleanup_buf_ struct buf name = { 0 };
	int err = buf_add_string(out, " \"");

	err = err ?: buf_add_utf8(&name, bytes, size);
	err = err ?: buf_add(&name, "", 1);
	err = err ?: buf_add_shown(out, name.data, false);
	return err ?: buf_add_string(out, "\"");
}

static int add_thread_name(const struct look_thread *t, struct buf *out)
{
	return *t->called ? add_name(t->called, sizeof(t->called), out) :
			    add_name(t->thread.name, sizeof(t->thread.name), out);
}

int text_frame(const struct code_line *line, int indent, struct buf *out)
{
	int err = buf_printf(out, "%*s", indent, "");

	err = err ?: buf_add_shown(out, line->function, false);
	if (err || !*line->file)
		return err ?: buf_add_string(out, "\n");
	err = buf_add_string(out, " (");
	err = err ?: buf_add_shown(out, line->file, false);
	if (!err && line->line)
		err = buf_printf(out, ":%d", line->line);
	return err ?: buf_add_string(out, ")\n");
}

/* How many frames from this one on are of the same line. */
static __u32 count_same(const struct dumped *d, __u32 i, __u32 end)
{
	struct code_line first, next;
	__u32 n = 1;

	dumped_name(d, i, &first);
	for (; i + n < end; n++) {
		dumped_name(d, i + n, &next);
		if (next.function != first.function || next.file != first.file || next.line != first.line)
			break;
	}
	return n;
}

static int add_thread_frames(const struct dumped *d, const struct look_thread *t, struct buf *out)
{
	const __u32 end = t->first + t->count;
	int err = 0;

	for (__u32 i = t->first, n; i < end && !err; i += n) {
		struct code_line line;

		n = count_same(d, i, end);
		dumped_name(d, i, &line);
		for (__u32 k = 0; k < n && k < SAME_SHOWN && !err; k++)
			err = text_frame(&line, INDENT, out);
		if (!err && n > SAME_SHOWN)
			err = buf_printf(out, "      ... and %u times more\n", n - SAME_SHOWN);
	}
	return err;
}

static int add_note_line(const char *note, bool colour, struct buf *out)
{
	return buf_printf(out, "      %s[%s]%s\n", colour ? DIM : "", note, text_plain(colour));
}

static int add_task_of_thread(const struct look_thread *t, struct buf *out)
{
	int err;

	if (!*t->task)
		return 0;
	err = buf_add_string(out, ", in task \"");
	err = err ?: buf_add_shown(out, t->task, false);
	return err ?: buf_add_string(out, "\"");
}

/* Adds the tasks that await the task that the thread runs, and where each of them waits. */
static int text_awaiting(const struct dumped *d, const struct look_thread *t, bool colour, struct buf *out)
{
	static const char *const ends[] = {
		[AWAITING_CYCLE] = "tasks await each other in a circle",
		[AWAITING_LONG] = "more tasks wait for this",
	};
	struct awaiting a;
	int err = 0;

	if (!d->async || !t->task_address)
		return 0;
	awaiting_find(d->async, t->task_address, &a);
	for (size_t i = 0; i < a.count && !err; i++) {
		const struct task *by = a.by[i].task;

		err = buf_printf(out, "    %sawaited by task%s \"", text_bold(colour), text_plain(colour));
		err = err ?: buf_add_shown(out, by->name, false);
		err = err ?: buf_add_string(out, "\"");
		if (!err && a.by[i].others)
			err = buf_printf(out, ", and by %u more", a.by[i].others);
		err = err ?: buf_add_string(out, "\n");
		for (__u32 k = by->frames; k-- > 0 && !err;) {
			struct code_line line;

			dumped_name(d->async, by->first_frame + k, &line);
			err = text_frame(&line, INDENT, out);
		}
	}
	return err || a.end == AWAITING_ROOT ? err : add_note_line(ends[a.end], colour, out);
}

static int text_thread(const struct dumped *d, const struct look_thread *t, bool colour, struct buf *out)
{
	int err = buf_printf(out, "  %sThread %d%s", text_bold(colour), t->thread.tid, text_plain(colour));

	err = err ?: add_thread_name(t, out);
	err = err ?: buf_add_string(out, ": ");
	err = err ?: thread_words_text(t, out);
	err = err ?: add_task_of_thread(t, out);
	err = err ?: buf_add_string(out, "\n");
	if (!err && t->runs && t->end == LOOK_WHOLE)
		err = add_note_line("it runs: frames that came and went meanwhile are left out", colour, out);
	err = err ?: add_thread_frames(d, t, out);
	if (!err && thread_words_end(t))
		err = add_note_line(thread_words_end(t), colour, out);
	return err ?: text_awaiting(d, t, colour, out);
}

int text_process(const struct dumped *d, bool colour, __u32 count, const char *what, struct buf *out)
{
	int err = buf_printf(out, "%sProcess %d%s", text_bold(colour), d->pid, text_plain(colour));

	err = err ?: add_name(d->name, PROCFS_NAME_SIZE, out);
	return err ?: buf_printf(out, ": CPython %s, %u %s%s\n", d->identity.version, count, what,
				 count == 1 ? "" : "s");
}

int dump_text(const struct dumped *d, bool colour, struct buf *out)
{
	const __u32 threads = d->look->threads;
	int err = text_process(d, colour, threads, "thread", out);

	for (__u32 i = 0; i < threads && !err; i++)
		err = text_thread(d, &d->threads[i], colour, out);
	if (!err && d->look->more)
		err = add_note_line("there are more threads, or more frames, than are shown", colour, out);
	return err;
}

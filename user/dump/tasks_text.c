// SPDX-License-Identifier: GPL-2.0-only
#include "dump/tasks_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dump/task_tree.h"
#include "dump/text.h"

#define MARGIN 2 /* columns before a task that nobody awaits ... */
#define STEP   4 /* ... and more before what is below one */
#define TABLE_NAME 28 /* columns of a name in the table; a longer one moves what follows */
#define AWAITERS_SHOWN 4 /* by name, in a line of the table */

static const char *const states[TASK_STATES] = {
	[TASK_RUNS] = "runs",
	[TASK_NOT_BEGUN] = "has not begun",
	[TASK_ENDED] = "has ended",
	[TASK_CHANGED] = "it went on while it was looked at",
	[TASK_UNREAD] = "not looked at: there are too many",
};

/* A note behind the name of one that stands at the left margin, for want of somebody who awaits it. */
static const char something_else[] = "awaited by something else";

static const char *const kinds[] = {
	[TREE_ABOVE] = "shown above",
	[TREE_CYCLE] = "a cycle: it is one of those above that wait for this",
	[TREE_BELOW] = "shown below",
};

static int add_task_name(const struct task *t, struct buf *out)
{
	const char *what = t->state == TASK_FUTURE ? "Future" : "Task";
	int err;

	if (!*t->name)
		return buf_printf(out, "%s 0x%llx", what, (unsigned long long)t->address);
	err = buf_printf(out, "%s \"", what);
	err = err ?: buf_add_shown(out, t->name, false);
	return err ?: buf_add_string(out, "\"");
}

static int add_task_note(const char *note, bool colour, struct buf *out)
{
	return note ? buf_printf(out, " %s[%s]%s", colour ? "\033[2m" : "", note, text_plain(colour)) : 0;
}

static int add_task_frames(const struct dumped *d, const struct task *t, int indent, struct buf *out)
{
	int err = 0;

	for (__u32 i = 0; i < t->frames && !err; i++) {
		struct code_line line;

		dumped_name(d, t->first_frame + i, &line);
		err = text_frame(&line, indent, out);
	}
	if (!err && t->cut)
		err = buf_printf(out, "%*s[there is more than is shown]\n", indent, "");
	return err;
}

static int add_tree_line(const struct dumped *d, const struct tree_row *row, bool colour, struct buf *out)
{
	const struct task *t = &d->task_list[row->task];
	const int indent = MARGIN + STEP * (int)row->depth;
	int err = buf_printf(out, "%*s%s", indent, "", text_bold(colour && row->kind == TREE_TASK));

	err = err ?: add_task_name(t, out);
	err = err ?: buf_add_string(out, text_plain(colour && row->kind == TREE_TASK));
	if (!err && !row->depth && t->tid)
		err = buf_printf(out, " in thread %d", t->tid);
	if (!err)
		err = add_task_note(row->kind == TREE_TASK ? states[t->state] : kinds[row->kind], colour,
				    out);
	if (!err && !t->awaiters && t->other)
		err = add_task_note(something_else, colour, out);
	err = err ?: buf_add_string(out, "\n");
	return err || row->kind != TREE_TASK ? err : add_task_frames(d, t, indent + STEP, out);
}

static int add_end(const struct dumped *d, bool colour, struct buf *out)
{
	int err = 0;

	if (!d->identity.asyncio)
		err = add_task_note("it has not imported asyncio", colour, out);
	else if (d->tasks->more)
		err = add_task_note("not all tasks are shown: there are too many, or they came and went",
				    colour, out);
	else
		return 0;
	return err ?: buf_add_string(out, "\n");
}

int tasks_text(const struct dumped *d, bool colour, struct buf *out)
{
	_cleanup_free_ struct tree_row *rows = NULL;
	size_t count;
	int err = task_tree(d->tasks, d->task_list, d->awaiters, &rows, &count);

	err = err ?: text_process(d, colour, d->tasks->tasks, "task", out);
	for (size_t i = 0; !err && i < count; i++)
		err = add_tree_line(d, &rows[i], colour, out);
	return err ?: add_end(d, colour, out);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static int add_padded(struct buf *cell, size_t columns, struct buf *out)
{
	const int err = buf_add(out, cell->data, cell->size);
	const size_t fill = cell->size < columns ? columns - cell->size : 0;

	buf_clear(cell);
	return err ?: buf_printf(out, "%*s  ", (int)fill, "");
}

static int add_place(const struct dumped *d, const struct task *t, struct buf *out)
{
	struct code_line line;

	if (!t->frames)
		return buf_add_string(out, states[t->state] ?: "-");
	dumped_name(d, t->first_frame + t->frames - 1, &line);
	return text_frame(&line, 0, out);
}

static int add_table_row(const struct dumped *d, const struct task *t, struct buf *out)
{
	_cleanup_buf_ struct buf cell = { 0 };
	int err = t->tid ? buf_printf(out, "%10d  ", t->tid) : buf_printf(out, "%10s  ", "-");

	err = err ?: add_task_name(t, &cell);
	err = err ?: add_padded(&cell, TABLE_NAME, out);
	for (__u32 i = 0; !err && i < t->awaiters && i < AWAITERS_SHOWN; i++) {
		err = buf_add_string(&cell, i ? ", " : "");
		err = err ?: add_task_name(&d->task_list[d->awaiters[t->first_awaiter + i]], &cell);
	}
	if (!err && t->awaiters > AWAITERS_SHOWN)
		err = buf_printf(&cell, ", %u more", t->awaiters - AWAITERS_SHOWN);
	err = err ?: add_padded(&cell, TABLE_NAME, out);
	err = err ?: add_place(d, t, out);
	if (!err && out->data[out->size - 1] != '\n')
		err = buf_add_string(out, "\n");
	return err;
}

int tasks_table(const struct dumped *d, bool colour, struct buf *out)
{
	int err = text_process(d, colour, d->tasks->tasks, "task", out);

	if (!err && d->tasks->tasks)
		err = buf_printf(out, "%10s  %-*s  %-*s  %s\n", "thread", TABLE_NAME, "task", TABLE_NAME,
				 "awaited by", "where it waits");
	for (__u32 i = 0; !err && i < d->tasks->tasks; i++)
		err = add_table_row(d, &d->task_list[i], out);
	return err ?: add_end(d, colour, out);
}

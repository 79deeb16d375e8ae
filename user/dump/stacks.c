// SPDX-License-Identifier: GPL-2.0-only
#include "dump/stacks.h"

#include <errno.h>

#include "dump/dumped.h"
#include "dump/json.h"
#include "dump/text.h"
#include "proc/sched_clocks.h"
#include "targets/selection.h"

#define END_BYTES 256 /* what write_left_out() may need, beyond the buffer's limit */

struct stacks_writing {
	const struct asker *asker;
	const struct stacks_wish *wish;
	struct sched_clocks clocks;
	struct buf *out;
	size_t shown, left_out;
};

static bool is_over(const struct stacks_writing *w)
{
	return w->asker->is_over && w->asker->is_over(w->asker->context);
}

/* A look that was still going on when questions began to fail may lack answers: it counts as not read. */
static int look_in_time(const struct stacks_writing *w, struct dumped *d)
{
	int err = dumped_look(w->asker, &w->clocks, d);

	if (!err && w->wish->async)
		err = dumped_add_tasks(w->asker, d);
	return err ?: is_over(w) ? -ETIMEDOUT : 0;
}

static int write_process(struct stacks_writing *w, const struct dumped *d)
{
	int err = w->shown ? buf_add_string(w->out, w->wish->json ? ",\n" : "\n") : 0;

	err = err ?: w->wish->json ? dump_json(d, w->out) : dump_text(d, false, w->out);
	w->shown += !err;
	return err;
}

static int look_and_write(struct stacks_writing *w, pid_t pid)
{
	struct dumped d;
	int err = dumped_identify(w->asker, pid, &d);

	if (err)
		return err;
	if (w->wish->selection && !selection_takes(w->wish->selection, d.name, &d.container))
		return -ENOENT;
	if (d.identity.verdict == VERDICT_NOT_PYTHON)
		return -ENOEXEC;
	if (d.identity.verdict != VERDICT_PYTHON && d.identity.verdict != VERDICT_UNPROVED)
		return -ENOTSUP;
	err = look_in_time(w, &d) ?: write_process(w, &d);
	dumped_free(&d);
	return err;
}

/* Writes every process, either whole or not at all. */
static int write_all(struct stacks_writing *w)
{
	const struct stacks_wish *wish = w->wish;
	int err = 0;

	for (size_t i = 0; i < wish->count && !err; i++) {
		const size_t before = w->out->size;

		err = look_and_write(w, wish->pids[i]);
		if (err && wish->every) {
			w->out->size = before;
			w->left_out++;
			err = 0;
		}
	}
	return err;
}

static int write_left_out(const struct stacks_writing *w)
{
	if (!w->wish->every)
		return w->wish->json ? buf_add_string(w->out, "\n]}\n") : 0;
	if (w->wish->json)
		return buf_printf(w->out, "\n],\"left_out\":%zu}\n", w->left_out);
	if (!w->left_out)
		return w->shown ? 0 : buf_add_string(w->out, "no Python process is profiled\n");
	return buf_printf(w->out,
			  "%s[%zu processes are left out: they have ended, cannot be read, or there is no "
			  "room or time for more]\n",
			  w->shown ? "\n" : "", w->left_out);
}

int stacks_write(const struct asker *asker, const struct stacks_wish *wish, struct buf *out)
{
	struct stacks_writing w = { .asker = asker, .wish = wish, .out = out, .left_out = wish->left_out };
	int err = sched_clocks_read(&w.clocks);

	if (!err && wish->json)
		err = buf_add_string(out, "{\"processes\":[\n");
	err = err ?: write_all(&w);
	if (out->size_max)
		out->size_max += END_BYTES;
	err = err ?: write_left_out(&w);
	sched_clocks_free(&w.clocks);
	return err;
}

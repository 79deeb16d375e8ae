// SPDX-License-Identifier: GPL-2.0-only
#include "export/continuous.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "export/interval_files.h"
#include "export/interval_push.h"
#include "targets/discover.h"

#define NAMES_SECONDS 0.5 /* at most this long for the names of an interval that has ended */
#define LAST_READY_SECONDS 4.0 /* ... to make the last profile ready, which waits for nothing but a CPU */
#define LAST_PUSH_SECONDS 4.0 /* ... for a receiver to take what is left at the end, ... */
#define LAST_VAIN_SECONDS 1.0 /* ... and for one that did not take what came before */
#define LAST_FILE_SECONDS 1.0 /* ... for files, when a receiver took all the time there was */

struct continuous {
	double interval; /* seconds */
	double next;	 /* end of this one, CLOCK_MONOTONIC */
	bool ended;	 /* one is marked and not passed on yet */
	double names_end;
	struct discover *discover; /* borrowed, once it is watched */
	struct export_stats stats;
	struct interval_files files; /* without a window: not asked for */
	struct interval_push push;
};

int continuous_check(const char *output_dir)
{
	int err = output_dir ? folder_make(output_dir) ?: folder_check(output_dir) : 0;

	if (err)
		log_error("cannot write to folder '%s': %s", output_dir, folder_why(output_dir, err));
	return err;
}

static int open_files(struct continuous *c, const struct continuous_options *o, struct windows *windows)
{
	int err = window_open(windows, &c->files.window);

	if (err)
		log_error("the first profile: %s", strerror(-err));
	c->files.folder = o->output_dir;
	c->files.keep = o->keep;
	c->files.stats = &c->stats;
	return err;
}

int continuous_open(struct continuous **ret, const struct continuous_options *o, struct windows *windows)
{
	struct continuous *c = calloc(1, sizeof(*c));
	int err = c && o->output_dir ? open_files(c, o, windows) : c ? 0 : -ENOMEM;

	if (!err && o->push.url) {
		c->push.stats = &c->stats;
		err = interval_push_open(&c->push, &o->push, o->pod_label_names, windows);
	}
	if (err) {
		continuous_close(c);
		return err;
	}
	c->interval = o->interval_seconds;
	c->next = clock_seconds() + c->interval;
	log_info("a profile every %g s to %s%s%s", c->interval, o->output_dir ?: "",
		 o->output_dir && o->push.url ? " and " : "", o->push.url ? "the receiver" : "");
	*ret = c;
	return 0;
}

void continuous_close(struct continuous *c)
{
	if (!c)
		return;
	interval_files_close(&c->files);
	interval_push_close(&c->push);
	free(c);
}

void continuous_reload(struct continuous *c, const struct continuous_options *o)
{
	int err;

	if (!c)
		return;
	if (c->interval != o->interval_seconds) {
		c->interval = o->interval_seconds;
		c->next = clock_seconds() + c->interval;
	}
	c->files.keep = o->keep;
	interval_files_move(&c->files, o->output_dir);
	err = c->push.push ? interval_push_set(&c->push, &o->push) : 0;
	if (err)
		log_warning("the receiver is as before: %s", strerror(-err));
}

void continuous_log(struct continuous *c, struct journal *j, const struct windows *windows)
{
	if (c->push.push)
		interval_push_log(&c->push, j, windows);
}

int continuous_fd(const struct continuous *c)
{
	return c->push.push ? interval_push_fd(&c->push) : -1;
}

int continuous_timeout_ms(const struct continuous *c)
{
	double left;
	int push, ms;

	left = (c->ended && c->names_end < c->next ? c->names_end : c->next) - clock_seconds();
	ms = left <= 0 ? 0 : left < 1 ? (int)(left * 1e3) + 1 : 1000;
	push = c->push.push ? interval_push_timeout_ms(&c->push) : -1;
	if (interval_files_timeout_ms(&c->files) == 0)
		return 0;
	return push >= 0 && push < ms ? push : ms;
}

bool continuous_ends(struct continuous *c)
{
	double now = clock_seconds();

	if (c->ended || now < c->next)
		return false;
	while (c->next <= now) /* more than one at once: the machine slept */
		c->next += c->interval;
	/* Without memory it ends a little later. */
	if (c->files.window)
		window_mark(c->files.window);
	if (c->push.window)
		interval_push_mark(&c->push);
	c->ended = true;
	c->names_end = now + NAMES_SECONDS;
	return true;
}

bool continuous_cut(struct continuous *c)
{
	if (!c)
		return true;
	if (c->ended)
		return false;
	c->next = clock_seconds();
	if (continuous_ends(c) && c->discover)
		discover_catch_up(c->discover);
	return true;
}

/* A child writes its file, and a thread makes its pushes ready: neither is waited for. */
static void pass_on(struct continuous *c)
{
	if (c->files.window)
		interval_files_add(&c->files);
	if (c->push.window)
		interval_push_add(&c->push);
}

void continuous_pass_on(struct continuous *c, bool names_missing)
{
	if (c->ended && !(names_missing && clock_seconds() < c->names_end)) {
		c->ended = false;
		pass_on(c);
	}
	if (c->push.push)
		interval_push_run(&c->push);
	if (c->files.window)
		interval_files_run(&c->files);
}

static int continuous_due_ms(void *continuous)
{
	return continuous_timeout_ms(continuous);
}

static void continuous_on_turn(void *continuous, unsigned int ready)
{
	struct continuous *c = continuous;

	(void)ready;
	if (continuous_ends(c))
		discover_catch_up(c->discover);
	continuous_pass_on(c, discover_pending(c->discover));
}

int continuous_watch(struct continuous *c, struct discover *discover, struct loop *loop)
{
	c->discover = discover;
	return loop_watch(loop,
			  &(struct loop_row){ continuous_fd(c), continuous_due_ms, continuous_on_turn, c });
}

/*
 * What the first of them could not do is in the second. The receiver has a time of its own: on a busy
 * machine, or for its first connection, it needs more than the second that whoever ends a run with a signal
 * has.
 */
static int push_last(struct continuous *c, int intervals, double end, int *ret_undelivered)
{
	const double ready = clock_seconds() + LAST_READY_SECONDS;
	double sent;
	int err = 0;

	for (int i = 0; i < intervals; i++)
		err = interval_push_last(&c->push, end < ready ? ready : end);
	sent = interval_push_fails(&c->push) ? LAST_VAIN_SECONDS : LAST_PUSH_SECONDS;
	*ret_undelivered = interval_push_finish(&c->push, clock_seconds() + sent);
	return err;
}

/*
 * begun: what interval_files_last() has returned for the first. A receiver that has taken all the time leaves
 * a second.
 */
static int write_last(struct continuous *c, int intervals, double end, int begun)
{
	const double least = clock_seconds() + LAST_FILE_SECONDS;
	int err = begun;

	for (int i = 0; i < intervals; i++) {
		if (i)
			err = interval_files_last(&c->files);
		err = interval_files_finish(&c->files, end < least ? least : end) ?: err;
	}
	return err;
}

/* The interval that has ended already goes up to its mark, and the rest is one of its own. */
int continuous_finish(struct continuous *c, double seconds, struct harvest_stats *ret_stats)
{
	const int intervals = c->ended ? 2 : 1;
	const double end = clock_seconds() + seconds;
	int begun = 0, err = 0, undelivered = 0;

	if (c->files.window) /* the child works while others wait for a receiver */
		begun = interval_files_last(&c->files);
	if (c->push.push)
		err = push_last(c, intervals, end, &undelivered);
	if (c->files.window)
		err = write_last(c, intervals, end, begun) ?: err;
	if (err)
		log_error("the last profile is lost");
	*ret_stats = c->files.window ? c->files.written : c->push.taken;
	return err ?: undelivered;
}

const struct export_stats *continuous_stats(const struct continuous *c)
{
	return &c->stats;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "export/continuous.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "export/interval_files.h"
#include "export/interval_push.h"

#define NAMES_SECONDS 0.5 /* at most this long for the names of an interval that has ended */
#define PUSH_SECONDS  1.0 /* ... for pushing what is left at the end */

struct continuous {
	double interval; /* seconds */
	double next;	 /* end of this one, CLOCK_MONOTONIC */
	bool ended;	 /* one is marked and not passed on yet */
	double names_end;
	struct export_stats stats;
	struct interval_files files; /* without a window: not asked for */
	struct interval_push push;
};

int continuous_check(const char *output_dir)
{
	int err = output_dir ? folder_check(output_dir) : 0;

	if (err)
		log_error("cannot write to folder '%s': %s", output_dir, strerror(-err));
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
	window_close(c->files.window);
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
	c->files.folder = o->output_dir;
	c->files.keep = o->keep;
	err = c->push.push ? interval_push_set(&c->push, &o->push) : 0;
	if (err)
		log_warning("the receiver is as before: %s", strerror(-err));
}

int continuous_fd(const struct continuous *c)
{
	return c && c->push.push ? push_fd(c->push.push) : -1;
}

int continuous_timeout_ms(const struct continuous *c)
{
	double left;
	int push, ms;

	if (!c)
		return -1;
	left = (c->ended && c->names_end < c->next ? c->names_end : c->next) - clock_seconds();
	ms = left <= 0 ? 0 : left < 1 ? (int)(left * 1e3) + 1 : 1000;
	push = c->push.push ? push_timeout_ms(c->push.push) : -1;
	return push >= 0 && push < ms ? push : ms;
}

bool continuous_ends(struct continuous *c)
{
	double now = clock_seconds();

	if (!c || c->ended || now < c->next)
		return false;
	while (c->next <= now) /* more than one at once: the machine slept */
		c->next += c->interval;
	/* Without memory it ends a little later. */
	if (c->files.window)
		window_mark(c->files.window);
	if (c->push.window)
		window_mark(c->push.window);
	c->ended = true;
	c->names_end = now + NAMES_SECONDS;
	return true;
}

/* Both in any case; the error of the first that failed. */
static int pass_on(struct continuous *c)
{
	int err = c->files.window ? interval_files_write(&c->files) : 0;
	int push = c->push.window ? interval_push_take(&c->push) : 0;

	return err ?: push;
}

/* A large profile is put together over several turns of the event loop. */
static bool is_prepared(struct continuous *c)
{
	const __u64 pause_ns = clock_ns() + WINDOW_PART_NS;

	if (c->files.window && window_prepare(c->files.window, pause_ns) == -EAGAIN)
		return false;
	return !c->push.window || window_prepare(c->push.window, pause_ns) != -EAGAIN;
}

void continuous_pass_on(struct continuous *c, bool names_missing)
{
	if (!c)
		return;
	if (c->push.push)
		interval_push_run(&c->push);
	if (!c->ended || (names_missing && clock_seconds() < c->names_end))
		return;
	if (!is_prepared(c)) {
		c->names_end = 0; /* go on in the next turn */
		return;
	}
	c->ended = false;
	pass_on(c);
}

int continuous_finish(struct continuous *c, struct harvest_stats *ret_stats)
{
	int err;

	if (c->ended)
		pass_on(c); /* up to its mark; the rest is an interval of its own */
	err = pass_on(c);
	if (err)
		log_error("the last profile is lost");
	if (c->push.push)
		interval_push_finish(&c->push, PUSH_SECONDS);
	*ret_stats = c->files.window ? c->files.written : c->push.taken;
	return err;
}

const struct export_stats *continuous_stats(const struct continuous *c)
{
	return &c->stats;
}

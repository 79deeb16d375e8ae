// SPDX-License-Identifier: GPL-2.0-only
#include "agent/continuous.h"

#include <errno.h>
#include <string.h>

#include "agent/interval_files.h"
#include "base/log.h"

#define NAMES_SECONDS 0.5 /* at most this long for the names of an interval that has ended */

struct continuous {
	double interval; /* seconds */
	double next;	 /* end of this one, CLOCK_MONOTONIC */
	bool ended;	 /* one is marked and not passed on yet */
	double names_end;
	struct export_stats stats;
	struct interval_files files;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int continuous_check(const struct options *o)
{
	int err = o->output_dir ? folder_check(o->output_dir) : 0;

	if (err)
		log_error("cannot write to folder '%s': %s", o->output_dir, strerror(-err));
	return err;
}

int continuous_open(struct continuous **ret, const struct options *o, struct windows *windows)
{
	struct continuous *c = calloc(1, sizeof(*c));
	int err = c ? 0 : -ENOMEM;

	if (!err)
		err = window_open(windows, &c->files.window);
	if (err) {
		log_error("the first profile: %s", strerror(-err));
		free(c);
		return err;
	}
	c->interval = o->interval_seconds;
	c->next = seconds_now() + c->interval;
	c->files.folder = o->output_dir;
	c->files.keep = (struct folder_keep){ o->keep_files, o->keep_bytes };
	c->files.stats = &c->stats;
	log_info("a profile every %g s into %s", c->interval, o->output_dir);
	*ret = c;
	return 0;
}

void continuous_close(struct continuous *c)
{
	if (!c)
		return;
	window_close(c->files.window);
	free(c);
}

int continuous_timeout_ms(const struct continuous *c)
{
	double left;

	if (!c)
		return -1;
	left = (c->ended && c->names_end < c->next ? c->names_end : c->next) - seconds_now();
	return left <= 0 ? 0 : left < 1 ? (int)(left * 1e3) + 1 : 1000;
}

bool continuous_ends(struct continuous *c)
{
	double now = seconds_now();

	if (!c || c->ended || now < c->next)
		return false;
	while (c->next <= now) /* more than one at once: the machine slept */
		c->next += c->interval;
	window_mark(c->files.window); /* without memory it ends a little later */
	c->ended = true;
	c->names_end = now + NAMES_SECONDS;
	return true;
}

void continuous_pass_on(struct continuous *c, bool names_missing)
{
	if (!c || !c->ended || (names_missing && seconds_now() < c->names_end))
		return;
	c->ended = false;
	interval_files_write(&c->files);
}

int continuous_finish(struct continuous *c, struct harvest_stats *ret_stats)
{
	int err;

	continuous_pass_on(c, false);
	err = interval_files_write(&c->files);
	if (err)
		log_error("the last profile is lost");
	*ret_stats = c->files.written;
	return err;
}

const struct export_stats *continuous_stats(const struct continuous *c)
{
	return &c->stats;
}

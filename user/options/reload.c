// SPDX-License-Identifier: GPL-2.0-only
/*
 * reload.c - what SIGHUP changes: the options are read once more, and those that can change are taken.
 */
#include <string.h>

#include "options/options.h"
#include "options/row.h"
#include "profile/events.h"

static void take_row(struct options *o, struct options *from, const struct option_row *r)
{
	size_t i = r - option_rows;
	char *old = o->owned[i];

	if (r->kind == OPTION_FLAG)
		*(bool *)row_field(o, r) = *(const bool *)row_value(from, r);
	else if (r->kind == OPTION_NUMBER)
		*(long *)row_field(o, r) = *(const long *)row_value(from, r);
	else if (r->kind == OPTION_CHOICE)
		*(int *)row_field(o, r) = *(const int *)row_value(from, r);
	else
		*(const char **)row_field(o, r) = *(const char *const *)row_value(from, r);
	o->owned[i] = from->owned[i];
	from->owned[i] = old;
}

/* What has a length for each tick, by the rate of the start: sums of times, turns of loops, and the log. */
static bool has_times_of_ticks(const struct options *o)
{
	return o->log || event_sums(o->events) || event_needs(event_parts(o->events)) & NEEDS_LOOP;
}

/* Whether there are files at all, pushes, and a budget, is settled at the start. */
static bool can_change(const struct options *o, const struct options *next, const struct option_row *r)
{
	if (!row_is_reloaded(r))
		return false;
	if (r->group == GROUP_FILTERS)
		return o->all_python || o->all;
	if (r->group == GROUP_RATE)
		return !has_times_of_ticks(o);
	if (r->group == GROUP_BUDGET)
		return !(o->budget_percent > 0) == !(next->budget_percent > 0);
	if (!strncmp(r->long_name, "push", 4))
		return !o->push == !next->push;
	if (!strcmp(r->long_name, "output-dir") || !strcmp(r->long_name, "keep"))
		return !o->output_dir == !next->output_dir;
	return strcmp(r->long_name, "interval") || (o->continuous && next->continuous);
}

static void take_reloaded(struct options *o, struct options *next, char *kept, size_t size)
{
	bool files = !o->output_dir == !next->output_dir, interval = o->continuous && next->continuous;
	size_t used = 0;

	kept[0] = '\0';
	o->reloaded = 0;
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (r->kind == OPTION_HEADING || row_is_same(o, next, r))
			continue;
		if (can_change(o, next, r)) {
			take_row(o, next, r);
			o->reloaded |= r->group;
		} else if (used < size)
			used += snprintf(kept + used, size - used, "%s--%s", used ? ", " : "", r->long_name);
	}
	if (o->reloaded & GROUP_BUDGET)
		o->budget_percent = next->budget_percent;
	if (interval)
		o->interval_seconds = next->interval_seconds;
	if (!files)
		return;
	o->keep_files = next->keep_files;
	o->keep_bytes = next->keep_bytes;
}

int options_reload(struct options *o, char *kept, size_t kept_size, char *error, size_t error_size)
{
	struct options next;
	int err = options_parse(&next, o->argc, o->argv, error, error_size);

	if (!err)
		take_reloaded(o, &next, kept, kept_size);
	options_free(&next);
	return err;
}

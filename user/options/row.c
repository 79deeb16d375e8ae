// SPDX-License-Identifier: GPL-2.0-only
#include "options/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/distance.h"
#include "base/duration.h"
#include "export/push/request.h"
#include "formats/formats.h"
#include "report/report_query.h"

#define ROW(k, s, l, f, g)                                                                                   \
	.kind = OPTION_##k, .short_name = s, .long_name = l, .offset = offsetof(struct options, f),          \
	.group = GROUP_##g
const struct option_row option_rows[OPTION_ROWS] = {
#define HEADING(t)		       { .kind = OPTION_HEADING, .help = t },
#define FLAG(s, l, f, g, h)	       { ROW(FLAG, s, l, f, g), .help = h },
#define NUMBER(s, l, m, f, g, v, a, b, h)                                                                    \
	{ ROW(NUMBER, s, l, f, g), .metavar = m, .value = v, .min = a, .max = b, .help = h },
#define TEXT(s, l, m, f, g, v, h)      { ROW(TEXT, s, l, f, g), .metavar = m, .text = v, .help = h },
#define CHOICE(s, l, f, g, v, c, h)    { ROW(CHOICE, s, l, f, g), .metavar = c, .value = v, .help = h },
#include "options/options.def"
};

void *row_field(struct options *o, const struct option_row *r)
{
	return (char *)o + r->offset;
}

const void *row_value(const struct options *o, const struct option_row *r)
{
	return (const char *)o + r->offset;
}

void row_set_defaults(struct options *o)
{
	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (r->kind == OPTION_NUMBER)
			*(long *)row_field(o, r) = r->value;
		else if (r->kind == OPTION_TEXT)
			*(const char **)row_field(o, r) = r->text;
		else if (r->kind == OPTION_CHOICE)
			*(int *)row_field(o, r) = r->value;
	}
}

const struct option_row *row_find(const char *name, size_t length, unsigned int groups)
{
	const struct option_row *other = NULL;

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (!r->long_name || strlen(r->long_name) != length || strncmp(r->long_name, name, length))
			continue;
		if (r->group & groups)
			return r;
		other = other ?: r;
	}
	return other;
}

const struct option_row *row_nearest(const char *name, unsigned int groups)
{
	const struct option_row *nearest = NULL;
	size_t left = distance_begin(name);

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (r->long_name && r->group & groups && distance_is_nearer(name, r->long_name, &left))
			nearest = r;
	}
	return nearest;
}

bool row_is_same(const struct options *a, const struct options *b, const struct option_row *r)
{
	const void *x = row_value(a, r), *y = row_value(b, r);

	if (r->kind == OPTION_FLAG)
		return *(const bool *)x == *(const bool *)y;
	if (r->kind == OPTION_NUMBER)
		return *(const long *)x == *(const long *)y;
	if (r->kind == OPTION_CHOICE)
		return *(const int *)x == *(const int *)y;
	return !strcmp(*(const char *const *)x ?: "", *(const char *const *)y ?: "");
}

bool row_is_reloaded(const struct option_row *r)
{
	enum { FIXED, RELOADED };
	static const unsigned int reloaded = 0
#define GROUP(name, sighup) | (sighup == RELOADED ? GROUP_##name : 0)
#include "options/options.def"
		;

	return r->group & reloaded;
}

/* Of an option that is a time, the seconds that its number stands for; 0: it is none. */
static double unit_of(const struct option_row *r)
{
	static const struct {
		const char *metavar;
		double seconds;
	} units[] = { { "MINUTES", 60 }, { "SECONDS", 1 }, { "MS", 1e-3 }, { "US", 1e-6 } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].metavar, r->metavar))
			return units[i].seconds;
	return 0;
}

#define TIME_PRECISION 1e-9 /* 0.1 s are no whole number of seconds, but 100 ms are 0.1 s */

/* A time with its unit, as a whole number of the option's. */
static int parse_time(const struct option_row *r, const char *text, double *ret)
{
	const double unit = unit_of(r);
	double seconds, n;

	if (!unit || duration_parse(text, 0, &seconds) || seconds / unit > r->max)
		return -EINVAL;
	n = (double)(long)(seconds / unit + 0.5);
	if (n * unit - seconds > TIME_PRECISION * seconds || seconds - n * unit > TIME_PRECISION * seconds)
		return -EINVAL;
	*ret = n;
	return 0;
}

static int parse_number(const struct option_row *r, const char *text, long *ret)
{
	double time;
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (!errno && end != text && !*end)
		time = n;
	else if (parse_time(r, text, &time))
		return -EINVAL;
	if (time < r->min || time > r->max)
		return -EINVAL;
	*ret = time;
	return 0;
}

static int refuse_number(const struct option_row *r, const char *value, char *error, size_t size)
{
	return options_fail(error, size, "--%s wants a whole number%s from %ld to %ld, not '%s'",
			    r->long_name,
			    unit_of(r) == 1    ? " of seconds, or " DURATION_EXAMPLES "," :
			    unit_of(r) == 60   ? " of minutes, or 10m, 1h or 1d," :
			    unit_of(r) == 1e-3 ? " of ms, or 20ms or 1s," :
			    unit_of(r)	       ? " of us, or 100us or 1ms," :
						 "",
			    r->min, r->max, value);
}

static int parse_choice(const char *choices, const char *text)
{
	size_t length = strlen(text);

	for (int i = 0; *choices; i++) {
		size_t n = strcspn(choices, "|");

		if (n == length && !strncmp(choices, text, n))
			return i;
		choices += n + (choices[n] == '|');
	}
	return -1;
}

static int refuse_option(const struct options *o, const struct option_row *r, char *error, size_t size)
{
	unsigned int groups = 0; /* of all of this name */
	char others[128];

	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (option_rows[i].long_name && !strcmp(option_rows[i].long_name, r->long_name))
			groups |= option_rows[i].group;
	commands_names(groups, others, sizeof(others));
	return options_fail(error, size, "--%s does not go with %s, only with %s", r->long_name,
			    o->subcommand->name, others);
}

int row_set(struct options *o, const struct option_row *r, const char *value, char *error, size_t size)
{
	void *field = row_field(o, r);

	if (!(o->subcommand->takes & r->group))
		return refuse_option(o, r, error, size);
	switch (r->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)field = value;
		return 0;
	case OPTION_NUMBER:
		return parse_number(r, value, field) ? refuse_number(r, value, error, size) : 0;
	case OPTION_CHOICE:
		*(int *)field = parse_choice(r->metavar, value);
		if (*(int *)field < 0)
			return options_fail(error, size, "--%s wants one of %s, not '%s'", r->long_name,
					    r->metavar, value);
		return 0;
	case OPTION_HEADING:
		break;
	}
	return -EINVAL;
}

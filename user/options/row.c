// SPDX-License-Identifier: GPL-2.0-only
#include "options/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "answers/question.h"
#include "base/cleanup.h"
#include "options/fail.h"
#include "profile/formats.h"

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

static int parse_number(const char *text, long min, long max, long *ret)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max)
		return -EINVAL;
	*ret = n;
	return 0;
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
		if (parse_number(value, r->min, r->max, field))
			return options_fail(error, size,
					    "--%s wants a whole number from %ld to %ld, not '%s'",
					    r->long_name, r->min, r->max, value);
		return 0;
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

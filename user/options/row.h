/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * row.h - options.def as a table: what an option is called, where struct options has it, and which values it
 * takes. For options/ alone.
 */
#ifndef PYPERF_OPTIONS_ROW_H
#define PYPERF_OPTIONS_ROW_H

#include "options/options.h"

enum option_kind { OPTION_HEADING, OPTION_FLAG, OPTION_NUMBER, OPTION_TEXT, OPTION_CHOICE };

struct option_row {
	enum option_kind kind;
	unsigned int group; /* a GROUP_ bit */
	char short_name;
	const char *long_name;
	const char *metavar; /* of a choice: its choices */
	size_t offset;	     /* in struct options */
	long value, min, max;
	const char *text;
	const char *help;
};

extern const struct option_row option_rows[OPTION_ROWS];

void *row_field(struct options *o, const struct option_row *r);
const void *row_value(const struct options *o, const struct option_row *r);
/* Empties o, and gives each option its default. */
void row_set_defaults(struct options *o);
/*
 * The option of this long name, or NULL. Where two commands have options of one name, it is that of these
 * groups.
 */
const struct option_row *row_find(const char *name, size_t length, unsigned int groups);
/* The option of these groups that is perhaps meant by a long name which is none; NULL if none is like it. */
const struct option_row *row_nearest(const char *name, unsigned int groups);
bool row_is_same(const struct options *a, const struct options *b, const struct option_row *r);
bool row_is_reloaded(const struct option_row *r);
/*
 * Sets it to what value says; a text is not copied, and a flag has no value. -EINVAL, with one line in error:
 * o's command does not take it, or it does not take this value.
 */
int row_set(struct options *o, const struct option_row *r, const char *value, char *error, size_t size);

#endif

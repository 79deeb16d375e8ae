/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answered.h - the answer to a question: tables, what is lost, and what a reader must know about it. Text and
 * JSON are two forms of it; neither adds a fact.
 */
#ifndef PYPERF_REPORT_ANSWERED_H
#define PYPERF_REPORT_ANSWERED_H

#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"
#include "report/finding.h"
#include "report/line_text.h"
#include "report/report_query.h"
#include "report/report_selection.h"
#include "report/table.h"
#include "report/traced.h"

#define ANSWERED_EVENTS_MAX 8
#define ANSWERED_TABLES_MAX (2 * ANSWERED_EVENTS_MAX)
#define ANSWERED_NOTES_MAX  32
#define ANSWERED_SOURCES_MAX 4

struct answered_note {
	const char *code; /* for programs: it does not change */
	char text[256];
};

struct answered {
	struct recorded *recorded;
	const struct report_query *question;
	struct report_selection chosen;
	struct report_selection events[ANSWERED_EVENTS_MAX]; /* of a trace: each kind of event that it has */
	size_t event_count;
	struct traced traced; /* of a trace, if one is asked for */
	struct report_table tables[ANSWERED_TABLES_MAX];
	size_t table_count;
	struct report_table markers; /* what stacks lack: rows are the marker frames, and only those */
	struct answered_note notes[ANSWERED_NOTES_MAX];
	size_t note_count;
	struct line_text sources[ANSWERED_SOURCES_MAX]; /* of a table of lines: of the first functions */
	size_t source_count;
	const struct findings *findings; /* borrowed; NULL: nobody has asked */
};

/* 0; -ENOMEM; -E2BIG; -EINVAL with one line in error. answered_free() it in each case. */
int answered_make(struct recorded *r, const struct report_query *q, struct answered *ret, char *error,
		  size_t size);
void answered_free(struct answered *a);

/* value of all that there is of the table's event; 0 of nothing. */
double answered_share(const struct report_table *t, __s64 value);
/* Whether anything was sampled at all. */
static inline bool answered_is_empty(const struct answered *a)
{
	return !a->chosen.total && !a->event_count;
}

/* The text of a line of a table of lines; NULL = it is not known. */
const char *answered_source(const struct answered *a, const struct report_table *t,
			    const struct table_row *row);

/* As lines for people. 0 or -ENOMEM. */
int answered_text(const struct answered *a, bool colour, struct buf *out);
/* As JSON: docs/schemas/report.json. 0 or -ENOMEM. */
int answered_json(const struct answered *a, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report_query.h - what is asked of a profile, as `pyperf-bpf report` takes it.
 */
#ifndef PYPERF_REPORT_REPORT_QUERY_H
#define PYPERF_REPORT_REPORT_QUERY_H

#include <stdbool.h>
#include <stddef.h>

struct line_asker;

enum answer_by {
#define BY(NAME, name, of, title) BY_##NAME,
#include "report/by.def"
	BY_LABEL, /* any label: label:NAME */
	BY_KINDS
};

enum by_of { OF_OWN, OF_ALL, OF_NATIVE, OF_WAIT, OF_LABEL, OF_IMPORT };

struct by_row {
	const char *name, *title;
	enum by_of of;
};

extern const struct by_row by_rows[BY_KINDS];

extern const char by_names[]; /* "function, line, ..., label:NAME": what --by takes */
extern const char by_help[];  /* of --by */
extern const char by_about[]; /* of what a program asks by */

/* All texts are borrowed; NULL = not asked. */
struct report_query {
	const char *by, *event, *focus, *ignore, *callers, *callees, *lines;
	const char *of;	   /* what a finding is about, and nothing else: its code, and ... */
	const bool *only;  /* ... by stack id - 1, which stacks those are; NULL = all */
	const char *trace; /* 32 digits: of what was done for this one alone, as if nothing else was there */
	bool tree, fold;
	bool no_tables;			/* findings alone */
	bool flat;			/* rows, also of what would be a tree */
	size_t top;			/* rows of each table */
	const struct line_asker *asker; /* for the text of lines; NULL: files of this machine alone */
};

/* What --by says. *ret_label: the name behind "label:", or NULL. 0 or -EINVAL. */
int report_query_by(const char *by, enum answer_by *ret, const char **ret_label);

#endif

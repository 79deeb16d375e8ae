/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - a profile as the rows of one table: what used the CPUs, and how much of it.
 */
#ifndef PYPERF_TOP_ROWS_H
#define PYPERF_TOP_ROWS_H

#include "profile/profile.h"

/* VIEW(name, key, word, title of the first column, of the second) */
#define TOP_VIEWS_OF(VIEW)                                          \
	VIEW(FUNCTIONS, 'f', "functions", "function", "file")       \
	VIEW(LINES, 'l', "lines", "function", "line")               \
	VIEW(NATIVE, 'n', "native", "native function", "library")   \
	VIEW(PACKAGES, 'a', "packages", "package", "kind")          \
	VIEW(WAITS, 'w', "waits", "who waits", "for what")          \
	VIEW(PROCESSES, 'p', "processes", "process", "pid")         \
	VIEW(THREADS, 't', "threads", "thread", "tid in process")   \
	VIEW(PODS, 'o', "pods", "pod", "namespace")                 \
	VIEW(ENDPOINTS, 'r', "endpoints", "endpoint", "process")

enum top_view {
#define VIEW(name, key, word, first, second) TOP_##name,
	TOP_VIEWS_OF(VIEW)
#undef VIEW
	TOP_VIEWS
};

#define TOP_NAME_SIZE  192
#define TOP_WHERE_SIZE 256

/* Texts are valid UTF-8 as a terminal may show them (buf_add_shown()). */
struct top_row {
	char name[TOP_NAME_SIZE], where[TOP_WHERE_SIZE]; /* which together name it */
	double self, total;				 /* CPUs: 0.5 is half of one */
	double before;					 /* self, in another profile: top_rows_compare() */
	double since; /* self since the start, in the unit of the kind of event: top_rows_add_since() */
};

struct top_rows {
	struct top_row *rows;
	size_t count;
	double all;    /* of all samples, CPUs */
	double lost;   /* of these, where only a marker is known, ... */
	double of_c;   /* ... and those of threads of C */
	__u64 samples; /* that they rest on; 0 = each event was counted */
};

/*
 * Adds up a profile, of the kind that profile_shown() says. A profile without time has no rows. 0 or -ENOMEM.
 * top_rows_free() in any case.
 */
int top_rows_make(const struct profile *p, enum top_view view, struct top_rows *ret);
void top_rows_free(struct top_rows *r);

/*
 * Sets `before` of each row from those of another profile, and adds rows of 0 for what is only in that one. 0
 * or -ENOMEM.
 */
int top_rows_compare(struct top_rows *r, const struct top_rows *before);

/*
 * Sets `since` of each row from those of a profile of all the time since the start, where one CPU is so much,
 * and adds rows of 0 for what is only in that one. 0 or -ENOMEM.
 */
int top_rows_add_since(struct top_rows *r, const struct top_rows *whole, double of_one_cpu);

enum top_order { TOP_BY_SELF, TOP_BY_TOTAL, TOP_BY_SINCE, TOP_BY_CHANGE, TOP_ORDERS };

void top_rows_sort(struct top_rows *r, enum top_order order);
/* Keeps the rows whose texts have this one in them, in any case of letters. "" keeps all. */
void top_rows_filter(struct top_rows *r, const char *text);
/* Of lines, those that have the name and the file of this row, which is of functions or lines. */
void top_rows_keep_lines_of(struct top_rows *r, const struct top_row *function);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_header.h - what a pprof file says before its samples: which values each of them has, of which time it
 * is, and in comments what a reader has to know of the ticks that are missing.
 */
#ifndef PYPERF_FORMATS_PPROF_HEADER_H
#define PYPERF_FORMATS_PPROF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/accounts.h"
#include "profile/carried.h"
#include "profile/events.h"
#include "profile/full_tables.h"
#include "profile/profile.h"
#include "profile/start_times.h"

#define PPROF_TYPES_MAX	   (2 * EVENT_KINDS + 1)
#define PPROF_COMMENTS_MAX (8 + FULL_TABLES + ACCOUNTS_LINES + PROFILE_QUOTAS_MAX + \
			    START_TIMES_LINES)
#define PPROF_COMMENT_SIZE 512 /* more than four CPUs, or a quota, with the largest numbers take */

struct pprof_stream;
struct pprof_strings;
struct profile;
struct profile_stack;

/* A sample type: the counts of a kind of event, or the time that they stand for. type and unit are words. */
struct pprof_type {
	enum event_kind kind;
	bool is_time;
	bool is_carried; /* the books, which are of no kind */
	int64_t type, unit;
};

struct pprof_header {
	const struct profile *profile;
	struct pprof_strings *strings;
	struct pprof_type types[PPROF_TYPES_MAX];
	size_t type_count;
	char comments[PPROF_COMMENTS_MAX][PPROF_COMMENT_SIZE];
	size_t comment_count;
	struct carried carried[CARRIED_MAX];
	size_t carried_count; /* 0: they are not part of it */
};

/*
 * Makes the header of a profile, and puts its words into the strings, which borrow its comments. carries: its
 * books are a sample type, too.
 */
void pprof_header_open(struct pprof_header *h, const struct profile *p, bool carries,
		       struct pprof_strings *strings);

/* The word of the type that is shown first: of the first kind, the time if it has both. */
int64_t pprof_header_default(const struct pprof_header *h);

/* What a stack has of a sample type, INT64_MAX if it is more than that. */
int64_t pprof_header_value(const struct pprof_header *h, size_t type, const struct profile_stack *stack);

/* 0 or -errno of pprof_stream_put(). */
int pprof_header_write(const struct pprof_header *h, struct pprof_stream *stream);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traced.h - one request on a line of time: what each thread did for a trace, from when to when. It is made
 * of the moments that a log of samples has; a profile has none.
 */
#ifndef PYPERF_REPORT_TRACED_H
#define PYPERF_REPORT_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"
#include "recorded/recorded.h"
#include "report/report_selection.h"

/* What a thread did at one line, of one kind of event, without anything between. */
struct traced_stretch {
	__s64 begin, end; /* ns since 1970; equal for a moment */
	__s64 amount;	  /* in the unit of its type */
	__u32 type;
	__u32 count;   /* moments */
	__u32 stack;   /* of the first of them */
	__u32 thread;  /* index */
	bool is_shown; /* it is among the longest */
};

struct traced_thread {
	__s64 pid, tid;	  /* 0 = not known */
	__u32 comm, name; /* strings */
	__s64 begin, end;
	size_t first, count; /* of its stretches */
};

struct traced {
	const struct recorded *recorded;
	const char *trace;
	__u32 span_key;			  /* string: the label that has the id of a span */
	struct traced_stretch *stretches; /* by thread, and then by time */
	struct traced_thread *threads;
	size_t stretch_count, thread_count;
	size_t left_out;    /* stretches that are not shown */
	size_t spans;	    /* different ones, with or without times */
	size_t traces;	    /* different ones of which anything is there */
	__s64 without, all; /* of the event: what has no ids, and what there is in all */
	__s64 begin, end;   /* of all of it; 0 = no times are known */
};

/*
 * c says of which event `without` is. At most `top` stretches of each thread are shown, the longest. 0,
 * -ENOMEM or -E2BIG; traced_free() it in each case.
 */
int traced_make(const struct report_selection *c, const char *trace, size_t top, struct traced *ret);
void traced_free(struct traced *t);

/* The place that a stretch is at: its line of Python, if it has one; 0 = none. */
__u32 traced_place(const struct traced *t, const struct traced_stretch *s);
/*
 * What the thread waited in or for there, or its native code; of a wait for the GIL the line of who had it,
 * which traced_is_held() says: a place; 0 = none.
 */
__u32 traced_inner(const struct traced *t, const struct traced_stretch *s);
bool traced_is_held(const struct traced *t, const struct traced_stretch *s);
/* The id of its span: a string. */
__u32 traced_span(const struct traced *t, const struct traced_stretch *s);

/* As lines for people. 0 or -ENOMEM. */
int traced_text(const struct traced *t, bool colour, struct buf *out);
/* As JSON: "trace" of docs/schemas/report.json. 0 or -ENOMEM. */
int traced_json(const struct traced *t, struct buf *out);

#endif

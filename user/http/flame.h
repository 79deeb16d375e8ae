/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.h - the profile of the last interval, or of some of the last ones: /flamegraph.json has it in the
 * form of profile/flamegraph.h, and /debug/pyperf/interval in that of profile/graph.h or in any format. The
 * client's query selects samples by their labels. It is made in a thread, once for each profile and query,
 * and clients wait for it meanwhile. Queries that differ get a tenth of the time.
 */
#ifndef PYPERF_HTTP_FLAME_H
#define PYPERF_HTTP_FLAME_H

#include <stddef.h>

#include "http/answer.h"
#include "http/encode_job.h"
#include "http/history.h"
#include "profile/filter.h"

struct job;
struct recent;

#define FLAME_ROWS	    8	/* answers that are kept, beside those without a filter */
#define FLAME_BYTES_MAX	    (64UL << 20) /* of these, beside the newest */
#define FLAME_WAITING_MAX   16	/* clients that wait for one */
#define FLAME_SHARE	    0.1 /* of the time, for answers with a filter ... */
#define FLAME_SECONDS_SAVED 1.0 /* ... of which so many seconds may be spent at once */

/* Serial numbers of the first interval and the last one; 0, 0 = the newest, whichever it is. */
struct stretch {
	unsigned long first, last;
};

struct flame {
	int eventfd;	       /* readable when flame_run() has something to do */
	struct recent *recent; /* borrowed */
	unsigned long of; /* the newest serial number when a job was begun: answers of the newest are of it */
	struct MHD_Response *whole[ENCODE_FORMATS - FORMATS]; /* without a filter, by enum encode_format */
	struct {
		struct profile_filter filter;
		int format;
		struct stretch stretch;
		struct MHD_Response *response; /* NULL: it is free */
		size_t size;		       /* bytes of it */
	} rows[FLAME_ROWS];
	size_t next;	       /* row to be replaced */
	struct job *job; /* under way, or NULL */
	struct stretch stretch; /* of it */
	struct interval *lent[HISTORY_MAX]; /* what it reads ... */
	const struct profile *parts[HISTORY_MAX];
	size_t lent_count;
	double begun;	       /* when it was, CLOCK_MONOTONIC seconds */
	int error;	       /* of the last job */
	struct MHD_Connection *waiting[FLAME_WAITING_MAX];
	size_t waiting_count;
	double spent;  /* seconds that are not made up for yet ... */
	double looked; /* ... at this time */
	bool ended;    /* nothing is begun any more */
};

/* 0 or -errno. */
int flame_open(struct flame *f, struct recent *recent);
/* Nobody waits any more, what is under way is stopped, and who asks is refused. */
void flame_finish(struct flame *f);
/* Forgets all answers, too. */
void flame_close(struct flame *f);

/*
 * Answers, or has the client wait: then MHD calls again, and *waited is true. The caller keeps it for the
 * request; it is false at first.
 */
enum MHD_Result flame_answer(struct flame *f, const struct client *c, bool *waited);
/* The same for /debug/pyperf/interval. */
enum MHD_Result flame_answer_interval(struct flame *f, const struct client *c, bool *waited);
/* Takes what the thread has made, and wakes who waits for it. */
void flame_run(struct flame *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - the event loop: a list of rows, each with what it waits for and what it then does. Whoever has
 * something to do during a run adds a row, mostly by a function of its own that is called x_watch(), and the
 * loop knows nothing of what it is for. What must be done in one order is so since its rows were added in it.
 */
#ifndef PYPERF_BASE_LOOP_H
#define PYPERF_BASE_LOOP_H

#include <stddef.h>

#include "base/turn_times.h"

#define LOOP_ROWS_MAX 32

/* Why a turn came; bits. */
enum loop_ready {
	LOOP_READABLE = 1, /* the row's descriptor */
	LOOP_SECOND = 2,   /* the loop's interval has passed, a second in a run */
};

struct loop_row {
	int fd; /* watched until the loop is closed; -1 = none */
	/* Milliseconds until run() is due although nothing is readable; -1 = never. NULL = never. */
	int (*timeout_ms)(void *context);
	/* Called in every turn, in the order of the rows; it must not wait, nor take long. */
	void (*run)(void *context, unsigned int ready);
	void *context;
};

struct loop {
	int epoll, signals, timer;
	int schedstat; /* -1 = not on this kernel */
	size_t count;
	struct loop_row rows[LOOP_ROWS_MAX];
	struct turn_times times; /* of what the rows did, without the waiting */
};

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGUSR2 and SIGCHLD, to be read as events; those of the first three that
 * were ignored stay ignored. Ignores SIGPIPE. LOOP_SECOND comes each interval_ms. 0 or -errno.
 */
int loop_open(struct loop *l, int interval_ms);
void loop_close(struct loop *l);
/* Adds a row that is run after those before it. 0, -ENOSPC or -errno. */
int loop_watch(struct loop *l, const struct loop_row *row);
/* Whose context this is, is about to go: its rows are not run any more. NULL for l is fine. */
void loop_unwatch(struct loop *l, const void *context);
/* Readable when loop_signal() has one. */
int loop_signals_fd(const struct loop *l);
/* The next signal that came in, or 0. */
int loop_signal(struct loop *l);
/* Waits, at most timeout_ms (-1 = for ever), until a row has something to do, and runs all. 0 or -errno. */
int loop_turn(struct loop *l, int timeout_ms);
/* A second SIGINT or SIGTERM from now on ends the process at once, whatever it is doing. */
void loop_hasty(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * window.h - profiles of stretches of time. The kernel's counts only go up, so a window is a copy of them from
 * when it began; several may be open at once and overlap. Before the tables are emptied (a new generation of the
 * tree) every open window takes what it has, so nothing is lost.
 */
#ifndef PYPERF_AGENT_WINDOW_H
#define PYPERF_AGENT_WINDOW_H

#include <stdbool.h>
#include <time.h>

#include "agent/harvest.h"

struct window;

/* All windows of a run, and where they take from. Zero but for source and frequency. */
struct windows {
	struct harvest_source source;
	__u32 frequency; /* samples per second of each CPU */
	struct timespec stop; /* CLOCK_MONOTONIC when the ticks stopped; 0 = they go on */
	struct window *first;
	__u64 *mark; /* of windows_mark() */
};

/* Begins now. Returns 0 or -ENOMEM. */
int window_open(struct windows *all, struct window **ret);
void window_close(struct window *w);

/*
 * The next take ends here, not when it happens: there is time to learn the names of what was counted. Forgotten
 * if the tables are emptied first, since that takes all. Returns 0 or -ENOMEM.
 */
int window_mark(struct window *w);
/*
 * What was counted since the window was opened or taken last, as a profile of its own; the window goes on from
 * here, or from the mark. -ENOMEM: what was counted stays in the window.
 */
int window_take(struct window *w, struct profile **ret, struct harvest_stats *ret_stats);
/*
 * The same in two steps, for who may fail to pass it on: the profile stays the window's, valid until the next call,
 * and the counts are in the window until window_done(). Looking twice without that adds what came meanwhile.
 */
int window_look(struct window *w, const struct profile **ret, struct harvest_stats *ret_stats);
void window_done(struct window *w);
/* Seconds since it was opened or taken last, up to the mark if there is one. */
double window_seconds(const struct window *w);

/*
 * A new generation of the tables takes three steps. While the ticks go on: a mark, and once the names of all that
 * is before it are there, every window absorbs it, which is most of the work. -ENOMEM: as if not called.
 */
int windows_mark(struct windows *all);
int windows_absorb(struct windows *all);
/*
 * While no tick can change the tables: what came since, before they are emptied (now_empty false), and their new
 * counts of 0 after that (true). -ENOMEM, only before: the tables must not be emptied, or counts are lost.
 */
int windows_rotate(struct windows *all, bool now_empty);

#endif

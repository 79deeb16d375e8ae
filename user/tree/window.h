/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * window.h - profiles of stretches of time. The kernel's counts only go up, so a window is a copy of them from
 * when it began; several may be open at once and overlap. Before a bank of the tables is cleared (a new generation of
 * the tree) every open window takes what it has there, so nothing is lost.
 */
#ifndef PYPERF_TREE_WINDOW_H
#define PYPERF_TREE_WINDOW_H

#include <stdbool.h>

#include "tree/harvest.h"

struct window;

/* All windows of a run, and where they take from. Zero but for source, events and frequency. */
struct windows {
	struct harvest_source source;
	__u32 events;	 /* EVENT_BIT()s of the kinds that the profiles are of */
	__u32 frequency; /* samples per second of each CPU */
	__u64 stop_ns; /* clock_ns() when the ticks stopped; 0 = they go on */
	struct window *first;
};

/* Begins now. Returns 0 or -ENOMEM. */
int window_open(struct windows *all, struct window **ret);
void window_close(struct window *w);

/*
 * The next take ends here, not when it happens: there is time to learn the names of what was counted. Moved if a bank
 * is cleared first. Returns 0 or -ENOMEM.
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

/*
 * The nodes of a bank that the ticks have left are to be cleared. First the windows that have a mark move it to now,
 * since all that is there becomes part of what they have; the ring buffer is to be read after that. Then every window
 * absorbs it. -ENOMEM: they must not be cleared, or counts are lost; to be called again.
 */
void windows_move_marks(struct windows *all);
int windows_absorb(struct windows *all, struct kernel_range nodes);
/* They have been cleared: their counts begin at 0. */
void windows_forget(struct windows *all, struct kernel_range nodes);

#endif

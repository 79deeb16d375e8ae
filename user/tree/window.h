/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * window.h - profiles of stretches of time. The kernel's counts only go up, so a window is a copy of the
 * counts from when it began. Several windows may be open at once and overlap. Before a bank of the tables is
 * cleared (for a new generation of the tree) every open window takes what was counted there, so nothing is
 * lost.
 */
#ifndef PYPERF_TREE_WINDOW_H
#define PYPERF_TREE_WINDOW_H

#include <stdbool.h>

#include "base/complaint.h"
#include "tree/harvest.h"
#include "tree/weight.h"

/* How long the harvests of all windows together may take in one turn of the event loop, ns. */
#define WINDOW_PART_NS 20000000ULL

struct loop;
struct window;

/* All windows of a run. Whoever makes it sets inputs, events and frequency; the rest begins as 0. */
struct windows {
	struct harvest_inputs inputs;
	__u32 events;	 /* EVENT_BIT()s of the kinds that the profiles are of */
	__u32 frequency; /* samples per second of each CPU */
	bool timed;	 /* CPU time is that of the kernel's account, since waits are measured beside it */
	bool bare_natives, outside; /* of their struct profile_info */
	__u64 stop_ns;		    /* clock_ns() when the ticks stopped; 0 = they go on */
	__u64 pause_ns;		    /* clock_ns() when harvests in parts pause; 0 = never */
	/* How many ticks there were until now, and should have been. NULL: not known, all came. */
	void (*count_ticks)(void *context, struct tick_counts *ret);
	/* Counts what has passed of waits that go on; NULL = there are none. */
	void (*settle)(void *context);
	void *context; /* of both */
	struct window *first;
	__u64 more_endpoints; /* of all that was harvested */
	struct complaint endpoints_full;
};

/* A turn of the event loop begins, of which harvests in parts have WINDOW_PART_NS from now on. */
void windows_begin_turn(struct windows *all);
/* Adds the row that says so. It comes before the rows of all who harvest. 0 or -errno of loop_watch(). */
int windows_watch(struct windows *all, struct loop *loop);
/* The loop has ended: what is harvested from now on does not pause. */
void windows_end_turns(struct windows *all);

/* Begins now. Returns 0 or -ENOMEM. */
int window_open(struct windows *all, struct window **ret);
void window_close(struct window *w);

/*
 * Sets a mark: the next profile ends here, not when it is taken. So there is time to learn the names of what
 * was counted. If a bank is cleared before the profile is taken, the mark moves to that time; if taking it
 * fails, there is none any more. Returns 0 or -ENOMEM.
 */
int window_mark(struct window *w);
/*
 * Does a part of the work of the next look or take, so that the event loop need not stand still for all of
 * it, until the windows' pause_ns. -EAGAIN: there is more. 0: no more, or there is no mark, without
 * which new counts could always come. -ENOMEM: as window_take().
 */
int window_prepare(struct window *w);
/*
 * Takes a profile of what was counted since the window was opened, or since the last profile was taken. The
 * caller owns it. It ends at the mark if there is one, else now, and the window goes on from there. 0, or
 * -ENOMEM, and then what was counted stays in the window, which has no mark any more.
 */
int window_take(struct window *w, struct profile **ret, struct harvest_stats *ret_stats);
/*
 * window_take() in two steps, for a caller that may fail to pass the profile on. window_look() makes the
 * profile, which belongs to the window and is valid until the next call. window_done() says that it was
 * passed on.
 * Until then the counts stay in the window, and another look has them again, with what came meanwhile.
 */
int window_look(struct window *w, const struct profile **ret, struct harvest_stats *ret_stats);
void window_done(struct window *w);
/* Distinct stacks that it has in its own memory, since their bank was cleared or a look has failed. */
__u32 window_stacks(const struct window *w);

/*
 * These three are called around the clearing of a bank that the ticks have left. First windows_move_marks()
 * moves all marks to now, since everything in the bank becomes part of what the windows have. The caller then
 * reads the ring buffer. windows_absorb() makes every window take what was counted in these nodes. It returns
 * 0; -ENOMEM; or -EAGAIN when the windows' pause_ns has come. After a failure the nodes
 * must not be cleared, or counts would be lost, and it is to be called again. When the nodes have been
 * cleared, windows_forget() says that their counts begin at 0.
 */
void windows_move_marks(struct windows *all);
int windows_absorb(struct windows *all, struct kernel_range nodes);
void windows_forget(struct windows *all, struct kernel_range nodes);

#endif

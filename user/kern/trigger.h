/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - what makes the sampler run on every CPU: perf events (ticks.h), or timers (timers.h) where the
 * system refuses perf events. This is decided before the programs are loaded, so that only those are loaded
 * that are needed.
 */
#ifndef PYPERF_KERN_TRIGGER_H
#define PYPERF_KERN_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum trigger_kind { TRIGGER_AUTO, TRIGGER_PERF, TRIGGER_TIMER, TRIGGER_OUTSIDE };

/* "perf", "timer", "outside"; "auto" as long as none is chosen. */
const char *trigger_name(enum trigger_kind kind);

struct pyperf;
struct ticks;
struct timers;

struct trigger {
	enum trigger_kind wanted, kind; /* kind is what it became, once that is chosen */
	__u32 frequency;		/* Hz */
	bool off;			/* there are no ticks: only other kinds of events are wanted */
	bool use_cycles;		/* hardware cycles instead of cpu-clock, for perf events */
	int cpus;
	struct ticks *ticks;
	struct timers *timers;
	bool on;	 /* from trigger_start() to trigger_stop() */
	bool running;	 /* it ticks; while it is on it may fail to, until the next attempt */
	__u64 suspended; /* ns that the machine had been suspended for at the last start */
	__u64 online;	 /* which CPUs were online at the last start, as a number to compare; 0 = not known */
	double begin;	 /* where the clock of trigger_expected() stood at the last start, s of one CPU */
	double before;	 /* the ticks that there should have been in the starts before */
	char reason[512]; /* why something failed, in words that say what to do */
};

/*
 * Chooses kind, from wanted, frequency and use_cycles, and lowers frequency to what is allowed. 0, or -errno
 * and a reason.
 */
int trigger_choose(struct trigger *t);
/* Before loading: leaves out the programs and maps that it does not need. */
void trigger_prepare(const struct trigger *t, struct pyperf *skel, int possible_cpus);
/* Whether timers are of no use here: they need a kernel that is not PREEMPT_RT. */
bool trigger_is_realtime_kernel(void);
/* Why the kernel rejected the programs, if the trigger is the reason; else NULL. */
const char *trigger_rejected(struct trigger *t);
/*
 * After loading: whether the kernel has the timers that are wanted, which only starting them tells. They are
 * due in an hour, and stopped. 0, or -EINVAL and a reason; what else fails is for trigger_start() to say.
 */
int trigger_try(struct trigger *t, struct pyperf *skel);
/* Starts the ticks; t->cpus is how many CPUs have them. 0, or -errno and a reason. */
int trigger_start(struct trigger *t, struct pyperf *skel);
void trigger_stop(struct trigger *t);
/*
 * A CPU that comes online has no ticks, and the timer of a CPU that went offline ticks on another one. When
 * either has happened, or the machine was suspended, all ticks start anew; so they do if lost says that a CPU
 * has none. Returns 1 then, and 0 if nothing changed. If starting fails it returns -errno, with a reason;
 * there are no ticks then, and the next call tries again.
 */
int trigger_follow_cpus(struct trigger *t, struct pyperf *skel, bool lost);
/*
 * So many ticks a second from now on, at most as many as is allowed: t->frequency. They start anew. 0, or
 * -errno and a reason; there are no ticks then, and trigger_follow_cpus() tries again.
 */
int trigger_set_frequency(struct trigger *t, struct pyperf *skel, __u32 frequency);

/*
 * How many ticks there should have been until now; 0 if that cannot be known (cycles). For timers it is
 * exact, since they tick on idle CPUs as well. Perf events do not. For them it is frequency x the time that
 * all CPUs together spent on programs (/proc/stat), which most kernels know only to some percent.
 */
__u64 trigger_expected(const struct trigger *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - what makes the sampler run on every CPU: perf events (ticks.h), or timers (timers.h) where the system
 * refuses those. Decided before the programs are loaded: only the ones that are needed are.
 */
#ifndef PYPERF_KERN_TRIGGER_H
#define PYPERF_KERN_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum trigger_kind { TRIGGER_AUTO, TRIGGER_PERF, TRIGGER_TIMER };

struct pyperf;
struct ticks;
struct timers;

struct trigger {
	enum trigger_kind wanted, kind; /* kind: what it is, once chosen */
	__u32 frequency;		/* Hz */
	bool use_cycles;		/* hardware cycles instead of cpu-clock, for perf events */
	int cpus;
	struct ticks *ticks;
	struct timers *timers;
	bool on;      /* from trigger_start() to trigger_stop() */
	bool running; /* it ticks */
	__u64 online; /* which CPUs were, when it was started */
	double begin, before; /* where the clock of trigger_expected() stood at the last start; seconds before that */
	char reason[256];	 /* why something failed, in words that say what to do */
};

/* From wanted, frequency and use_cycles; lowers frequency to what is allowed. On failure -errno and a reason. */
int trigger_choose(struct trigger *t);
/* Before loading: which programs and maps it needs. */
void trigger_prepare(const struct trigger *t, struct pyperf *skel, int possible_cpus);
/* Why the programs were rejected, when that is the trigger's doing; else NULL. */
const char *trigger_rejected(struct trigger *t);
/* CPUs that tick are in t->cpus. On failure -errno and a reason. */
int trigger_start(struct trigger *t, struct pyperf *skel);
void trigger_stop(struct trigger *t);
/*
 * A CPU that comes online has no ticks, and the timer of one that went ticks on another: when either happened, starts
 * anew. Returns 1 if so, 0 if nothing changed, -errno and a reason if it does not tick now; the next call tries again.
 */
int trigger_follow_cpus(struct trigger *t, struct pyperf *skel);

/*
 * Ticks that there were to be until now; 0 if that cannot be known (cycles). Timers tick on idle CPUs as well, so it is
 * exact. Perf events do not: it is for the time that all CPUs together spent on programs, /proc/stat, which most
 * kernels know to some percent only.
 */
__u64 trigger_expected(const struct trigger *t);

#endif

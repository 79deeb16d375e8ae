/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timer.h - ticks without perf events: a timer for each CPU that runs the sampler and starts itself again.
 *
 * The kernel calls it in a softirq, at the end of the timer's interrupt, where the current task is the one
 * that was interrupted. It holds a reference to its program until user space has closed the map: nothing is
 * left behind.
 */
#ifndef PYPERF_BPF_EVENTS_TIMER_H
#define PYPERF_BPF_EVENTS_TIMER_H

#include "bpf/events/loop_turn.h"

/* As in linux/bpf.h: absolute times since Linux 6.4, timers that stay on their CPU since 6.7. */
#define TIMER_ABS     1
#define TIMER_CPU_PIN 2
#define TIMER_CLOCK   1 /* CLOCK_MONOTONIC */

/* As in asm-generic/errno-base.h. */
#define ENOENT 2
#define EBUSY  16

/*
 * A tick, and the start of the next. A timer whose CPU goes offline is moved to another one: there it ends.
 */
static int on_timer(void *map, __u32 *cpu, struct cpu_timer *t)
{
	__u64 now, period = rates.period;

	if (*cpu != bpf_get_smp_processor_id())
		return 0;
	loop_tick();
	/* The next time in the future: what was missed is not made up for, and the CPU always gets on. */
	now = bpf_ktime_get_ns();
	t->due += now > t->due && period ? ((now - t->due) / period + 1) * period : period;
	bpf_timer_start(&t->timer, t->due, TIMER_ABS | TIMER_CPU_PIN);
	return 0;
}

/*
 * Starts the timer of the CPU that this runs on. 0, or -errno: -ENOENT for no such CPU, -EINVAL before Linux
 * 6.7.
 */
static __always_inline int timer_begin(const struct timer_request *request)
{
	__u32 cpu = request->cpu;
	struct cpu_timer *t = bpf_map_lookup_elem(&timers, &cpu);
	long err;

	if (!t)
		return -ENOENT;
	err = bpf_timer_init(&t->timer, &timers, TIMER_CLOCK);
	/*
	 * -EBUSY: it was started before. Where the kernel has no such timers, bpf_timer_start() says -EINVAL.
	 */
	if (err && err != -EBUSY)
		return err;
	bpf_timer_set_callback(&t->timer, on_timer);
	t->due = request->first;
	return bpf_timer_start(&t->timer, t->due, TIMER_ABS | TIMER_CPU_PIN);
}

/*
 * Stops a CPU's timer, from any CPU. Waits for the end of a tick that is being taken, and keeps it from
 * starting the timer again. 0, 1 if the timer was running, or -errno.
 */
static __always_inline int timer_end(const struct timer_request *request)
{
	__u32 cpu = request->cpu;
	struct cpu_timer *t = bpf_map_lookup_elem(&timers, &cpu);

	return t ? bpf_timer_cancel(&t->timer) : -ENOENT;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ticks.h - ticks by a perf event on every CPU.
 */
#ifndef PYPERF_KERN_TICKS_H
#define PYPERF_KERN_TICKS_H

#include <stdbool.h>
#include <linux/types.h>

struct ticks;
struct bpf_program;

/*
 * Hz. The kernel would allow 100,000: on a virtual machine of two CPUs, where a tick takes some 10 us with
 * all that the hypervisor has to do for it, such an event left its CPU no time for anything else, for a
 * minute.
 */
#define TICKS_FREQUENCY_MAX 20000

/* Lowers *frequency (Hz) to that, and to what the kernel allows, kernel.perf_event_max_sample_rate. */
void ticks_limit_frequency(__u32 *frequency);

/* Whether the system lets us open such an event: 0, or -errno of perf_event_open(). */
int ticks_probe(__u32 frequency, bool use_cycles);
/* Runs the program `frequency` times a second on every online CPU that is not idle. 0 or -errno. */
int ticks_start(struct ticks **ret, struct bpf_program *program, __u32 frequency, bool use_cycles,
		int *ret_cpus);
void ticks_stop(struct ticks *t);

#endif

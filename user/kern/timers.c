// SPDX-License-Identifier: GPL-2.0-only
#include "kern/timers.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bpf/abi.h"

#define CPUS_MIN 1024 /* the kernel refuses masks that are shorter than its own */

/*
 * From Linux 6.18 on bpf_timer_init() takes memory without waiting for a lock (kmalloc_nolock()), and gets
 * none while somebody else holds that lock. Tried again for at least 200 ms.
 */
#define START_TRIES    200
#define START_PAUSE_US 1000

struct timers {
	int stop_fd;
	int count;
	int cpus[];
};

struct affinity {
	cpu_set_t *before, *one;
	size_t size;
};

static int affinity_save(struct affinity *a, int cpus)
{
	int err;

	if (cpus < CPUS_MIN)
		cpus = CPUS_MIN;
	a->size = CPU_ALLOC_SIZE(cpus);
	a->before = CPU_ALLOC(cpus);
	a->one = CPU_ALLOC(cpus);
	if (!a->before || !a->one)
		return -ENOMEM;
	if (!sched_getaffinity(0, a->size, a->before))
		return 0;
	err = -errno;
	CPU_FREE(a->before);
	a->before = NULL;
	return err;
}

static int affinity_move(struct affinity *a, int cpu)
{
	CPU_ZERO_S(a->size, a->one);
	CPU_SET_S(cpu, a->size, a->one);
	return sched_setaffinity(0, a->size, a->one) ? -errno : 0;
}

static void affinity_restore(struct affinity *a)
{
	if (a->before)
		sched_setaffinity(0, a->size, a->before);
	CPU_FREE(a->before);
	CPU_FREE(a->one);
}

static int run(int fd, struct timer_request *request)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .ctx_in = request, .ctx_size_in = sizeof(*request));

	return bpf_prog_test_run_opts(fd, &o) ? -errno : (int)o.retval;
}

static int start_one(int start_fd, struct timer_request *request)
{
	int err = run(start_fd, request);

	for (int i = 1; err == -ENOMEM && i < START_TRIES; i++) {
		usleep(START_PAUSE_US);
		err = run(start_fd, request);
	}
	return err;
}

/*
 * First ticks are spread over the period, since CPUs that all tick at once would meet in the tables. The sum
 * of their times, in seconds, is added to *first.
 */
static int start_all(struct timers *t, struct affinity *a, int start_fd, __u64 period_ns, int cpus,
		     double *first)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct timer_request request = { .cpu = cpu };
		int err = affinity_move(a, cpu); /* the move takes a while when that CPU is busy */

		if (err == -EINVAL) /* offline, or not in this container's set of CPUs */
			continue;
		request.first = clock_ns() + period_ns + period_ns * cpu / cpus;
		if (!err)
			err = start_one(start_fd, &request);
		if (err)
			return err;
		t->cpus[t->count++] = cpu;
		*first += (double)request.first / NS_PER_SECOND;
	}
	return t->count ? 0 : -ENODEV;
}

int timers_start(struct timers **ret, const struct bpf_program *start, const struct bpf_program *stop,
		 __u64 period_ns, int *ret_cpus, double *ret_first)
{
	int cpus = libbpf_num_possible_cpus(), err;
	double first = 0;
	struct affinity a = {};
	struct timers *t;

	if (cpus <= 0)
		return -EIO;
	t = calloc(1, sizeof(*t) + cpus * sizeof(t->cpus[0]));
	if (!t)
		return -ENOMEM;
	t->stop_fd = bpf_program__fd(stop);
	err = affinity_save(&a, cpus);
	if (!err)
		err = start_all(t, &a, bpf_program__fd(start), period_ns, cpus, &first);
	affinity_restore(&a);
	if (err) {
		timers_stop(t);
		return err;
	}
	*ret_cpus = t->count;
	*ret_first = first / t->count;
	*ret = t;
	return 0;
}

void timers_stop(struct timers *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->count; i++)
		run(t->stop_fd, &(struct timer_request){ .cpu = t->cpus[i] });
	free(t);
}

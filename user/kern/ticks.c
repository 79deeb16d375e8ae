// SPDX-License-Identifier: GPL-2.0-only
#include "kern/ticks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"

struct ticks {
	int count;
	struct bpf_link *links[];
};

void ticks_limit_frequency(__u32 *frequency)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	__u32 limit;

	if (*frequency > TICKS_FREQUENCY_MAX)
		*frequency = TICKS_FREQUENCY_MAX;
	if (f && fscanf(f, "%u", &limit) == 1 && limit && *frequency > limit)
		*frequency = limit;
}

static int open_event(int cpu, __u32 frequency, bool use_cycles)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = use_cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = use_cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = frequency,
		.exclude_idle = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int ticks_probe(__u32 frequency, bool use_cycles)
{
	int cpus = libbpf_num_possible_cpus(), fd = -ENODEV;

	for (int cpu = 0; cpu < cpus && fd == -ENODEV; cpu++)
		fd = open_event(cpu, frequency, use_cycles);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int ticks_start(struct ticks **ret, struct bpf_program *program, __u32 frequency, bool use_cycles,
		int *ret_cpus)
{
	int cpus = libbpf_num_possible_cpus();
	struct ticks *t;

	if (cpus <= 0)
		return -EIO;
	t = calloc(1, sizeof(*t) + cpus * sizeof(t->links[0]));
	if (!t)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = open_event(cpu, frequency, use_cycles), err;
		struct bpf_link *link;

		if (fd == -ENODEV) /* offline */
			continue;
		if (fd < 0) {
			ticks_stop(t);
			return fd;
		}
		link = bpf_program__attach_perf_event(program, fd); /* owns fd from here on */
		if (!link) {
			err = -errno;
			close(fd);
			ticks_stop(t);
			return err;
		}
		t->links[t->count++] = link;
	}
	*ret_cpus = t->count;
	*ret = t;
	return 0;
}

void ticks_stop(struct ticks *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->count; i++)
		bpf_link__destroy(t->links[i]);
	free(t);
}

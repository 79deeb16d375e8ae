// SPDX-License-Identifier: GPL-2.0-only
/*
 * same_walk.c SECONDS - compares our walk of the kernel's stack with the kernel's own, at ticks of all CPUs
 * (same_walk.bpf.c). Prints a line of JSON; the addresses of the first two that differ go to stderr. Exits
 * with 1 if it could not begin.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "same_walk.skel.h"

#define HERTZ 499

static int attach(struct same_walk *s, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = HERTZ,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 || !bpf_program__attach_perf_event(s->progs.on_compare, fd);
}

int main(int argc, char **argv)
{
	struct same_walk *s = same_walk__open_and_load();
	const int cpus = libbpf_num_possible_cpus();

	if (argc != 2 || !s) {
		fprintf(stderr, "same_walk: %s\n", s ? "SECONDS" : strerror(errno));
		return 1;
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (attach(s, cpu)) {
			fprintf(stderr, "same_walk: CPU %d: %s\n", cpu, strerror(errno));
			return 1;
		}
	}
	sleep(atoi(argv[1]));
	printf("{\"ticks\": %llu, \"same\": %llu, \"frames\": %llu, \"different\": %llu, "
	       "\"deepest\": %llu}\n",
	       s->bss->ticks, s->bss->same, s->bss->same_frames, s->bss->different, s->bss->deepest);
	for (int i = 0; s->bss->different && i < 32; i++)
		fprintf(stderr, "%llx %llx\n", s->bss->example_ours[i], s->bss->example_theirs[i]);
	return 0;
}

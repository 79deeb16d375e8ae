// SPDX-License-Identifier: GPL-2.0-only
#include "proc/sched_clocks.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/small_file.h"

#define TEXT_MAX 16384
#define PAUSE_NS 50000

/* In ms, with six decimals. */
__u64 sched_clocks_parse(const char *text)
{
	const char *line = strstr(text, "\nse.exec_start");
	const char *colon = line ? strchr(line, ':') : NULL;
	unsigned long long ms, ns;

	if (!colon || sscanf(colon + 1, "%llu.%6llu", &ms, &ns) != 2)
		return 0;
	return ms * NS_PER_MS + ns;
}

/* After a short sleep a new turn on the CPU begins, of which its clock is noted. */
static void read_clock(struct sched_clocks *c, int cpu, const cpu_set_t *only, size_t size)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	_cleanup_free_ char *text = NULL;
	__u64 now, began;

	if (sched_setaffinity(0, size, only) || nanosleep(&pause, NULL))
		return;
	now = clock_ns();
	if (small_file_read("/proc/thread-self/sched", TEXT_MAX, &text))
		return;
	began = sched_clocks_parse(text);
	if (!began)
		return;
	c->behind[cpu] = (__s64)(now - began);
	c->known[cpu] = 1;
}

int sched_clocks_read(struct sched_clocks *ret)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	const size_t count = cpus > 0 ? (size_t)cpus : 1, size = CPU_ALLOC_SIZE(count);
	_cleanup_free_ cpu_set_t *all = calloc(1, size), *only = calloc(1, size);

	*ret = (struct sched_clocks){ .count = count,
				      .behind = calloc(count, sizeof(*ret->behind)),
				      .known = calloc(count, sizeof(*ret->known)) };
	if (!all || !only || !ret->behind || !ret->known)
		return -ENOMEM;
	if (sched_getaffinity(0, size, all))
		return 0;
	for (size_t cpu = 0; cpu < count; cpu++) {
		if (!CPU_ISSET_S(cpu, size, all))
			continue;
		CPU_ZERO_S(size, only);
		CPU_SET_S(cpu, size, only);
		read_clock(ret, (int)cpu, only, size);
	}
	sched_setaffinity(0, size, all);
	return 0;
}

void sched_clocks_free(struct sched_clocks *c)
{
	free(c->behind);
	free(c->known);
	*c = (struct sched_clocks){ 0 };
}

__u64 sched_clocks_since(const struct sched_clocks *c, int cpu, __u64 ran, __u64 now)
{
	__s64 since;

	if (cpu < 0 || (size_t)cpu >= c->count || !c->known[cpu] || !ran)
		return 0;
	since = (__s64)(now - ran) - c->behind[cpu];
	return since > 0 ? (__u64)since : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "guard/usage.h"

#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"

__u64 usage_waited_ms(pid_t pid)
{
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long long ns = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%*u %llu", &ns) != 1)
		return 0;
	return ns / 1000000;
}

double usage_seconds(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return t.tv_sec + t.tv_nsec / (double)NS_PER_SECOND;
}

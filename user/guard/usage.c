// SPDX-License-Identifier: GPL-2.0-only
#include "guard/usage.h"

#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/procfs.h"

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

bool usage_is_ready(pid_t pid)
{
	struct procfs_stat stat;

	return pid > 0 && !procfs_stat(pid, &stat) && stat.state == 'R';
}

double usage_seconds(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return t.tv_sec + t.tv_nsec / (double)NS_PER_SECOND;
}

bool usage_mostly_waits(const struct usage *before, const struct usage *now)
{
	const __u64 half = (now->at_ms - before->at_ms) / 2;

	if (now->waited_ms - before->waited_ms >= half)
		return true;
	return now->is_ready && (now->seconds - before->seconds) * 1000 < half;
}

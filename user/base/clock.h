/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - what time it is. Everything that waits, or says how long something took, uses CLOCK_MONOTONIC,
 * which nobody sets; the kernel side has the same one as bpf_ktime_get_ns(). Only what a person is to read as
 * a date uses the other.
 */
#ifndef PYPERF_BASE_CLOCK_H
#define PYPERF_BASE_CLOCK_H

#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/types.h>

#define NS_PER_SECOND 1000000000ULL
#define NS_PER_MS     1000000ULL
#define NS_PER_US     1000LL

static inline __u64 clock_ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

/* CLOCK_MONOTONIC, in three units. */
static inline __u64 clock_ns(void)
{
	return clock_ns_of(CLOCK_MONOTONIC);
}

static inline __u64 clock_ms(void)
{
	return clock_ns() / NS_PER_MS;
}

static inline double clock_seconds(void)
{
	return clock_ns() / 1e9;
}

/*
 * As CLOCK_MONOTONIC, with the time that the machine slept; what the kernel counts start times of
 * processes in.
 */
static inline __u64 clock_boot_ns(void)
{
	return clock_ns_of(CLOCK_BOOTTIME);
}

/* The same in ticks of USER_HZ, rounded down, in which /proc has start times. */
static inline __u64 clock_ticks_of(__u64 boot_ns)
{
	return boot_ns / (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
}

static inline __u64 clock_ns_of_ticks(__u64 ticks)
{
	return ticks * (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
}

/* Nanoseconds since 1970, UTC. It may jump either way when somebody sets it. */
static inline __u64 clock_unix_ns(void)
{
	return clock_ns_of(CLOCK_REALTIME);
}

/* When the machine began, ns since 1970: what a time since boot is added to. */
__s64 clock_boot_unix_ns(void);

#define CLOCK_DATE 32 /* bytes of such a text */

/*
 * "2026-11-25 16:22:36", UTC, with that character in the middle, of ns since 1970. False: it has no text.
 */
static inline bool clock_date(__s64 unix_ns, char between, char ret[CLOCK_DATE])
{
	const time_t seconds = unix_ns / (__s64)NS_PER_SECOND;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(ret, CLOCK_DATE, "%Y-%m-%d %H:%M:%S", &tm))
		return false;
	*strchr(ret, ' ') = between;
	return true;
}

#define CLOCK_ASTRAY_NS NS_PER_MS

/*
 * What clock_unix_ns() is ahead of clock_ns(), within CLOCK_ASTRAY_NS: the same number until the clocks have
 * gone further apart, or somebody set one. So a date that is asked for twice is the same moment.
 */
__u64 clock_unix_ahead_ns(void);

#endif

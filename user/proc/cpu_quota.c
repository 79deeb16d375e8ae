// SPDX-License-Identifier: GPL-2.0-only
#include "proc/cpu_quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/small_file.h"

#define CGROUPS	   "/sys/fs/cgroup"
#define BYTES_MAX  4096 /* of a file of a cgroup */
#define LEVELS_MAX 16	/* cgroups above one another that are looked at */
#define US_MAX	   (1ULL << 53) /* 285 years: more is no time, and sums of it would overflow */

/* Where a hierarchy is mounted, and a cgroup in it. */
struct quota_place {
	const char *top;
	bool is_second;
	char path[CPU_QUOTA_PATH_SIZE];
};

static char *read_cgroup_file(const struct quota_place *p, const char *name)
{
	char path[CPU_QUOTA_PATH_SIZE + 64], *text;

	snprintf(path, sizeof(path), "%s%s/%s", p->top, p->path, name);
	return small_file_read(path, BYTES_MAX, &text) ? NULL : text;
}

/* The number behind a key at the beginning of a line; 0 = there is none. */
static __u64 number_of(const char *text, const char *key)
{
	const size_t n = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, n) && line[n] == ' ')
			return strtoull(line + n + 1, NULL, 10);
	}
	return 0;
}

static __u64 number_in(const struct quota_place *p, const char *name)
{
	_cleanup_free_ char *text = read_cgroup_file(p, name);
	const long long number = text ? strtoll(text, NULL, 10) : 0;

	return number > 0 ? (__u64)number : 0; /* no quota is -1 */
}

static void read_limit(const struct quota_place *p, struct cpu_quota *ret)
{
	_cleanup_free_ char *text = NULL;
	unsigned long long quota, period;

	if (!p->is_second) {
		ret->quota_us = number_in(p, "cpu.cfs_quota_us");
		ret->period_us = number_in(p, "cpu.cfs_period_us");
		return;
	}
	text = read_cgroup_file(p, "cpu.max");
	if (text && sscanf(text, "%llu %llu", &quota, &period) == 2) { /* else it is "max" */
		ret->quota_us = quota;
		ret->period_us = period;
	}
}

static void read_counts(const struct quota_place *p, struct cpu_quota *ret)
{
	_cleanup_free_ char *text = read_cgroup_file(p, "cpu.stat");

	if (!text)
		return;
	ret->periods = number_of(text, "nr_periods");
	ret->ended_early = number_of(text, "nr_throttled");
	ret->held_us = p->is_second ? number_of(text, "throttled_usec") :
				      number_of(text, "throttled_time") / 1000;
	ret->ran_us = p->is_second ? number_of(text, "usage_usec") : number_in(p, "cpuacct.usage") / 1000;
}

static bool is_sane_quota(const struct cpu_quota *q)
{
	return q->quota_us && q->period_us && q->quota_us < US_MAX && q->held_us < US_MAX &&
	       q->ran_us < US_MAX && q->periods < US_MAX / q->quota_us && q->ended_early <= q->periods;
}

/* False: this cgroup has no quota of its own. */
static bool read_quota_at(const struct quota_place *p, struct cpu_quota *ret)
{
	struct cpu_quota q = { 0 };

	read_limit(p, &q);
	if (!q.quota_us)
		return false;
	read_counts(p, &q);
	if (!is_sane_quota(&q))
		return false;
	if (!q.ran_us)
		q.ran_us = q.periods * q.quota_us;
	snprintf(q.path, sizeof(q.path), "%s", p->path);
	*ret = q;
	return true;
}

/* Whether one of the controllers, which are separated by commas, is that of CPUs. */
static bool has_cpu(const char *controllers, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *comma = memchr(controllers + i, ',', n - i);
		const size_t size = comma ? (size_t)(comma - controllers) - i : n - i;

		if (size == 3 && !memcmp(controllers + i, "cpu", 3))
			return true;
		i += size + 1;
	}
	return false;
}

/* Only version 2 has this file, and only its root is mounted there. */
static bool is_second(void)
{
	_cleanup_free_ char *text = NULL;

	return !small_file_read(CGROUPS "/cgroup.controllers", BYTES_MAX, &text);
}

/*
 * What leads above the root, as seen from a cgroup namespace, is another cgroup than the files below
 * /sys/fs/cgroup say.
 */
static bool set_place(const char *top, const char *path, size_t n, struct quota_place *ret)
{
	if (n >= sizeof(ret->path) || *path != '/' || memmem(path, n, "/..", 3))
		return false;
	ret->top = top;
	memcpy(ret->path, path, n);
	ret->path[n] = '\0';
	return true;
}

/* ID:CONTROLLERS:PATH. That of version 1 counts more: a controller is in one hierarchy. */
static bool find_place(const char *text, struct quota_place *ret)
{
	bool found = false;

	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		const char *controllers = memchr(text, ':', end - text), *path;

		path = controllers ? memchr(controllers + 1, ':', end - controllers - 1) : NULL;
		if (!path)
			continue;
		if (has_cpu(controllers + 1, path - controllers - 1)) {
			ret->is_second = false;
			return set_place(CGROUPS "/cpu", path + 1, end - path - 1, ret);
		}
		if (path == controllers + 1 && is_second())
			found = ret->is_second = set_place(CGROUPS, path + 1, end - path - 1, ret);
	}
	return found;
}

void cpu_quota_read(const char *cgroups, struct cpu_quota *ret)
{
	struct quota_place p = { 0 };

	memset(ret, 0, sizeof(*ret));
	if (!find_place(cgroups, &p))
		return;
	for (int i = 0; i < LEVELS_MAX && *p.path; i++) {
		if (read_quota_at(&p, ret))
			return;
		*strrchr(p.path, '/') = '\0'; /* the root has none */
	}
}

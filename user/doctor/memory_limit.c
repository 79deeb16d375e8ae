// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory_limit.c - the least limit of memory that the cgroups of this process have, and what a run needs.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "doctor/checks.h"

#define CGROUPS	 "/sys/fs/cgroup"
#define NO_LIMIT ULLONG_MAX

/* Of "max" or a number. What is larger than any machine's memory is version 1's way to say none. */
static unsigned long long read_limit(const char *folder, const char *name)
{
	char file[PATH_MAX];
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long long limit;

	if (snprintf(file, sizeof(file), "%s/%s", folder, name) >= (int)sizeof(file))
		return NO_LIMIT;
	f = fopen(file, "re");
	if (!f || fscanf(f, "%llu", &limit) != 1 || limit > 1ULL << 60)
		return NO_LIMIT;
	return limit;
}

/*
 * The least one from this cgroup up to the root of its hierarchy. In a container the path may be one that
 * is not to be seen here; the folders above it are then the ones that count.
 */
static unsigned long long least_limit(const char *root, const char *path, const char *name)
{
	unsigned long long least = NO_LIMIT, limit;
	char folder[PATH_MAX];
	char *slash;

	if (snprintf(folder, sizeof(folder), "%s%s", root, path) >= (int)sizeof(folder))
		return NO_LIMIT;
	for (;;) {
		limit = read_limit(folder, name);
		if (limit < least)
			least = limit;
		slash = strrchr(folder, '/');
		if (!slash || (size_t)(slash - folder) < strlen(root))
			return least;
		*slash = '\0';
	}
}

/* A line of /proc/self/cgroup: "0::/path" of version 2, "4:memory:/path" of version 1. */
static unsigned long long limit_of_line(const char *line)
{
	const char *controllers = strchr(line, ':');
	const char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return NO_LIMIT;
	if (!strncmp(controllers, ":memory:", strlen(":memory:")))
		return least_limit(CGROUPS "/memory", path + 1, "memory.limit_in_bytes");
	return strncmp(line, "0::", 3) ? NO_LIMIT : least_limit(CGROUPS, path + 1, "memory.max");
}

static unsigned long long find_limit(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/cgroup", "re");
	unsigned long long least = NO_LIMIT;
	char line[PATH_MAX];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long long limit;

		line[strcspn(line, "\n")] = '\0';
		limit = limit_of_line(line);
		if (limit < least)
			least = limit;
	}
	return least;
}

void check_memory(struct examination *x, struct checked *ret)
{
	struct kernel_room room;
	const unsigned long long limit = find_limit();
	int err = kernel_measure(&x->kernel, &room);

	if (err) {
		finding_say(ret, GRADE_UNKNOWN, "the tables cannot be sized: %s", strerror(-err));
		return;
	}
	if (limit >= room.limit) {
		finding_say(ret, GRADE_OK,
			    "the tables take %zu MiB with these options, a limit has to be %zu MiB; %s",
			    room.tables >> 20, room.limit >> 20,
			    limit == NO_LIMIT ? "there is none" : "the one here is enough");
		return;
	}
	x->hopeless = true;
	finding_say(ret, GRADE_MISSING,
		    "the limit is %llu MiB; the tables take %zu MiB with these options, and a limit has to "
		    "be %zu MiB or more",
		    limit >> 20, room.tables >> 20, room.limit >> 20);
	finding_mend(ret, "in a container: docker run --memory %zum; in Kubernetes: limits: {memory: %zuMi}",
		     room.limit >> 20, room.limit >> 20);
	finding_mend(ret, "in a service of systemd: MemoryMax=%zuM", room.limit >> 20);
	finding_mend(ret, "smaller tables: --tree-size, --cache-threads, --native-memory");
}

// SPDX-License-Identifier: GPL-2.0-only
#include "base/file_change.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"

/* The start of a process is known to a tick of the kernel's, and files have times of a slower clock. */
#define SLACK_NS (20 * (__s64)NS_PER_MS)

static __s64 ns_of(const struct timespec *t)
{
	return t->tv_sec * (__s64)NS_PER_SECOND + t->tv_nsec;
}

__s64 file_change_ns(const struct stat *stat)
{
	const __s64 text = ns_of(&stat->st_mtim), file = ns_of(&stat->st_ctim);

	return text > file ? text : file;
}

__s64 file_change_links_ns(const char *path)
{
	char part[PATH_MAX];
	const size_t n = strlen(path);
	struct stat stat;
	__s64 last = 0;

	for (size_t at = 1; at <= n && at < sizeof(part); at++) {
		if (path[at] && path[at] != '/')
			continue;
		memcpy(part, path, at);
		part[at] = '\0';
		if (!lstat(part, &stat) && S_ISLNK(stat.st_mode) && file_change_ns(&stat) > last)
			last = file_change_ns(&stat);
	}
	return last;
}

bool file_change_is_after(__s64 changed_ns, __s64 began_ns)
{
	return changed_ns > began_ns + SLACK_NS;
}

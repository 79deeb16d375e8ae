/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_fds.h - how many descriptors a process has, to be compared with what it had before.
 */
#ifndef PYPERF_TESTS_OWN_FDS_H
#define PYPERF_TESTS_OWN_FDS_H

#include <dirent.h>

/* path: /proc/PID/fd */
static inline int count_fds_in(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static inline int count_fds(void)
{
	return count_fds_in("/proc/self/fd");
}

#endif

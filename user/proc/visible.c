// SPDX-License-Identifier: GPL-2.0-only
#include "proc/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static bool shows(const char *path)
{
	return !faccessat(AT_FDCWD, path, R_OK, AT_EACCESS);
}

bool visible_is_mounted(void)
{
	return shows("/proc/self/stat");
}

bool visible_shows_others(void)
{
	return shows("/proc/1/stat");
}

bool visible_hides(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return !shows(path) && (!kill(pid, 0) || errno == EPERM);
}

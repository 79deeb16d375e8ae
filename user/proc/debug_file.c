// SPDX-License-Identifier: GPL-2.0-only
#include "proc/debug_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proc/safe_open.h"

#define ID_MIN 2
#define ID_MAX 64

int debug_file_open(pid_t tid, const __u8 *build_id, size_t size)
{
	char path[64 + 2 * ID_MAX], *at = path;
	struct stat stat;
	int fd;

	if (size < ID_MIN || size > ID_MAX)
		return -ENOENT;
	at += sprintf(at, "/usr/lib/debug/.build-id/%02x/", build_id[0]);
	for (size_t i = 1; i < size; i++)
		at += sprintf(at, "%02x", build_id[i]);
	strcpy(at, ".debug");
	fd = safe_open_named(tid, path, true, &stat);
	if (fd < 0)
		fd = safe_open_named(0, path, true, &stat);
	return fd < 0 ? -ENOENT : fd;
}

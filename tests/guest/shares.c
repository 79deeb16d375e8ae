// SPDX-License-Identifier: GPL-2.0-only
/*
 * shares.c - prints by which users the running profiler's sampler counts (bpf/base/share.h): "cgroup NUMBER"
 * or "uid NUMBER", a line each. A cgroup's number is that of its directory's inode. Needs CAP_SYS_ADMIN.
 * Exits with 1 when there is no such table, as when no profiler runs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "bpf/data/share.h"

#define USER_BY_UID (1ULL << 63) /* bpf/base/share.h, which only the kernel side can include */

static void print_users(int fd)
{
	struct share share;

	for (__u32 i = 0; i < SHARES; i++) {
		if (bpf_map_lookup_elem(fd, &i, &share) || !share.user)
			continue;
		printf("%s %llu\n", share.user & USER_BY_UID ? "uid" : "cgroup",
		       share.user & ~USER_BY_UID);
	}
}

/* Whether the table of this number was the one. */
static int try_map(__u32 id)
{
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);
	const int fd = bpf_map_get_fd_by_id(id);
	int found;

	if (fd < 0)
		return 0;
	found = !bpf_obj_get_info_by_fd(fd, &info, &size) && !strcmp(info.name, "shares") &&
		info.value_size == sizeof(struct share) && info.max_entries == SHARES;
	if (found)
		print_users(fd);
	close(fd);
	return found;
}

int main(void)
{
	int found = 0;

	for (__u32 id = 0; !bpf_map_get_next_id(id, &id);)
		found |= try_map(id);
	if (!found)
		fprintf(stderr, "shares: there is no such table: %s\n", strerror(errno));
	return !found;
}

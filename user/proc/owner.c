// SPDX-License-Identifier: GPL-2.0-only
#include "proc/owner.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "proc/cgroup.h"

#define IS_USER	     (1ULL << 32)
#define IS_CONTAINER (2ULL << 32)

/* "" if there is none. */
static void read_text(pid_t pid, const char *name, char *ret, size_t size)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "re");
	n = file ? fread(ret, 1, size - 1, file) : 0;
	ret[n] = '\0';
}

/* The real one: a program that takes another user's rights was started by this one. */
static __u64 find_user(const char *status)
{
	const char *line = strstr(status, "\nUid:\t");
	unsigned int uid;

	return line && sscanf(line, " Uid: %u", &uid) == 1 ? IS_USER | uid : 0;
}

/* Whether a line "ID:CONTROLLERS:PATH" has a path in the part of the hierarchy where users make their own. */
static bool is_in_session(const char *text)
{
	static const char part[] = "/user.slice/";

	for (const char *line = text; line; line = strchr(line + 1, '\n')) {
		const char *path = strchr(line, ':');

		path = path ? strchr(path + 1, ':') : NULL;
		if (path && !strncmp(path + 1, part, sizeof(part) - 1))
			return true;
	}
	return false;
}

__u64 owner_parse(const char *status, const char *cgroup)
{
	const __u64 user = find_user(status);
	struct cgroup c = { 0 };
	const char *name;

	if (!user || is_in_session(cgroup))
		return user;
	cgroup_parse(cgroup, &c);
	name = *c.pod_uid ? c.pod_uid : c.container_id;
	return *name ? IS_CONTAINER | hash_bytes(name, strlen(name)) : user;
}

__u64 owner_of(pid_t pid)
{
	char status[4096], cgroup[16384];

	read_text(pid, "status", status, sizeof(status));
	read_text(pid, "cgroup", cgroup, sizeof(cgroup));
	return owner_parse(status, cgroup);
}

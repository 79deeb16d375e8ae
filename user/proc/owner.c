// SPDX-License-Identifier: GPL-2.0-only
#include "proc/owner.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/small_file.h"
#include "proc/cgroup.h"
#include "proc/procfs.h"

#define TEXT_MAX     65536 /* bytes; cgroup has up to 4,096 for each hierarchy of v1 */
#define IS_USER	     (1ULL << 32)
#define IS_CONTAINER (2ULL << 32)

/* A file of the process, to be freed; NULL if there is none. */
static char *read_process_file(pid_t pid, const char *name)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return small_file_read(path, TEXT_MAX, &text) ? NULL : text;
}

/*
 * The path in a line "ID:CONTROLLERS:PATH", from the root of all. For who has another root, in a cgroup
 * namespace of his own, it begins with "/..".
 */
static const char *path_of(const char *line)
{
	const char *path = strchr(line, ':');

	path = path ? strchr(path + 1, ':') : NULL;
	if (!path)
		return "";
	path++;
	while (!strncmp(path, "/../", 4))
		path += 3;
	return path;
}

/* Whether a line has a path in the part of the hierarchy where users make their own. */
static bool is_in_session(const char *text)
{
	static const char part[] = "/user.slice/";

	for (const char *line = text; line && *line; line = strchr(line + 1, '\n'))
		if (!strncmp(path_of(line), part, sizeof(part) - 1))
			return true;
	return false;
}

__u64 owner_of_user(uid_t user)
{
	return IS_USER | user;
}

struct parsed {
	bool has_user;
	uid_t user;
	struct cgroup cgroup; /* no names where a user may have given them */
};

static void parse(const char *status, const char *cgroup, struct parsed *ret)
{
	struct procfs_users u;

	*ret = (struct parsed){ 0 };
	if (procfs_parse_users(status, &u))
		return;
	ret->has_user = true;
	ret->user = u.real; /* a program that takes another user's rights was started by this one */
	if (!is_in_session(cgroup))
		cgroup_parse(cgroup, &ret->cgroup);
}

__u64 owner_parse(const char *status, const char *cgroup)
{
	struct parsed p;
	const char *name;

	parse(status, cgroup, &p);
	if (!p.has_user)
		return 0;
	name = *p.cgroup.pod_uid ? p.cgroup.pod_uid : p.cgroup.container_id;
	return *name ? IS_CONTAINER | hash_bytes(name, strlen(name)) : owner_of_user(p.user);
}

void owner_parse_name(const char *status, const char *cgroup, char ret[OWNER_NAME_SIZE])
{
	struct parsed p;

	parse(status, cgroup, &p);
	*ret = '\0';
	if (*p.cgroup.pod_uid)
		snprintf(ret, OWNER_NAME_SIZE, "pod %s", p.cgroup.pod_uid);
	else if (*p.cgroup.container_id)
		snprintf(ret, OWNER_NAME_SIZE, "container %.12s", p.cgroup.container_id);
	else if (p.has_user)
		snprintf(ret, OWNER_NAME_SIZE, "uid %u", p.user);
}

__u64 owner_of(pid_t pid)
{
	_cleanup_free_ char *status = read_process_file(pid, "status"),
			    *cgroup = read_process_file(pid, "cgroup");

	return status ? owner_parse(status, cgroup ?: "") : 0;
}

void owner_name(pid_t pid, char ret[OWNER_NAME_SIZE])
{
	_cleanup_free_ char *status = read_process_file(pid, "status"),
			    *cgroup = read_process_file(pid, "cgroup");

	owner_parse_name(status ?: "", cgroup ?: "", ret);
}

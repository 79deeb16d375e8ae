// SPDX-License-Identifier: GPL-2.0-only
#include "proc/container.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

#define MOUNTS_MAX 4096 /* lines of mountinfo that are looked at */

static FILE *open_proc_stream(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

static void read_cgroup(pid_t pid, struct container *ret)
{
	_cleanup_fclose_ FILE *file = open_proc_stream(pid, "cgroup");
	char text[16384];

	if (!file)
		return;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	cgroup_parse(text, &ret->cgroup);
	cpu_quota_read(text, &ret->quota);
}

/* Whoever has a user namespace of his own mounts in it what he likes, under any name. */
static bool may_have_mounted(pid_t pid)
{
	struct stat of_process, own;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return stat(path, &of_process) || stat("/proc/self/ns/user", &own) || of_process.st_ino != own.st_ino;
}

/*
 * Two cases in which the cgroup is not enough: a pod with several containers, and one whose path does not
 * show the pod because it is seen from a sibling's cgroup namespace ("/../ID").
 */
static void read_mounts(pid_t pid, struct cgroup *cgroup, char ret_container[CONTAINER_NAME_SIZE])
{
	_cleanup_fclose_ FILE *file = may_have_mounted(pid) ? NULL : open_proc_stream(pid, "mountinfo");
	_cleanup_free_ char *line = NULL;
	struct pod_mount mount;
	size_t size = 0;

	for (int i = 0; file && i < MOUNTS_MAX && getline(&line, &size, file) > 0; i++) {
		if (!cgroup_parse_mount(line, &mount))
			continue;
		if (!*cgroup->pod_uid)
			strcpy(cgroup->pod_uid, mount.pod_uid);
		if (!*mount.container || strcmp(cgroup->pod_uid, mount.pod_uid))
			continue;
		strcpy(ret_container, mount.container);
		return;
	}
}

void container_read(pid_t pid, struct pods *pods, struct container *ret)
{
	char hint[CONTAINER_NAME_SIZE] = "";

	memset(ret, 0, sizeof(*ret));
	read_cgroup(pid, ret);
	if (!*ret->cgroup.container_id && !*ret->cgroup.pod_uid)
		return;
	read_mounts(pid, &ret->cgroup, hint);
	if (pods)
		pods_find(pods, ret->cgroup.pod_uid, ret->cgroup.container_id, hint, &ret->names);
}

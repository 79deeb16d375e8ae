// SPDX-License-Identifier: GPL-2.0-only
/*
 * proc.c - what /proc says of a process: stat, a line of maps, cgroup, a line of mountinfo; and names of the
 * kubelet's log files. Names in them are chosen by the process, or by whoever may make a cgroup or a mount.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "proc/cgroup.h"
#include "proc/pods.h"
#include "proc/procfs.h"

const char *const fuzz_corpus = "proc";

static void stat_file(const char *text)
{
	struct procfs_stat stat;
	int result = procfs_parse_stat(text, &stat);

	FUZZ_CHECK(!result || result == -EBADMSG);
	if (result)
		return;
	FUZZ_ENDS(stat.name);
	FUZZ_CHECK(stat.parent >= 0 && stat.state);
}

static void maps_line(const char *text)
{
	struct procfs_map *map = malloc(sizeof(*map));
	int result;

	FUZZ_CHECK(map);
	result = procfs_parse_map(text, map);
	FUZZ_CHECK(!result || result == -EBADMSG);
	if (!result)
		FUZZ_ENDS(map->path);
	free(map);
}

static void cgroup_file(const char *text)
{
	struct cgroup cgroup;

	cgroup_parse(text, &cgroup);
	FUZZ_ENDS(cgroup.container_id);
	FUZZ_ENDS(cgroup.pod_uid);
	FUZZ_ENDS(cgroup.path);
	FUZZ_CHECK(!*cgroup.container_id ||
		   strspn(cgroup.container_id, "0123456789abcdef") == strlen(cgroup.container_id));
	FUZZ_CHECK(!*cgroup.pod_uid || cgroup_is_pod_uid(cgroup.pod_uid));
}

static void mountinfo_line(const char *text)
{
	struct pod_mount mount;

	if (!cgroup_parse_mount(text, &mount))
		return;
	FUZZ_ENDS(mount.pod_uid);
	FUZZ_ENDS(mount.container);
	FUZZ_CHECK(cgroup_is_pod_uid(mount.pod_uid));
}

static void log_name(const char *text)
{
	char key[CONTAINER_ID_SIZE];
	struct pod_names names;

	if (!pods_parse_name(text, key, &names))
		return;
	FUZZ_ENDS(key);
	FUZZ_ENDS(names.namespace);
	FUZZ_ENDS(names.pod);
	FUZZ_ENDS(names.container);
	FUZZ_CHECK(*key && !strchr(names.pod, '/'));
}

/* which of them, text */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *text) = {
		stat_file, maps_line, cgroup_file, mountinfo_line, log_name,
	};
	char *text;

	if (!size)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	parsers[data[0] % (sizeof(parsers) / sizeof(parsers[0]))](text);
	free(text);
	return 0;
}

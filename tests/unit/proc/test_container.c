// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_container.c - a real process in a real cgroup with a container's name, with the mounts that a kubelet
 * makes for one: which container and pod it is in, and what is not believed. Needs root and a hierarchy to
 * make a cgroup in.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/container.h"
#include "tests/forge/child.h"
#include "tests/forge/test.h"

#define ID   "76e966f5b0a1f2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b"
#define UID  "9e449ecd-a4b6-463e-a620-1868ca1376fc"
#define UID2 "11111111-2222-3333-4444-555555555555"

static char folder[64];	 /* of the kubelet: logs/, and pods/ that it mounts from */
static char group[256];	 /* the cgroup's folder, "" = none */
static size_t group_top; /* length of the hierarchy's own path in it */
static pid_t child;

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pyperf-container.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
	for (; strlen(group) > group_top; *strrchr(group, '/') = '\0')
		rmdir(group);
	*group = '\0';
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void make_folders(const char *path)
{
	char part[512];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdir(part, 0755);
	}
	assert_true(!mkdir(path, 0755) || errno == EEXIST);
}

/* The cgroup's folder in the first hierarchy where one can be made; or the test is skipped. */
static void make_group(const char *path)
{
	static const char *const tops[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids",
					    "/sys/fs/cgroup/systemd",
					    "/sys/fs/cgroup" };

	for (size_t i = 0; i < ARRAY_SIZE(tops); i++) {
		char procs[300];

		group_top = strlen(tops[i]);
		snprintf(group, sizeof(group), "%s/pyperf-%d", tops[i], getpid());
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
		if (mkdir(group, 0755))
			continue;
		if (!access(procs, W_OK)) {
			strcat(group, path);
			make_folders(group);
			return;
		}
		rmdir(group);
	}
	*group = '\0';
	print_message("SKIP: no hierarchy in which a cgroup can be made: %s\n", strerror(errno));
	skip();
}

static void log_folder(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/logs/%s", folder, name);
	make_folders(path);
}

static bool enter(const void *mounted)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		return false;
	close(fd);
	if (!mounted)
		return true;
	snprintf(path, sizeof(path), "%s/pods/%s", folder, (const char *)mounted);
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount(path, "/tmp", NULL, MS_BIND, NULL);
}

/* A process in a cgroup of that path, and, unless NULL, with that folder of the kubelet's mounted. */
static void start(const char *cgroup, const char *mounted)
{
	char path[512];

	make_group(cgroup);
	if (mounted) {
		snprintf(path, sizeof(path), "%s/pods/%s", folder, mounted);
		make_folders(path);
	}
	child = child_start(enter, mounted);
}

/* What is said of the process, with the logs that are there now. */
static struct container look(void)
{
	struct container c;
	struct pods *pods;
	char logs[128];

	snprintf(logs, sizeof(logs), "%s/logs", folder);
	assert_int_equal(pods_new(&pods, logs), 0);
	memset(&c, 0xff, sizeof(c));
	container_read(child, pods, &c);
	pods_free(pods);
	return c;
}

static void is(struct container c, const char *id, const char *uid, const char *namespace, const char *pod,
	       const char *container)
{
	assert_string_equal(c.cgroup.container_id, id);
	assert_string_equal(c.cgroup.pod_uid, uid);
	assert_string_equal(c.names.namespace, namespace);
	assert_string_equal(c.names.pod, pod);
	assert_string_equal(c.names.container, container);
}

TEST(by_its_cgroup)
{
	struct container c;

	log_folder("demo_shop_" UID "/web");
	start("/kubepods/pod" UID "/" ID, NULL);
	c = look();
	is(c, ID, UID, "demo", "shop", "web");
	assert_non_null(strstr(c.cgroup.path, "/kubepods/pod" UID "/" ID));
}

/* The folder of logs alone does not tell which of a pod's containers it is. */
TEST(one_of_several_by_its_mount)
{
	log_folder("demo_shop_" UID "/web");
	log_folder("demo_shop_" UID "/side");
	start("/kubepods/pod" UID "/" ID, "pods/" UID "/containers/side/0a1b2c3d");
	is(look(), ID, UID, "demo", "shop", "side");
}

TEST(one_of_several_without_a_mount)
{
	log_folder("demo_shop_" UID "/web");
	log_folder("demo_shop_" UID "/side");
	start("/kubepods/pod" UID "/" ID, NULL);
	is(look(), ID, UID, "demo", "shop", "");
}

/* As a profiler in a pod sees the cgroups of the others: "/../ID". */
TEST(pod_by_its_mount)
{
	log_folder("demo_shop_" UID "/web");
	start("/" ID, "pods/" UID "/containers/web/0a1b2c3d");
	is(look(), ID, UID, "demo", "shop", "web");
}

/* A pod may mount what it likes; its cgroup says where it is. */
TEST(mount_of_another_pod)
{
	log_folder("demo_shop_" UID "/web");
	log_folder("demo_shop_" UID "/side");
	start("/kubepods/pod" UID "/" ID, "pods/" UID2 "/containers/side/0a1b2c3d");
	is(look(), ID, UID, "demo", "shop", "");
}

TEST(mount_alone_makes_no_container)
{
	log_folder("demo_shop_" UID "/web");
	start("/user.slice", "pods/" UID "/containers/web/0a1b2c3d");
	is(look(), "", "", "", "", "");
	assert_non_null(strstr(look().cgroup.path, "/user.slice"));
}

TEST(without_the_kubelets_folder)
{
	struct container c;

	start("/kubepods/pod" UID "/" ID, NULL);
	is(look(), ID, UID, "", "", "");
	memset(&c, 0xff, sizeof(c));
	container_read(child, NULL, &c);
	is(c, ID, UID, "", "", "");
}

TEST(process_that_is_gone)
{
	struct container c;

	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	c = look();
	is(c, "", "", "", "", "");
	assert_string_equal(c.cgroup.path, "");
	child = 0;
}

AROUND_EACH(setup, teardown);

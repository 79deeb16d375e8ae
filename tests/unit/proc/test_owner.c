// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_owner.c - to whose account a process goes, by forged texts of /proc and by processes of two users.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/owner.h"
#include "tests/forge/test.h"

#define ID   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_2 "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD  "12345678-1234-1234-1234-123456789abc"

static __u64 of(unsigned int uid, const char *cgroup)
{
	char status[200];

	snprintf(status, sizeof(status), "Name:\tUid:\nUmask:\t0022\nUid:\t%u\t0\t0\t0\nGid:\t7\t7\t7\t7\n",
		 uid);
	return owner_parse(status, cgroup);
}

TEST(users)
{
	assert_int_not_equal(of(0, ""), 0);
	assert_int_not_equal(of(0, ""), of(1000, ""));
	assert_int_equal(of(1000, "0::/\n"), of(1000, ""));
	assert_int_equal(of(1000, "0::/system.slice/cron.service\n"), of(1000, ""));
	assert_int_equal(owner_parse("", ""), 0);
	assert_int_equal(owner_parse("Name:\tUid:\t0\n", "0::/\n"), 0);
}

/* They are apart, although most of them run as root; a pod's containers are one. */
TEST(containers)
{
	const __u64 first = of(0, "0::/system.slice/docker-" ID ".scope\n");

	assert_int_not_equal(first, of(0, ""));
	assert_int_equal(first, of(1000, "0::/system.slice/docker-" ID ".scope\n"));
	assert_int_not_equal(first, of(0, "0::/system.slice/docker-" ID_2 ".scope\n"));
	assert_int_equal(of(0, "0::/kubepods/pod" POD "/" ID "\n"),
			 of(0, "0::/kubepods/pod" POD "/" ID_2 "\n"));
}

/* Whoever may make cgroups of his own does not become many by it. */
TEST(names_that_a_user_gave)
{
	assert_int_equal(of(1000, "0::/user.slice/user-1000.slice/docker-" ID ".scope\n"), of(1000, ""));
	assert_int_equal(of(1000, "3:cpu:/\n1:name=systemd:/user.slice/user-1000.slice/" ID "\n"),
			 of(1000, ""));
	/* As the profiler in a container of its own sees it. */
	assert_int_equal(of(1000, "0::/../../../user.slice/user-1000.slice/cri-containerd-" ID ".scope\n"),
			 of(1000, ""));
	/* A container is not root's because it calls something in it so. */
	assert_int_not_equal(of(0, "0::/docker/" ID "/x:/user.slice/y\n"), of(0, ""));
}

static void expect_name(unsigned int uid, const char *cgroup, const char *name)
{
	char status[200], ret[OWNER_NAME_SIZE];

	snprintf(status, sizeof(status), "Umask:\t0022\nUid:\t%u\t0\t0\t0\nGid:\t7\t7\t7\t7\n", uid);
	owner_parse_name(status, cgroup, ret);
	assert_string_equal(ret, name);
}

TEST(names)
{
	char ret[OWNER_NAME_SIZE];

	expect_name(1000, "0::/system.slice/cron.service\n", "uid 1000");
	expect_name(0, "0::/system.slice/docker-" ID ".scope\n", "container 0123456789ab");
	expect_name(0, "0::/kubepods/pod" POD "/" ID "\n", "pod " POD);
	expect_name(1000, "0::/user.slice/user-1000.slice/docker-" ID ".scope\n", "uid 1000");
	owner_parse_name("", "0::/\n", ret);
	assert_string_equal(ret, "");
}

TEST(live_processes)
{
	const pid_t child = fork();
	char name[OWNER_NAME_SIZE];

	if (!child) {
		pause();
		_exit(0);
	}
	owner_name(child, name);
	assert_true(!strncmp(name, "uid ", 4) || !strncmp(name, "container ", 10) ||
		    !strncmp(name, "pod ", 4));
	assert_int_not_equal(owner_of(getpid()), 0);
	assert_int_equal(owner_of(child), owner_of(getpid()));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(owner_of(child), 0);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_visible.c - a /proc that is whole, one that hides processes of others, and none: each in a mount
 * namespace of its own.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "proc/visible.h"
#include "tests/forge/test.h"
#include "tests/unit/guard/in_child.h"

#define NOBODY	65534
#define NO_PID	0x7ffffff0 /* above every pid_max */
#define NOT_SET 77

static bool own_mounts(void)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static bool become_nobody(void)
{
	return !setresgid(NOBODY, NOBODY, NOBODY) && !setresuid(NOBODY, NOBODY, NOBODY);
}

static int as_it_is(void)
{
	return visible_is_mounted() && visible_shows_others() && !visible_hides(1) && !visible_hides(NO_PID);
}

static int hidden(void)
{
	const pid_t parent = getppid();

	if (!own_mounts() || mount("proc", "/proc", "proc", 0, "hidepid=2"))
		return NOT_SET;
	if (visible_hides(parent) || !become_nobody())
		return 0;
	return visible_is_mounted() && !visible_shows_others() && visible_hides(1) && visible_hides(parent) &&
	       !visible_hides(getpid()) && !visible_hides(NO_PID);
}

static int none(void)
{
	if (!own_mounts() || mount("none", "/proc", "tmpfs", 0, NULL))
		return NOT_SET;
	return !visible_is_mounted() && !visible_shows_others();
}

static void is_true(int (*check)(void))
{
	int code = exit_code(check);

	if (code == NOT_SET) {
		print_message("SKIP: no mounts of one's own here\n");
		skip();
	}
	assert_int_equal(code, 1);
}

TEST(each_kind)
{
	is_true(as_it_is);
	is_true(hidden);
	is_true(none);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lacking.c - whoever lacks capabilities is told which way there is for him: a user to be root, root
 * what was taken from it and where. Each is said in a child, since nothing of it can be taken back.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lacking.h"
#include "base/privileges.h"
#include "tests/forge/all_rights.h"
#include "tests/forge/test.h"
#include "tests/unit/guard/in_child.h"

#define BOTH   (PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON))
#define PTRACE PRIVILEGE(CAP_SYS_PTRACE)

/* The exit code of a child: 0 if it is told just that. */
static int is_told(__u64 wanted, const char *expected)
{
	char text[LACKING_SIZE];

	if (!strcmp(lacking_advice(wanted, text), expected))
		return 0;
	fprintf(stderr, "%s\n", text);
	return 1;
}

static int user(void)
{
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return 2;
	return is_told(BOTH, "run as root, or with CAP_BPF and CAP_PERFMON") ?:
	       is_told(PTRACE, "run as root, or with CAP_SYS_PTRACE");
}

/* What a container's runtime does. */
static int root_of_a_container(void)
{
	if (privileges_use(~0ULL) || prctl(PR_CAPBSET_DROP, CAP_BPF, 0, 0, 0) ||
	    prctl(PR_CAPBSET_DROP, CAP_PERFMON, 0, 0, 0) || prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) ||
	    prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0) || privileges_keep(PRIVILEGE(CAP_KILL)))
		return 2;
	return is_told(BOTH, "CAP_BPF and CAP_PERFMON are missing, taken out of the bounding set "
			     "(docker run --cap-add BPF --cap-add PERFMON gives them back)") ?:
	       is_told(PTRACE, "CAP_SYS_PTRACE is missing, taken out of the bounding set "
			       "(docker run --cap-add SYS_PTRACE gives it back)");
}

/* It gave the capability up by itself, and whatever it executes has it again. */
static int root_that_gave_it_up(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capset, &header, half))
		return 2;
	return is_told(PTRACE, "CAP_SYS_PTRACE is missing, though this is root");
}

static int has_all(void)
{
	return is_told(PTRACE,
		       "CAP_SYS_PTRACE is there, so it is seccomp or a security module that forbids it");
}

/* CAP_SYS_ADMIN includes the two, as it did before they were there. */
static int has_the_old_one(void)
{
	if (privileges_keep(PRIVILEGE(CAP_SYS_ADMIN)))
		return 2;
	return lacking_of(BOTH) ? 1 : lacking_of(BOTH | PTRACE) == PTRACE ? 0 : 3;
}

static int of_its_own_users(void)
{
	if (unshare(CLONE_NEWUSER))
		return 77;
	return is_told(BOTH, "this is a user namespace of its own, outside of which its capabilities count "
			     "for nothing: run it outside");
}

/* What was given up since says nothing about what it was given. */
static int remembers(void)
{
	lacking_remember();
	if (privileges_keep(0))
		return 2;
	return has_all();
}

TEST(each_is_told_his_way)
{
	need_all_rights();
	assert_int_equal(exit_code(user), 0);
	assert_int_equal(exit_code(root_of_a_container), 0);
	assert_int_equal(exit_code(root_that_gave_it_up), 0);
	assert_int_equal(exit_code(has_the_old_one), 0);
	assert_int_equal(exit_code(has_all), 0);
	assert_int_equal(exit_code(remembers), 0);
}

TEST(user_namespace)
{
	int code;

	need_all_rights();
	code = exit_code(of_its_own_users);
	if (code == 77) {
		print_message("SKIP: no user namespaces here\n");
		skip();
	}
	assert_int_equal(code, 0);
}

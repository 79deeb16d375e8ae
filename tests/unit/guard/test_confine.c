// SPDX-License-Identifier: GPL-2.0-only
/* test_confine.c - a process that is confined opens nothing any more, and reads on in what is open. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/confine.h"
#include "tests/forge/test.h"
#include "tests/unit/guard/in_child.h"

static int opens_and_reads(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char byte;

	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || confine_to_nothing(confine_version()))
		return 1;
	if (pread(fd, &byte, 1, 0) != 1)
		return 2;
	if (open("/proc/self/exe", O_RDONLY) >= 0 || errno != EACCES)
		return 3;
	if (open("/", O_RDONLY | O_DIRECTORY) >= 0 || errno != EACCES)
		return 4;
	return 0;
}

static int without_no_new_privs(void)
{
	return setresuid(65534, 65534, 65534) ? 1 : -confine_to_nothing(confine_version());
}

TEST(opens_nothing)
{
	assert_int_equal(confine_to_nothing(0), 0);
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1) {
		print_message("SKIP: this kernel has no Landlock: %s\n", strerror(errno));
		assert_int_equal(confine_version(), 0);
		skip();
	}
	assert_int_equal(exit_code(opens_and_reads), 0);
	if (!getuid())
		assert_int_equal(exit_code(without_no_new_privs), EPERM);
}

/* As a unit of systemd whose SystemCallFilter= does not have the call. */
static int under_a_filter_that_kills(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(steps) / sizeof(steps[0]), steps };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
		return 1;
	return confine_version() ? 2 : -confine_to_nothing(0);
}

TEST(nobody_is_killed_for_it)
{
	assert_int_equal(exit_code(under_a_filter_that_kills), 0);
}

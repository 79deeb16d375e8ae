// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_privileges.c - capabilities that are given up are gone: for the thread, as the kernel says it, and for
 * whatever it executes. Each test does it in a child, since nothing of it can be taken back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/privileges.h"
#include "tests/forge/test.h"
#include "tests/unit/guard/in_child.h"

#define KEPT (PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH))

static __u64 before;

static int setup(void **state)
{
	(void)state;
	return privileges_get(&before);
}

/* A line of /proc/self/status of whoever opened it, as a number of that base. */
static __u64 status(const char *name, int base)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	size_t n = strlen(name);
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, n) && line[n] == ':')
			return strtoull(line + n + 1, NULL, base);
	return UINT64_MAX;
}

/* What a program would get that is executed now. */
static __u64 of_a_program(void)
{
	FILE *f = popen("sed -n 's/^CapPrm:[[:blank:]]*//p' /proc/self/status", "r");
	__u64 found = UINT64_MAX;

	if (!f || fscanf(f, "%" SCNx64, (uint64_t *)&found) != 1)
		found = UINT64_MAX;
	pclose(f);
	return found;
}

/* Fails with the line that was not true in the child. */
static void in_a_child(int (*run)(void))
{
	const int code = exit_code(run);

	if (code)
		fail_msg("the check number %d of the child", code);
}

static int keep_two(void)
{
	/* Whether they are in use at that moment or put aside. */
	if (privileges_use(0) || privileges_keep(KEPT))
		return 1;
	if (status("CapPrm", 16) != (before & KEPT) || status("CapEff", 16) != (before & KEPT))
		return 2;
	if (status("CapInh", 16) || status("CapAmb", 16))
		return 3;
	if (before & PRIVILEGE(CAP_SETPCAP) && status("CapBnd", 16))
		return 4;
	if (status("NoNewPrivs", 10) != 1)
		return 5;
	return of_a_program() ? 6 : 0;
}

TEST(only_what_is_kept)
{
	in_a_child(keep_two);
}

static int keep_more_than_there_was(void)
{
	__u64 now;

	if (privileges_keep(0) || privileges_get(&now) || now)
		return 1;
	/* What is gone does not come back, and to ask for it is no error. */
	if (privileges_keep(KEPT) || privileges_get(&now) || now)
		return 2;
	return 0;
}

TEST(nothing_comes_back)
{
	in_a_child(keep_more_than_there_was);
}

static int use_some_for_a_while(void)
{
	if (privileges_use(~KEPT) || status("CapEff", 16) != (before & ~KEPT) ||
	    status("CapPrm", 16) != before)
		return 1;
	return privileges_use(~0ULL) || status("CapEff", 16) != before ? 2 : 0;
}

TEST(what_is_only_put_aside_can_be_used_again)
{
	in_a_child(use_some_for_a_while);
}

/* As a service with a user of its own has it: user 0 is nobody special, a capability is ambient. */
static int make_ambient(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const __u32 set = PRIVILEGE(CAP_SYS_PTRACE);
	struct __user_cap_data_struct half[2] = { { set, set, set } };

	return prctl(PR_SET_SECUREBITS, SECBIT_NOROOT) || syscall(SYS_capset, &header, half) ||
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_PTRACE, 0, 0);
}

static int clear_ambient(void)
{
	if (make_ambient() || of_a_program() != PRIVILEGE(CAP_SYS_PTRACE))
		return 1;
	if (privileges_clear_ambient() || status("CapAmb", 16))
		return 2;
	/* The thread itself has it still. */
	return of_a_program() || status("CapEff", 16) != PRIVILEGE(CAP_SYS_PTRACE) ? 3 : 0;
}

static int hand_on(void)
{
	if (privileges_hand_on(KEPT) || status("CapEff", 16))
		return 1;
	if (status("CapPrm", 16) != (before & KEPT) || status("NoNewPrivs", 10) != 1)
		return 2;
	if (before & PRIVILEGE(CAP_SETPCAP) && status("CapBnd", 16) & ~KEPT)
		return 3;
	return !geteuid() && of_a_program() != (before & KEPT) ? 4 : 0;
}

TEST(a_program_gets_what_is_handed_on)
{
	in_a_child(hand_on);
}

static int hand_on_ambient(void)
{
	if (make_ambient() || privileges_hand_on(KEPT) || of_a_program() != PRIVILEGE(CAP_SYS_PTRACE))
		return 1;
	return privileges_hand_on(PRIVILEGE(CAP_BPF)) || status("CapAmb", 16) || of_a_program() ? 2 : 0;
}

TEST(a_program_gets_nothing_ambient)
{
	if (!(before & PRIVILEGE(CAP_SETPCAP))) {
		print_message("SKIP: CAP_SETPCAP is needed to make user 0 nobody special\n");
		skip();
	}
	in_a_child(clear_ambient);
	in_a_child(hand_on_ambient);
}

AROUND_ALL(setup, NULL);

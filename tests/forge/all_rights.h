/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * all_rights.h - whether this is a root that was given everything: what a test does with other rights, users
 * and mounts is refused to everybody else, as where BPF is.
 */
#ifndef PYPERF_TESTS_ALL_RIGHTS_H
#define PYPERF_TESTS_ALL_RIGHTS_H

#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <linux/capability.h>

#include "tests/forge/test.h"

static inline bool has_all_rights(void)
{
	return !geteuid() && prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 1 &&
	       prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) == 1;
}

static inline void need_all_rights(void)
{
	if (has_all_rights())
		return;
	print_message("SKIP: not root, or a root that was not given everything\n");
	skip();
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include "base/namespaces.h"

#include <sys/stat.h>

/* include/linux/proc_ns.h: PROC_USER_INIT_INO, PROC_PID_INIT_INO, PROC_CGROUP_INIT_INO */
#define FIRST_USERS   0xEFFFFFFDU
#define FIRST_PIDS    0xEFFFFFFCU
#define FIRST_CGROUPS 0xEFFFFFFBU

static bool is_inode(const char *file, ino_t inode)
{
	struct stat st;

	return stat(file, &st) || st.st_ino == inode;
}

bool namespaces_has_first_pids(void)
{
	return is_inode("/proc/self/ns/pid", FIRST_PIDS);
}

bool namespaces_has_first_users(void)
{
	return is_inode("/proc/self/ns/user", FIRST_USERS);
}

bool namespaces_has_first_cgroups(void)
{
	return is_inode("/proc/self/ns/cgroup", FIRST_CGROUPS);
}

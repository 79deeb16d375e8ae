// SPDX-License-Identifier: GPL-2.0-only
/*
 * may_read.c - the user is read in the status file. The owner of /proc/PID is not it: that is root as soon as
 * a process has said that it is not to be dumped, which every process may say.
 */
#include "proc/may_read.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "proc/procfs.h"

#define CONFIGFS_MAGIC 0x62656570 /* fs/configfs/mount.c; no header has it */

bool may_read_kind(int fd, const struct stat *stat)
{
	static const unsigned int made_by_kernel[] = {
		PROC_SUPER_MAGIC,   SYSFS_MAGIC,   TRACEFS_MAGIC, DEBUGFS_MAGIC,    SECURITYFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC,
		SELINUX_MAGIC,	    SMACK_MAGIC,   CONFIGFS_MAGIC,
	};
	struct statfs fs;

	if (!S_ISREG(stat->st_mode) || fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(made_by_kernel); i++)
		if ((unsigned int)fs.f_type == made_by_kernel[i])
			return false;
	return true;
}

bool may_read_owned(pid_t tid, const struct stat *stat)
{
	uid_t user;

	return !procfs_read_user(tid, &user) && stat->st_uid == user;
}

bool may_read_own(pid_t tid, int fd, const struct stat *stat)
{
	return may_read_kind(fd, stat) && stat->st_nlink == 1 && may_read_owned(tid, stat);
}

bool may_read_public(int fd, const struct stat *stat)
{
	return may_read_kind(fd, stat) && stat->st_mode & S_IROTH;
}

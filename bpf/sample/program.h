/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - the file that a process was started from. A layout that was proved in one process of it is that
 * of the next one, which so is known before its first tick; user space looks at it afterwards.
 */
#ifndef PYPERF_BPF_SAMPLE_PROGRAM_H
#define PYPERF_BPF_SAMPLE_PROGRAM_H

#include "bpf/base/share.h"
#include "bpf/data/maps.h"

#ifndef program_file_of

#include <bpf/bpf_core_read.h>

#define CTIME_NSEC 0x3fffffff /* linux/fs.h: the bit above says that somebody has asked for it (6.13) */

static __always_inline __u64 inode_changed_ns(const struct inode *inode)
{
	const struct inode___before_6_11 *old = (const void *)inode;
	const struct inode___before_6_6 *older = (const void *)inode;

	if (bpf_core_field_exists(inode->i_ctime_sec))
		return BPF_CORE_READ(inode, i_ctime_sec) * 1000000000ULL +
		       (BPF_CORE_READ(inode, i_ctime_nsec) & CTIME_NSEC);
	if (bpf_core_field_exists(old->__i_ctime))
		return BPF_CORE_READ(old, __i_ctime.tv_sec) * 1000000000ULL +
		       BPF_CORE_READ(old, __i_ctime.tv_nsec);
	return BPF_CORE_READ(older, i_ctime.tv_sec) * 1000000000ULL + BPF_CORE_READ(older, i_ctime.tv_nsec);
}

/* The file of the task's program; all 0 = it has none. */
static __always_inline void program_file_of(const struct task_struct *task, struct program_file *ret)
{
	const struct inode *inode = BPF_CORE_READ(task, mm, exe_file, f_inode);

	__builtin_memset(ret, 0, sizeof(*ret));
	if (!inode)
		return;
	ret->inode = BPF_CORE_READ(inode, i_ino);
	ret->changed_ns = inode_changed_ns(inode);
	ret->size = BPF_CORE_READ(inode, i_size);
	ret->device = BPF_CORE_READ(inode, i_sb, s_dev);
	ret->generation = BPF_CORE_READ(inode, i_generation);
}

#endif

/*
 * What a RECORD_PROCESS says of a process. Its name is read by the caller: of the main thread, which at an
 * exec is the task itself.
 */
static __always_inline void program_describe(const struct task_struct *task, struct record_process *ret)
{
	ret->pid = task->tgid;
	ret->start_time = BPF_CORE_READ(task, group_leader, start_boottime);
	ret->exec_id = task->self_exec_id;
	ret->user = task_user(task);
	program_file_of(task, &ret->file);
}

#endif

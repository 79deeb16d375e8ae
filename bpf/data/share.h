/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share.h - what the processes of one user have of the tables (base/share.h).
 */
#ifndef PYPERF_BPF_DATA_SHARE_H
#define PYPERF_BPF_DATA_SHARE_H

#include "bpf/abi/types.h"

struct share {
	__u64 user;	  /* task_user(); 0 = free */
	__u32 generation; /* of the tree, in which these were got: */
	__u32 nodes, codes, owners;
	__u32 processes; /* that have got some of them */
};

#define SHARE_WAYS 8
#define SHARES	   1024 /* users, in sets of SHARE_WAYS; a power of two */

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process.h - what the sampler knows of a process.
 */
#ifndef PYPERF_BPF_ABI_PROCESS_H
#define PYPERF_BPF_ABI_PROCESS_H

#include "bpf/abi/types.h"

#define PROCESS_BITS 20
#define PROCESS_IDS  (1U << PROCESS_BITS)

enum process_state {
	PROCESS_WANTED = 1, /* selected, not analysed yet, or a Python whose layout is not proved yet */
	PROCESS_PYTHON,
	PROCESS_NO_LAYOUT,  /* Python, but of an unknown or refused layout */
	PROCESS_NOT_PYTHON,
	PROCESS_EXCLUDED, /* by a filter: until its next exec */
	PROCESS_PROGRAM,  /* no Python, but its native code is wanted (--all) */
	PROCESS_FORBIDDEN, /* it may not be read, so nobody knows what it is */
};

/* Whether nothing of it is known that a child of it would have, too. */
static inline int process_is_other(enum process_state state)
{
	return state == PROCESS_NOT_PYTHON || state == PROCESS_FORBIDDEN;
}

/* Whether what such a process does is in the profile. */
static inline int process_is_counted(enum process_state state)
{
	return state == PROCESS_PYTHON || state == PROCESS_NO_LAYOUT || state == PROCESS_PROGRAM;
}

/*
 * In struct process.unsettled: a code object that had been at its address for long (python/settled.h) was
 * once replaced by another one.
 */
#define UNSETTLED_ALWAYS (~0ULL)

/* In what task_user() (base/share.h) returns: the rest is a uid. */
#define USER_BY_UID (1ULL << 63)

/* What a process was started from. Who writes to the file changes this. */
struct program_file {
	__u64 inode;	  /* 0 = not known */
	__u64 changed_ns; /* the inode's own time of change, which nobody can set */
	__u64 size;
	__u32 device;	  /* the kernel's: major << 20 | minor */
	__u32 generation; /* of the inode's number */
};

/* A program in which a layout was proved: it is that of all who are started from its file. */
struct known_program {
	__s64 runtime;	 /* bytes from the first byte of its code to _PyRuntime */
	__u32 layout;	 /* index of its struct layout */
	__u32 elsewhere; /* _PyRuntime is in a library, of which nobody knows yet where it will be */
};

#define KNOWN_PROGRAMS 256 /* files at a time */

/* The sampler compares start_time and exec_id with those of the running task at every sample. */
struct process {
	__u64 start_time; /* task->group_leader->start_boottime, ns */
	__u64 exec_id;	  /* task->self_exec_id: goes up at every exec */
	__u64 runtime;	  /* address of _PyRuntime; 0 = it is not known yet where its library is */
	/*
	 * When a code object was last seen for the first time, in jiffies, or UNSETTLED_ALWAYS; 0 before the
	 * first sample. Where there is no code epoch, callers that were cached before are not trusted
	 * (stack.h).
	 */
	__u64 unsettled;
	/*
	 * For a process that is not PROCESS_PYTHON: user space is asked again from this bpf_ktime_get_ns()
	 * on. 0 means never, but for PROCESS_WANTED at once.
	 */
	__u64 check_after;
	__u64 user; /* task_user() (base/share.h) when it was last met; 0 = not known */
	/* CLOCK_BOOTTIME, ns, of the verdict: of younger threads the whole CPU time is accounted for. */
	__u64 known;
	__u32 id;      /* PROCESS_BITS, unique within a run; names this process in all tables */
	__u16 layout;  /* index of its struct layout */
	__u8 state;    /* enum process_state */
	__u8 no_epoch; /* what its layout takes for the code epoch has been found to be something else */
	/* For tree/quota.h: entries of the tables that it has got in this generation of the tree. */
	__u32 generation;
	__u32 nodes;
	__u32 codes;
	/* Bytes from pthread_self() to the thread pointer (python/self.h); 0 = unknown, or none (x86-64). */
	__u32 self_below;
	__u32 space;	/* space_number() of its mappings (abi/native.h); 0 = not known */
	__u16 tasks;	/* index of its struct task_layout plus one; 0 = no asyncio was found yet */
	__u16 names;	/* of tasks, in this generation of the tree */
	__u16 values;	/* of context variables, in this generation */
	__u16 contexts; /* index of its struct context_vars plus one; 0 = none was found yet */
	__u32 begun;	/* jiffies of its exec, if it was known from then on; 0 = it was not */
};

/* Of these numbers user space alone knows what they are. */
enum process_number { NUMBER_SPACE, NUMBER_TASKS, NUMBER_CONTEXTS };

/* What the kernel side is told of a process. */
struct number_request {
	__u32 pid;
	__u32 id;    /* struct process.id; another process that has this pid is left alone */
	__u32 which; /* enum process_number */
	__u32 number;
};

/* Returns whether it is this process, and there is such a number. */
static inline int process_set_number(struct process *p, const struct number_request *r)
{
	if (p->id != r->id)
		return 0;
	switch (r->which) {
	case NUMBER_SPACE:
		p->space = r->number;
		return 1;
	case NUMBER_TASKS:
		p->tasks = r->number;
		return 1;
	case NUMBER_CONTEXTS:
		p->contexts = r->number;
		return 1;
	}
	return 0;
}

#endif

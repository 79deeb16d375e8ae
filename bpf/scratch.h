/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scratch.h - what the sampler works on: a CPU's memory for one sample, and what it remembers of a thread.
 */
#ifndef PYPERF_BPF_SCRATCH_H
#define PYPERF_BPF_SCRATCH_H

#include "bpf/abi.h"
#include "bpf/native/frames.h"
#include "bpf/python/cache.h"
#include "bpf/python/digest.h"
#include "bpf/python/walk.h"

/* A code object that the thread was seen in, to be found without the large tables. */
struct known_code {
	__u64 address;
	__u64 epoch; /* the entry holds in this code_moment() only */
	__u32 process;
	__u32 index;   /* its number in codes */
	__u32 digest;  /* without an epoch, if it is settled: known_digest(); else 0 */
	__u32 reading; /* thread.reading, when all that counts was last read */
};

#define KNOWN_CODES 64 /* places of a thread; a power of two */

/* Where a thread, or its process, stands in the tree for one kind of event. */
struct root {
	__u64 comm_seen; /* jiffies at which the owner's comm was last copied */
	__u32 node;	 /* 0 = none yet */
	__u32 of_thread; /* 1 = the thread's own, 0 = its process's */
};

/* What is remembered of a thread between samples. */
struct thread {
	__u64 start_time;
	__u64 tstate;	  /* its PyThreadState, proved on every use; 0 = not found */
	__u64 tss;	  /* address of its gilstate TSS slot; 0 = unknown */
	__u64 searched;	  /* jiffies of the last search for its thread state */
	__u64 used;	  /* jiffies of the last sample */
	__u32 tid;	  /* thread_place(): of the thread, and the kind of event; 0 = this place is free */
	__u32 busy;	  /* a sample is using it */
	__u32 process;	  /* struct process.id that its roots belong to */
	__u32 misses;	  /* searches in a row that found nothing */
	__u32 generation; /* of the tree, to which its roots and the nodes in cache belong */
	__u32 reading;	  /* goes up when cache is begun anew: then all code objects are to be read again */
	struct root roots[EVENT_KINDS];
	struct known_code known[KNOWN_CODES];
	struct cache cache;
};

static __always_inline void thread_forget_roots(struct thread *t)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		t->roots[kind].node = 0;
}

/* What a wait can be a part of. */
enum wait_part {
	WAIT_ASLEEP,
	WAIT_QUEUED,
	WAIT_WANTS_GIL,
	WAIT_PARTS
};

/* What the stack of a thread that waits led to. */
struct wait_stack {
	__u32 generation; /* of the tree, to which the nodes belong */
	__u32 node;	  /* what is counted while it sleeps; 0 = it is not in the profile */
	__u32 queue_node; /* ... and while it could run, but has no CPU */
	__u8 outcome, queue_outcome;
	__u16 weight; /* so many waits this one stands for */
};

/* Who has written a struct wait_stack. */
enum wait_source {
	WAIT_OWN,     /* the thread itself, when it left its CPU, */
	WAIT_LISTED,  /* ... or those who found it asleep (sample/asleep.h); they need two: */
	WAIT_LISTED2, /* ... while one of them is counted the other is written */
	WAIT_SOURCES
};

/* What is remembered of a thread's wait (sample/wait.h), and of the thread from one wait to the next. */
struct wait {
	__u64 since; /* up to when it is counted, as since_make() has it; 0 = the thread runs */
	__u64 begin; /* bpf_ktime_get_ns() when it left the CPU, or was found without one */
	struct wait_stack stack[WAIT_SOURCES]; /* since_source() says which one counts */
	/* Of its waits so far, ns, a moving one: bounded, so that one long wait is enough to tell. */
	__u64 average;
	__u64 unseen[WAIT_PARTS]; /* ns of long waits whose stack was not taken, by part; not counted yet */
	__u32 process; /* struct process.id */
	__u32 tid;
	char comm[16];
	__u32 for_gil; /* 1: it waits for the GIL */
} __attribute__((aligned(64)));

/* The memory of a process that may be of interest (sample/memory.h). */
struct memory {
	__u64 mm;    /* its address in the kernel; 0 = free */
	__s64 pages; /* of them, those that are counted */
	__u64 used;  /* jiffies when some were last counted */
};

#define MEMORY_BUSY 1 /* memory.mm: somebody is about to use this entry */
#define MEMORY_WAYS 5
#define MEMORY_SETS 2048 /* a power of two */

struct memory_set {
	struct memory way[MEMORY_WAYS];
} __attribute__((aligned(64)));

/* Bits of scratch.code.unsettled. Without a code epoch this sample met a code object ... */
#define UNSETTLED_NEW	 1 /* ... for the first time, or in the place of another one, ... */
#define UNSETTLED_REUSED 2 /* ... in the place of a settled one, ... */
#define UNSETTLED_YOUNG	 4 /* ... that is not settled yet (python/settled.h) */

/* Whether this sample may go by known_code.digest. */
enum recall {
	RECALL_NOT,
	RECALL_MAY,
	RECALL_DONE, /* ... and has */
};

#define KERNEL_DEPTH 126 /* functions of the kernel that are kept of a sample; it finds 127 at most */

/* What an object of the interpreter is, by its type (python/task.h). */
enum object_kind {
	OBJECT_OTHER,
	OBJECT_COROUTINE, /* a coroutine, a generator or an async generator: it has a frame */
	OBJECT_WRAPPER,	  /* its first field is one of those, or another wrapper */
	OBJECT_INT,
	OBJECT_STR,
};

#define TYPES_KNOWN 32 /* a power of two */

/* A type that is no program's own, so that it stays what it is. */
struct known_type {
	__u64 address;
	__u32 process; /* struct process.id */
	__u32 kind;    /* enum object_kind */
};

#define AWAIT_TASKS 16 /* tasks, or futures, above each other that await the one that runs */

#define TSTATE_MASK 511 /* covers TSTATE_READ */
#define INTERP_MASK 511 /* covers INTERP_READ */

#define IGNORED 64 /* a power of two */

/* A process whose waits are not looked at, as long as the table of processes has this stamp. */
struct ignored {
	__u64 stamp;
	__u32 tgid;
	__u32 image; /* of its start time and exec count */
};

/* What one sample works on. The groups are named for the file that owns them. */
struct scratch {
	volatile __u32 busy; /* a sample is being taken on this CPU */

	struct { /* sample/process.h: whose tick it is */
		__u32 process;	      /* struct process.id */
		__u32 known_tgid;     /* whose entry known is; 0 = nobody's */
		__u64 known_stamp;    /* processes_stamp before known was copied */
		struct process known; /* a copy of the entry in processes that this CPU used last */
		__u32 learned; /* this sample found out known.self_below */
		struct ignored ignored[IGNORED]; /* sample/offcpu.h */
		__u64 self; /* what pthread_self() returns in the thread; 0 = not known yet (python/self.h) */
	} who;

	struct { /* sample/memory.h: what this CPU looked at last */
		__u64 mm;
		__s64 pages;
	} memory;

	struct { /* tree/tree.h: where in the tree the sample goes */
		__u32 generation; /* tree_generation when the sample began */
		__u32 bank;	  /* bank_of() that generation */
		__u32 home;	  /* node_home() of the root */
		__u32 node;	  /* what the stack leads to, as far as it is interned; 0 = a table is full */
		__u32 states;	  /* STATE_BIT()s of the sample; 0 = nothing is known */
	} tree;

	struct { /* tree/quota.h */
		__u32 none;  /* the process gets no new entries */
		__u32 nodes; /* what this CPU had added before the sample */
		__u32 codes;
	} quota;

	struct { /* python/intern.h */
		__u32 remember; /* the frames go into the thread's cache too, */
		__u32 kept;	/* ... and so many did */
		__u32 late;	/* the time was up before the leaf */
		__u32 natives;	/* native frames that were added among them */
		__u32 left_out; /* so many frames from the leaf on are not to be added */
	} intern;

	struct { /* python/epoch.h, python/code.h */
		__u64 epoch;	 /* 0 = there is none */
		__u64 moment;	 /* without one: names this sample; 0 = not needed yet */
		__u64 made;	 /* 3.13: next co_version to be given out; 0 = unknown */
		__u64 gc_frame;	 /* the interpreter's gc.frame; 0 = no collection, or it was not read */
		__u32 no_epoch;	 /* an object was met that proves wrong what the layout takes for the epoch */
		__u32 unsettled; /* UNSETTLED_ bits */
		__u32 sent;	 /* records sent by this sample */
		__u32 recall;	 /* enum recall */
		__u8 header[HEADER_BYTES]; /* of an object */
	} code;

	struct { /* python/thread.h: the search for the thread's PyThreadState */
		__u64 interp;	 /* the interpreter to look at next */
		__u64 candidate; /* the thread state to look at next */
		__u64 fallback;	 /* one that is this thread's but not attached; 0 = none was met */
		__u64 found;	 /* the result; 0 = none */
		__u64 budget;	 /* how many more may be looked at */
		__u64 current;	 /* up to 3.11: the thread state that has the GIL, as it was read last */
	} search;

	struct { /* python/task.h: the asyncio task that the thread runs */
		__u64 address; /* 0 = none */
		__u64 text;    /* the object that is its name */
		__u32 name;    /* the number of the name; 0 = it has none, or there was no room */
		__u32 pad;
		struct known_type types[TYPES_KNOWN];
		__u8 bytes[TASK_READ + 8]; /* of an object */
	} task;

	struct { /* python/await.h: what awaits that task */
		__u64 frame;  /* of the task's own coroutine, above which it goes; 0 = nothing awaits it */
		__u64 task;   /* the next one to be looked at; 0 = there is none */
		__u64 object; /* ... before that, what one of its coroutines awaits; 0 = all are there */
		__u32 others; /* it is one of several */
		__u32 cause;  /* enum wait_cause that it ends with; WAIT_CAUSES = none */
		__u32 tasks, depth; /* so many were found, with so many frames */
		__u32 left, at, steps; /* python/intern.h: what is to be added, next frame, steps for it */
		__u64 met[AWAIT_TASKS];
		__u8 shared[AWAIT_TASKS]; /* others await what this one awaits, too */
		__u8 begin[AWAIT_TASKS], end[AWAIT_TASKS]; /* its frames, the outermost first */
	} await;

	struct { /* sample/gil.h */
		__u64 address; /* of the GIL that the thread waits for */
		__u64 waiter;  /* its PyThreadState */
		__u32 moved;   /* the frame of the holder that was looked at last has changed */
		__u32 settled; /* the frame of the holder that is shown as its leaf; DEPTH_LIMIT = none */
	} gil;

	/*
	 * native/text.h: a search by halves. It is in memory, since the verifier would follow every value of
	 * numbers in registers.
	 */
	volatile struct text_search {
		__u32 low, high;
	} text_search;

	struct kernel_stack { /* native/kernel.h */
		__u32 in_kernel; /* this tick interrupted the kernel */
		__u32 depth;
		__u64 frames[KERNEL_DEPTH + 1]; /* leaf first; one that is more than are kept */
	} kernel;

	__u8 tstate[TSTATE_MASK + 1 + 8]; /* python/thread.h: the thread state's first bytes */
	__u8 interp[INTERP_MASK + 1 + 8]; /* python/epoch.h: a part of the interpreter's state */
	__u64 cframe[4];		  /* python/cframe.h: the CFrame's first words */
	struct walk walk;		  /* python/walk.h, python/cache.h */
	struct unwind unwind;		  /* native/unwind.h */

	struct record_code record;		      /* python/code.h */
	__u8 slack[2 * STRING_MAX + LINETABLE_SMALL]; /* what is written anywhere in record.data ends in it */
	struct thread stranger; /* stands in for a thread's own entry when all places of its set are in use */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scratch.h - what one sample works on: a CPU's memory, in groups that are named for the file that owns them.
 */
#ifndef PYPERF_BPF_DATA_SCRATCH_H
#define PYPERF_BPF_DATA_SCRATCH_H

#include "bpf/abi.h"
#include "bpf/data/budget.h"
#include "bpf/data/clock_pair.h"
#include "bpf/data/code.h"
#include "bpf/data/native_frames.h"
#include "bpf/data/thread.h"
#include "bpf/data/walk.h"

#define KERNEL_DEPTH 126 /* functions of the kernel that are kept of a sample; it finds 127 at most */

/* What an object of the interpreter is, by its type (python/task.h). */
enum object_kind {
	OBJECT_OTHER,
	OBJECT_COROUTINE, /* a coroutine, a generator or an async generator: it has a frame */
	OBJECT_WRAPPER,	  /* its first field is one of those, or another wrapper */
	OBJECT_INT,
	OBJECT_STR,
	/* Up to 3.13, python/awaiter.h: */
	OBJECT_TASK,
	OBJECT_FUTURE,
	OBJECT_WAKEUP,	 /* its first field is a task */
	OBJECT_BUILTIN,
	OBJECT_METHOD,
	OBJECT_FUNCTION,
	OBJECT_PARTIAL,
	OBJECT_GROUP,
	OBJECT_SCOPE,
};

#define TYPES_KNOWN 32 /* a power of two */
#define TYPE_NAME   24 /* bytes of a type's name that are compared */

/* A type that is no program's own, so that it stays what it is. */
struct known_type {
	__u64 address;
	__u32 process; /* struct process.id */
	__u32 kind;    /* enum object_kind */
};

#define AWAIT_TASKS 16 /* tasks, or futures, above each other that await the one that runs */

#define TSTATE_MASK 511 /* covers TSTATE_READ */
#define INTERP_MASK 511 /* covers INTERP_READ */

#define TRACE_ENTRIES	  16 /* of a dict, that are looked at */
#define TRACE_ENTRY_WORDS 64 /* a power of two, and more than three for each of them */

#define IGNORED 64 /* a power of two */

/* A process whose waits are not begun as long as the table of processes has this stamp, and until then. */
struct ignored {
	__u64 stamp;
	__u64 until; /* bpf_ktime_get_ns() */
	__u32 tgid;
	__u32 image; /* of its start time and exec count */
};

#define KEPT_PROCESSES 16 /* a power of two */

/* A copy of an entry in processes, or that there is none. */
struct kept_process {
	__u64 stamp;	 /* processes_stamp before it was copied */
	__u32 tgid;	 /* 0 = nobody's */
	__u32 is_absent; /* the table has no such process */
	struct process process;
} __attribute__((aligned(64)));

/*
 * What every tick uses comes first and lies side by side: between two ticks the processor's caches forget
 * it, and each line of 64 bytes has to be fetched anew. The first 128 bytes also have the shortest
 * instructions.
 */
struct scratch {
	volatile __u32 busy; /* a sample is being taken on this CPU */

	struct {		  /* tree/tree.h: where in the tree the sample goes */
		__u32 generation; /* tree_generation when the sample began */
		__u32 bank;	  /* bank_of() that generation */
		__u32 home;	  /* node_home() of the root */
		__u32 node;	  /* what the stack leads to, as far as it is interned; 0 = a table is full */
	} tree;

	__u32 attribute[ATTRIBUTES_OF_TICKS]; /* stack/leaf.h: values of the sample's attributes; 0 = none */

	struct {		/* tree/quota.h */
		__u32 none;	/* the process gets no new nodes and codes */
		__u32 no_owner; /* ... and no new owners */
		__u32 nodes;	/* what this CPU had added before the sample */
		__u32 codes;
		__u32 owners;
	} quota;

	struct {		/* stack/intern.h */
		__u32 remember; /* the frames go into the thread's cache too, */
		__u32 cached;	/* ... and so many did */
		__u32 late;	/* the time was up before the leaf */
		__u32 natives;	/* native frames that were added among them */
		__u32 left_out; /* so many frames from the leaf on are not to be added */
	} intern;

	struct {		 /* python/epoch.h, python/code.h */
		__u64 epoch;	 /* 0 = there is none */
		__u64 moment;	 /* without one: names this sample; 0 = not needed yet */
		__u64 made;	 /* 3.13: next co_version to be given out; 0 = unknown */
		__u64 gc_frame;	 /* the interpreter's gc.frame; 0 = no collection, or it was not read */
		__u32 no_epoch;	 /* an object was met that proves wrong what the layout takes for the epoch */
		__u32 unsettled; /* UNSETTLED_ bits */
		__u32 sent;	 /* records sent by this sample */
		__u32 recall;	 /* enum recall */
		__u32 fault;	 /* the object read last could not be read, or not its texts */
		__u32 unread;	 /* ... or one met since all are read anew */
	} code;

	struct {		   /* sample/process.h: whose tick it is */
		__u32 process;	   /* struct process.id */
		__u32 known_tgid;  /* whose entry known is; 0 = nobody's */
		__u64 known_stamp; /* processes_stamp before known was copied */
		__u32 learned;	   /* this sample found out known.self_below */
		__u64 sp, stack; /* 3.11, 3.12: the stack pointer, and bytes from there to the stack's end */
		__u64 self; /* what pthread_self() returns in the thread; 0 = not known yet (python/self.h) */
		struct process known; /* a copy of the entry in processes that this CPU used last */
	} who;

	struct {			/* sample/cost.h */
		struct turns turns;	/* of ticks */
		struct cost ticks, all; /* of ticks, and of all kinds of events */
		__u64 look;		/* bpf_ktime_get_ns() when a look at a wait began */
		__u64 deadline; /* the sample that begins has this walk.deadline, by what came before it */
		__u64 random;	/* chance_quick() */
	} cost;

	__u64 tstate_at;		  /* python/thread.h: where the thread state is, of which these */
	__u8 tstate[TSTATE_MASK + 1 + 8]; /* ... are the first bytes */
	__u64 cframe[4];		  /* python/cframe.h: the CFrame's first words */

	/* What most ticks leave alone. */
	__u8 header[HEADER_BYTES];	 /* python/code.h: of a code object */
	struct ignored ignored[IGNORED]; /* events/offcpu.h */
	struct clock_pair clock;	 /* events/switch_clock.h: of this CPU's run queue */

	struct {	     /* events/loop_turn.h: of the thread that leaves this CPU */
		__u32 index; /* in the table of turns */
		__u32 role;  /* enum turn_role */
		__u32 first; /* it is one of the first parts of its turn */
	} turn;

	struct {	      /* stack/marks.h: two frames of the stack, by which an event loop is known */
		__u32 depth;  /* what is asked: turn.depth; 0 = the loop waits for events now */
		__u32 frames; /* of the stack; 0 = not known */
		__u64 caller, called;
	} marks;

	struct { /* events/loop_turn.h: the tick that has just ended on s->tree.node */
		__u32 outcome;
		__u32 amount; /* so many ticks; 0 = there is none */
		__u32 turn;   /* number of the turn that it is a part of */
	} tick;

	struct { /* events/memory.h: what this CPU looked at last */
		__u64 mm;
		__s64 pages;
	} memory;

	struct {		 /* python/thread.h: the search for the thread's PyThreadState */
		__u64 interp;	 /* the interpreter to look at next */
		__u64 candidate; /* the thread state to look at next */
		__u64 fallback;	 /* one that is this thread's but not attached; 0 = none was met */
		__u64 found;	 /* the result; 0 = none */
		__u64 budget;	 /* how many more may be looked at */
		__u64 current;	 /* up to 3.11: the thread state that has the GIL, as it was read last */
		__u64 blind;	 /* not all thread states were seen */
	} search;

	struct {	       /* python/task.h: the asyncio task that the thread runs */
		__u64 address; /* 0 = none */
		__u64 text;    /* the object that is its name */
		struct known_type types[TYPES_KNOWN];
		__u8 bytes[TASK_READ + 8]; /* of an object */
	} task;

	struct {	      /* python/await.h: what awaits that task */
		__u64 frame;  /* of the task's own coroutine, above which it goes; 0 = nothing awaits it */
		__u32 seen;   /* that frame is in the thread's stack, */
		__u32 must;   /* ... and must be, or the task is none of the thread's (up to 3.13) */
		__u64 task;   /* the next one to be looked at; 0 = there is none */
		__u64 object; /* ... before that, what one of its coroutines awaits; 0 = all are there */
		__u32 others; /* it is one of several */
		__u32 cause;  /* enum wait_cause that it ends with; WAIT_CAUSES = none */
		__u32 tasks, depth;    /* so many were found, with so many frames */
		__u32 left, at, steps; /* stack/intern.h: what is to be added, next frame, steps for it */
		__u64 met[AWAIT_TASKS];
		__u8 shared[AWAIT_TASKS];		   /* others await what this one awaits, too */
		__u8 begin[AWAIT_TASKS], end[AWAIT_TASKS]; /* its frames, the outermost first */
	} await;

	struct {	      /* python/context.h: the value of a context variable */
		__u64 root;   /* of the tree of the thread's context */
		__u64 at;     /* the node of it to look at next, ... */
		__u32 pairs;  /* ... or so many pairs from there on */
		__u32 shift;  /* bits of the hash that have led there */
		__u32 late;   /* the sample's time was over before it was found */
		__u64 value;  /* 0 = not found yet */
		__u64 number; /* what an int is, without its sign */
		struct context_object {
			__u64 type;
			__u64 words[2]; /* behind its header */
		} object;
	} context;

	struct {		      /* python/trace.h */
		struct trace_ids ids; /* of the current span */
		__u64 span;	      /* its object; 0 = a thread's record has told the ids */
		__u64 woken;	      /* bpf_ktime_get_ns() when user space was woken for a span last */
		__u64 found;	      /* in a dict, or an object's attribute; 0 = it is not there */
		__u64 words[TRACE_KEYS_READ / 8];
		union {
			__u64 entries[TRACE_ENTRY_WORDS];    /* of a dict's table of keys */
			struct thread_context_record record; /* python/thread_context.h */
		};
	} trace;

	struct {		/* events/gil.h */
		__u64 address;	/* of the GIL that the thread waits for */
		__u64 waiter;	/* its PyThreadState */
		__u32 left_out; /* frames of the holder, from its leaf on, that are not shown */
		__u32 cost;	/* ns that the check for it took, with --budget; 0 = there was none */
		__u64 deadline; /* of the event, as the check leaves it: walk.deadline */
		__u32 on_stack; /* enum gil_on_stack, of the futex that was checked */
		__u32 pad;
	} gil;

	/*
	 * native/text.h: a search by halves. It is in memory, since the verifier would follow every value of
	 * numbers in registers.
	 */
	volatile struct text_search {
		__u32 low, high;
	} text_search;

	struct kernel_stack {	 /* stack/kernel_frames.h */
		__u32 in_kernel; /* this tick interrupted the kernel */
		__u32 depth;
		__u64 frames[KERNEL_DEPTH + 1]; /* leaf first; one that is more than are kept */
	} kernel;

	__u8 interp[INTERP_MASK + 1 + 8]; /* python/epoch.h: a part of the interpreter's state */
	struct walk walk;		  /* python/walk.h, python/cache.h */
	struct unwind unwind;		  /* native/unwind.h */

	struct record_code record;		      /* python/code.h */
	__u8 slack[2 * STRING_MAX + LINETABLE_SMALL]; /* what is written anywhere in record.data ends in it */
	struct thread stranger; /* stands in for a thread's own entry when all slots of its set are in use */

	struct {		/* python/awaiter.h: what is called when the task that was met last is done */
		__u64 next;	/* to be looked at; 0 = nothing */
		__u64 list;	/* where further ones are, */
		__u64 count;	/* ... and so many of them */
		__u64 first;	/* who is known to await it by those before; 0 = nobody */
		__u64 group;	/* the task group that was met in a cell; 0 = none */
		__u32 cells;	/* the tuple that was read has cells */
		__u32 is_class; /* the type that is looked at is a class of Python's */
		__u32 unread;	/* it could not be read just now */
	} calls;

	struct {		      /* python/object.h */
		char name[TYPE_NAME]; /* of a type that is not known yet, or of a function */
	} type;

	struct kept_process kept[KEPT_PROCESSES]; /* sample/process.h: those that this CPU used before */
} __attribute__((aligned(64)));

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * abi.h - every record that the kernel side and the user side share. Plain data only. This is the only copy.
 */
#ifndef PYPERF_BPF_ABI_H
#define PYPERF_BPF_ABI_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

/*
 * The calling-context tree. A node is one 64-bit key (parent node, code, instruction), so that one
 * compare-and-swap publishes it, and a count. The node's index in the table is its number. A key with
 * parent 0 is a root: its code field is then an index into the owners table.
 */
#define NODE_BITS 22
#define CODE_BITS 22
#define INSTR_BITS 20
#define INSTR_UNKNOWN ((1U << INSTR_BITS) - 1)

#define KEY_RESERVED (~0ULL) /* of node 0, "none", and of codes below CODE_FIRST: set before the first tick */

struct node {
	__u64 key;
	__u64 count; /* samples whose leaf is this node; only goes up. Node 0 counts what found no room */
};

static inline __u64 node_key(__u32 parent, __u32 code, __u32 instr)
{
	return (__u64)parent << (CODE_BITS + INSTR_BITS) | (__u64)code << INSTR_BITS | instr;
}

static inline __u32 node_parent(__u64 key)
{
	return key >> (CODE_BITS + INSTR_BITS);
}

static inline __u32 node_code(__u64 key)
{
	return key >> INSTR_BITS & ((1U << CODE_BITS) - 1);
}

/* Code units (2.7: bytes) from the start of the bytecode, plus one: 0 is "before the first instruction". */
static inline __u32 node_instr(__u64 key)
{
	return key & INSTR_UNKNOWN;
}

/* Every way a tick can end. The first CODE_FIRST code numbers stand for these outcomes as marker frames. */
enum outcome {
#define OUTCOME(name, place, text, help) OUTCOME_##name,
#include "bpf/outcomes.def"
#undef OUTCOME
	OUTCOME_COUNT
};

#define CODE_FIRST 64 /* number of the first real code object; below it: enum outcome */

/* What a frame of a stack is. */
enum frame_kind {
#define FRAME(name, number, mapping, table, key, behind, colour, shown, help) FRAME_##name,
#include "bpf/frames.def"
#undef FRAME
	FRAME_KINDS
};

/* The kind of frame that a node with this code number is. */
static inline enum frame_kind node_frame_kind(__u32 code)
{
	return code < CODE_FIRST ? FRAME_MARKER : FRAME_PYTHON;
}

#define BANKS	   2  /* parts of the tables of nodes, codes and owners, of which one is in use */

/*
 * One code object of one process, at one address, with one fingerprint: a new object at a recycled
 * address gets a new entry.
 */
struct code {
	__u64 identity; /* hash of code_key() and fingerprint; 0 = free, published by compare-and-swap */
	__u64 key;	/* code_key(); 0 = not written yet */
	__u64 epoch;	/* interpreter's code generation at which the fingerprint was last seen to hold */
	__u32 state;	/* enum code_state bits */
	__u32 hint;	/* of another entry, whose code_key() hashes to this one: the last found at that address */
};

/* The fingerprint of an object whose header was not in memory; the worker reads its names. Real ones are odd. */
#define FINGERPRINT_UNREAD 2

enum code_state {
	CODE_SENT = 1, /* its RECORD_CODE is in the ring */
	CODE_SHIM = 2, /* the interpreter's own helper frame, not Python code of anybody: not shown */
};

#define PROCESS_BITS 20
#define PROCESS_IDS  (1U << PROCESS_BITS)

/*
 * A new struct process.id, after *last and not among those that are held, one bit each: a pre-fork server uses up a
 * million in days. Those held lie close together, 73,000 at most; such a stretch is left by long steps. 0 is no id.
 */
static inline __u32 new_id(const volatile __u64 *held, __u32 *last)
{
	__u32 id = 0, step = 1;

	for (int i = 0; i < 32; i++, step = 4093) {
		id = (__sync_fetch_and_add(last, step) + step) & (PROCESS_IDS - 1);
		if (id && !(held[id / 64] >> id % 64 & 1))
			break;
	}
	return id ? id : 1;
}

/* User addresses are below 2^47 and objects are 8-aligned, so 44 bits hold one. */
static inline __u64 code_key(__u32 process, __u64 address)
{
	return (__u64)process << 44 | address >> 3;
}

/* Whom a root of the tree belongs to: a process, or a thread of it when profiles are kept by thread. */
struct owner {
	__u64 key;     /* owner_key(); 0 = free */
	__u32 process; /* struct process.id */
	__u32 tid;     /* 0 when profiles are kept by process */
	char comm[16]; /* the thread's (or main thread's) name when last sampled */
};

static inline __u64 owner_key(__u32 process, __u32 tid)
{
	return 1ULL << 63 | (__u64)process << 32 | tid;
}

enum process_state {
	PROCESS_WANTED = 1, /* selected, not analysed yet, or a Python whose layout is not proved yet */
	PROCESS_PYTHON,
	PROCESS_NO_LAYOUT,  /* Python, but of an unknown or refused layout */
	PROCESS_NOT_PYTHON,
	PROCESS_EXCLUDED, /* by a filter: until its next exec */
};

/* What the sampler knows of a process. The kernel proves start_time and exec_id on every sample. */
struct process {
	__u64 start_time;  /* task->group_leader->start_boottime, ns */
	__u64 exec_id;	   /* task->self_exec_id: goes up at every exec */
	__u64 runtime;	   /* address of _PyRuntime */
	__u64 unsettled;   /* jiffies of its first sample, or when a code object was last seen for the first time, ... */
#define UNSETTLED_ALWAYS (~0ULL) /* ... or this, once one stood at the address of an older one */
	__u64 check_after; /* not PYTHON: ask again from this bpf_ktime_get_ns() on; 0 = never, WANTED: at once */
	__u32 id;	   /* PROCESS_BITS, unique within a run; names this process in all tables */
	__u16 layout;	   /* index of its struct layout */
	__u8 state;	   /* enum process_state */
	__u8 no_generation; /* its layout's generation has been found to be something else */
};

/* How a chain of frames must end to be whole (cpython.md 6.1). */
enum root_rule {
	ROOT_ENTRY = 1, /* 3.11: previous NULL, is_entry set, not a generator */
	ROOT_SHIM,	/* 3.12-3.14: previous NULL, owner is owner_shim or more */
	ROOT_BASE,	/* 3.15: the thread state's base_frame */
	ROOT_NULL,	/* up to 3.10: f_back NULL, and not a generator's frame (2.7: any frame) */
};

/* How the line table of a code object is written. */
enum line_format {
	LINES_LOCATIONS, /* 3.11+: Objects/locations.md */
	LINES_310,	 /* 3.10: PEP 626, Objects/lnotab_notes.txt */
	LINES_LNOTAB,	 /* 3.6 to 3.9: co_lnotab */
	LINES_27,	 /* 2.7: co_lnotab, lines only go up, and an instruction may begin at any byte */
};

#define FRAME_READ 80	/* bytes of a _PyInterpreterFrame that are read: covers every field in 3.11-3.15 */
#define FRAME_READ_MAX 128 /* ... of a PyFrameObject: every field up to 3.10 */
#define TSTATE_READ 384 /* upper bound of layout.tstate_size */
#define CHUNK_SIZE 16384 /* smallest data-stack chunk, DATA_STACK_CHUNK_SIZE in Python/pystate.c, 3.11-3.15 */

/* Offsets, in bytes, of one build of the interpreter. A field a version lacks is 0 and its has_/rule says so. */
struct layout {
	__u32 version;	      /* PY_VERSION_HEX */
	__u8 free_threaded;
	__u8 root_rule;	      /* enum root_rule */
	__u8 has_cframe;      /* 3.11, 3.12: tstate_frame points to a CFrame, not to a frame */
	__u8 generation_size; /* bytes at interp_generation: 8 in 3.14+, 4 in 3.13, 0 = there is none */
	__u8 line_format;     /* enum line_format */

	/* _PyInterpreterFrame, up to 3.10 PyFrameObject; all below frame_size */
	__u8 frame_size;  /* bytes read of it: FRAME_READ, or up to FRAME_READ_MAX where frames are objects */
	__u8 frame_lasti; /* up to 3.10: frame_instr is an int, f_lasti, not a pointer; -1 = not begun */
	__u8 lasti_shift; /* what makes twice a node's instruction of it: 1 in 3.10 (code units) and 2.7 (bytes) */
	__u8 frame_tlbc_index; /* free-threaded 3.14+: which copy of the bytecode it runs, an int32; 0 = none */
	__u8 frame_code;
	__u8 frame_previous;
	__u8 frame_instr;
	__u8 frame_generator; /* 3.6 to 3.10: f_gen, a pointer; 0 = none */
	__u8 frame_owner;
	__u8 frame_is_entry;  /* 3.11 */
	__u16 owner_shim;     /* owner values from here on are not Python frames; 256 = none */
	__u8 owner_generator; /* FRAME_OWNED_BY_GENERATOR */
	__u8 pointer_tag;     /* low bits to clear in frame_code's pointer (3.14+: 3) */

	/* CFrame */
	__u8 cframe_frame;
	__u8 cframe_previous;

	/* PyThreadState; tstate_size bytes cover all of them */
	__u16 tstate_size;
	__u16 tstate_next;
	__u16 tstate_interp;
	__u16 tstate_frame; /* current_frame, or cframe */
	__u16 tstate_base_frame;
	__u16 tstate_thread_id;
	__u16 tstate_chunk; /* datastack_chunk */
	__u16 tstate_status;
	__u16 status_active; /* mask of the "attached" bit in tstate_status; 0 = none (3.11) */

	/* PyInterpreterState */
	__u32 interp_next;
	__u32 interp_threads; /* threads.head */
	__u32 interp_gil;     /* pointer to struct _gil_runtime_state; 0 = none (3.11) */
	__u32 interp_generation;
	__u32 interp_tlbc_generation; /* goes up when a copy of bytecode may be another thread's; 0 = none */
	__u32 gil_holder;     /* last_holder within _gil_runtime_state */

	/* _PyRuntimeState. Before 3.7 it does not exist: variables, from the address given as the process's runtime. */
	__u32 runtime_interpreters; /* interpreters.head, interp_head; 0 = only by way of the GIL's holder */
	__u32 runtime_tstate;	    /* gilstate.tstate_current, _PyThreadState_Current, up to 3.11; 0 = none */
	__u32 runtime_tss_key;	    /* autoTSSkey: int initialised, u32 key at +4; 0 = none */

	/* PyCodeObject; code_size bytes from its start cover all but the bytecode */
	__u16 code_size;
	__u16 code_first_line;
	__u16 code_filename;
	__u16 code_name;
	__u16 code_qualname;  /* 0 = none (up to 3.10) */
	__u16 code_linetable;
	__u16 code_version;   /* co_version; 0 = none (3.11) */
	__u16 code_bytecode;  /* co_code_adaptive; up to 3.10 of no use */
	__u16 code_count;     /* ob_size: code units; only where there is code_tlbc */
	__u16 code_tlbc;      /* co_tlbc: pointer to a count and as many pointers to copies of the bytecode; 0 = none */

	/* PyUnicodeObject. Its state word is read as a little-endian u32 at str_state. */
	__u16 str_length;
	__u16 str_state;
	__u16 str_ascii;   /* where the characters of a compact ASCII string begin */
	__u16 str_compact; /* ... of another compact string */
	__u16 str_data;	   /* pointer to the characters of a string that is not compact */
	__u8 str_kind_shift; /* 3 bits: 1, 2 or 4 bytes a character */
	__u8 str_compact_bit;
	__u8 str_ascii_bit;
	__u8 str_implied; /* 2.7: bits to add to the state, which its names, byte strings, do without; 0 = str */

	/* PyBytesObject */
	__u16 bytes_size;
	__u16 bytes_data;
};

#define LAYOUTS_MAX 64

enum cache_mode { CACHE_VERIFIED, CACHE_OFF, CACHE_CHECK };

/* Durations in steps of a quarter octave: bucket 4*e + q holds 2^e * (1 + q/4) ns and more. */
#define TIME_BUCKETS 96

static inline __u32 time_bucket(__u64 ns)
{
	__u32 e = 0;

	if (ns >> 23)
		return TIME_BUCKETS - 1;
	for (__u32 step = 16; step; step >>= 1)
		if (ns >> (e + step))
			e += step;
	return 4 * e + (e >= 2 ? ns >> (e - 2) & 3 : 0);
}

/* The shortest duration in a bucket, ns. */
static inline __u64 time_bucket_floor(__u32 bucket)
{
	return (1ULL << bucket / 4) + ((1ULL << bucket / 4) * (bucket % 4) >> 2);
}

/* Counters of one CPU. They only go up, but time_max. */
struct cpu_stats {
	__u64 outcome[OUTCOME_COUNT];
#define STAT(name, help) __u64 name;
#include "bpf/stats.def"
#undef STAT
	__u64 times[TIME_BUCKETS]; /* runs by their duration, when that is measured: time_bucket() */
	__u64 time_sum;		   /* ns */
	__u64 time_max;		   /* ns */
};

/* What the programs that start and stop a CPU's timer are given. */
struct timer_request {
	__u64 first; /* when it is to run for the first time, ns of CLOCK_MONOTONIC */
	__u32 cpu;
	__u32 pad;
};

/* Records in the ring buffer. Each begins with its type. */
enum record_type { RECORD_PROCESS = 1, RECORD_CODE, RECORD_FORK, RECORD_EXIT };

/* A process that the sampler met and does not know. Also the record of the task iterator. */
struct record_process {
	__u32 type;
	__u32 pid; /* in the initial PID namespace */
	__u64 start_time;
	__u64 exec_id;
	char comm[16];
};

/* A child got a copy of its parent's struct process, under an id of its own. */
struct record_fork {
	__u32 type;
	__u32 pid;
	__u64 start_time;
	__u64 exec_id;
	__u32 id;
	__u32 parent_id;
	char comm[16];
};

/* A process image is over: the process ended, or began another one by exec. */
struct record_exit {
	__u32 type;
	__u32 pid;
	__u32 id;
	__u32 pad;
};

#define STRING_MAX 1024	   /* bytes of a name that are kept; longer ones are cut and marked */
#define LINETABLE_SMALL 2048 /* bytes of a line table the kernel copies; the worker reads larger ones */
#define LINETABLE_MAX (1 << 20)

enum part_flags {
	PART_FAULT = 1, /* could not be read here */
	PART_CUT = 2,	/* longer than what was copied */
	PART_BAD = 4,	/* not an object of the expected shape */
	PART_BYTES = 8, /* 2.7: not characters but bytes, in an encoding that nothing tells */
};

/* One copied object: where it is and how much of it follows in record_code.data. */
struct code_part {
	__u64 address; /* of the object */
	__u32 length;  /* of the object: characters, or bytes of a line table */
	__u16 bytes;   /* copied into data */
	__u8 kind;     /* of a string: bytes a character */
	__u8 flags;    /* enum part_flags */
};

/* A code object at first sight. data holds name, file name and line table, one after the other. */
struct record_code {
	__u32 type;
	__u32 code;    /* number in the codes table */
	__u32 process; /* struct process.id */
	__u32 pid;
	__u64 address;
	__u64 fingerprint;
	__s32 first_line;
	__u32 version; /* co_version, 0 = unknown */
	__u32 line_format; /* enum line_format */
	__u32 pad;
	struct code_part name; /* qualified where the version has it */
	struct code_part file;
	struct code_part table;
	__u8 data[2 * STRING_MAX + LINETABLE_SMALL];
};

/* The old names, for as long as other branches are being merged. */
#define event_process record_process
#define event_fork    record_fork
#define event_exit    record_exit
#define event_code    record_code
#define EVENT_PROCESS RECORD_PROCESS
#define EVENT_CODE    RECORD_CODE
#define EVENT_FORK    RECORD_FORK
#define EVENT_EXIT    RECORD_EXIT

#endif

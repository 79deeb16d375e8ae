/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree.h - the call tree and what its nodes refer to: code objects, and owners of the roots. Each is a flat
 * table in which an entry's index is its number.
 */
#ifndef PYPERF_BPF_ABI_TREE_H
#define PYPERF_BPF_ABI_TREE_H

#include "bpf/abi/end_rows.h"
#include "bpf/abi/event_rows.h"
#include "bpf/abi/events.h"
#include "bpf/abi/native.h"
#include "bpf/abi/process.h"
#include "bpf/abi/types.h"

/*
 * A node is one 64-bit key (parent node, code, instruction), so that one compare-and-swap publishes it, and a
 * count. A key with parent 0 is a root: its code field is then an index into the table of owners.
 */
#define NODE_BITS 22
#define CODE_BITS 22
#define INSTR_BITS 20
#define INSTR_UNKNOWN ((1U << INSTR_BITS) - 1)

#define BANKS 2 /* parts of the tables of nodes, codes and owners, of which one is in use */

/* Entries of a bank's tables that are in use. */
struct bank_used {
	__u32 nodes;
	__u32 codes;
	__u32 owners;
};

/*
 * The key of the first EVENT_KINDS nodes and of the codes below CODE_FIRST. Written before the first event.
 * Node 0 as a number means "no node"; each of these nodes counts what found no room, node 0 that of the first
 * kind of event.
 */
#define KEY_RESERVED (~0ULL)

struct node {
	__u64 key;
	__u64 count; /* of samples whose leaf it is, in the unit of their kind of event; only goes up */
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

/*
 * A node of machine code has this bit in its code field. The other bits of that and the instruction's are a
 * position in the text space (abi/native.h).
 */
#define NODE_NATIVE (1U << (CODE_BITS - 1))

static inline int node_is_native(__u64 key)
{
	return node_parent(key) && node_code(key) & NODE_NATIVE;
}

static inline __u64 node_position(__u64 key)
{
	return key & ((1ULL << TEXT_BITS) - 1);
}

/* Code units (2.7: bytes) from the start of the bytecode, plus one: 0 is "before the first instruction". */
static inline __u32 node_instr(__u64 key)
{
	return key & INSTR_UNKNOWN;
}

/* The number of the first code object. Those below it are markers, enum outcome, and causes of waits. */
#define CODE_FIRST 64
#define CODE_WAITS 48 /* the number of the first enum wait_cause */

/*
 * A node with this number, below a root, is no frame. It counts the ns that the kernel's own account says
 * that the root's owner was on a CPU (events/account.h).
 */
#define CODE_ACCOUNT (CODE_FIRST - 1)

_Static_assert(CODE_WAITS + WAIT_CAUSES <= CODE_ACCOUNT, "each number is of one thing");

static inline int node_is_account(__u64 key)
{
	return node_parent(key) && node_code(key) == CODE_ACCOUNT;
}

/* A node that is no frame, but an attribute of its parent's stack, has this bit in its code field. */
#define NODE_ATTRIBUTE (1U << (CODE_BITS - 2))

/* Whether a node is no frame: bpf/abi/attributes.h says what it is. */
static inline int node_is_attribute(__u64 key)
{
	return node_parent(key) && !node_is_native(key) && node_code(key) & NODE_ATTRIBUTE;
}

#define HOLDER_DEPTH 1024 /* frames that the GIL's holder may have, above those of the one that waits */

/* What a frame of a stack is. */
enum frame_kind {
#define FRAME(name, ...) FRAME_##name,
#include "bpf/frames.def"
#undef FRAME
	FRAME_KINDS
};

/*
 * The kind of frame that a node with this key is, which is no root's. An attribute in the middle of a stack,
 * where the kernel side puts none, is a marker that nobody knows.
 */
static inline enum frame_kind node_frame_kind(__u64 key)
{
	if (node_is_attribute(key))
		return FRAME_MARKER;
	if (!node_is_native(key) && node_code(key) == OUTCOME_C_THREAD)
		return FRAME_C_THREAD;
	if (!node_is_native(key))
		return node_code(key) >= CODE_FIRST ? FRAME_PYTHON :
		       node_code(key) >= CODE_WAITS ? FRAME_WAIT : FRAME_MARKER;
	if (node_position(key) < NATIVE_ENDS)
		return FRAME_UNPLACED;
	if (node_position(key) < TEXT_SYSCALLS + TEXT_SYSCALLS_MAX)
		return FRAME_SYSCALL;
	return node_position(key) - TEXT_KERNEL < TEXT_FILES - TEXT_KERNEL ? FRAME_KERNEL : FRAME_NATIVE;
}

/*
 * The kind of event that a node counts. It is the kind of the node's owner, unless its leaf names another
 * kind that shares the roots of that one (event_row.below). So run-queue delays are below the roots of waits,
 * since a thread that was woken up stands where it slept.
 */
static inline __u32 node_event(__u64 key, __u32 owner_kind)
{
	const __u32 cause = node_code(key) - CODE_WAITS;
	__u32 kind;

	if (node_is_native(key) || cause >= WAIT_CAUSES || owner_kind >= EVENT_KINDS)
		return owner_kind;
	kind = wait_rows[cause].event;
	return event_rows[kind].below & EVENT_BIT(owner_kind) ? kind : owner_kind;
}

/*
 * One code object of one process, at one address, with one fingerprint. An object that is made at the address
 * of one that is gone has another fingerprint, and so an entry of its own.
 */
struct code {
	__u64 identity; /* hash of code_key() and fingerprint; 0 = free, published by compare-and-swap */
	__u64 key;	/* code_key(); 0 = not written yet */
	/*
	 * The code epoch (python/epoch.h) in which the fingerprint was last seen to hold; without one, since
	 * when the object is known to be there (python/settled.h).
	 */
	__u64 epoch;
	__u32 state; /* enum code_state bits */
	/*
	 * Not of this entry, but of the address whose code_key() hashes to this slot in the table: the
	 * number of the entry that was last found there.
	 */
	__u32 hint;
};

/*
 * code.epoch without an epoch: the jiffies since which the object is known to be there, shifted, and whether
 * it has been settled. An epoch, which is odd, is of a moment at which there was one.
 */
#define SETTLED_SHIFT 2
#define SETTLED_ONCE  2
#define SETTLED_NEVER (~1ULL) /* it shares its address with another one */

/*
 * The fingerprint of an object whose header was not in memory; the worker reads its names. Real ones are odd.
 */
#define FINGERPRINT_UNREAD 2

enum code_state {
	CODE_SENT = 1, /* its RECORD_CODE is in the ring */
	CODE_SHIM = 2, /* the interpreter's own helper frame, not Python code of anybody: not shown */
};

/* User addresses are below 2^47 and objects are 8-aligned, so 44 bits hold one. */
static inline __u64 code_key(__u32 process, __u64 address)
{
	return (__u64)process << 44 | address >> 3;
}

/*
 * Whom a root of the tree belongs to: a kind of event, and a process or, when profiles are kept by thread, a
 * thread of it. So the kinds of one thread have a root each, and share no node.
 */
struct owner {
	__u64 key;     /* owner_key(); 0 = free */
	__u64 began;   /* when its thread started: task->start_boottime, ns; 0 when kept by process */
	__u32 process; /* struct process.id */
	__u32 tid;     /* 0 when profiles are kept by process */
	char comm[16]; /* the thread's (or main thread's) name when last sampled */
};

#define OWNER_KIND_SHIFT 52

/* hash: of the process, and the thread's number and start time, since others get that number after it. */
static inline __u64 owner_key(enum event_kind kind, __u64 hash)
{
	return 1ULL << 63 | (__u64)kind << OWNER_KIND_SHIFT | (hash & ((1ULL << OWNER_KIND_SHIFT) - 1));
}

/* An enum event_kind; EVENT_KINDS or more in a key that is not ours. */
static inline __u32 owner_kind(__u64 key)
{
	return (key & ~(1ULL << 63)) >> OWNER_KIND_SHIFT;
}

#endif

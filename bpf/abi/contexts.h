/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * contexts.h - context variables (contextvars.ContextVar) whose values are labels of samples (--label-var):
 * in each process, where they are and how their values are found. user/remote/context_look.c finds all of
 * it in the process.
 */
#ifndef PYPERF_BPF_ABI_CONTEXTS_H
#define PYPERF_BPF_ABI_CONTEXTS_H

#include "bpf/abi/trace.h"
#include "bpf/abi/types.h"

#define CONTEXTS_MAX	   2048 /* different ones at a time, of which one user may have half */
#define CONTEXT_LABELS	   4	/* names that can be asked for */
#define CONTEXT_KEYS	   8	/* variables of a process, of which several may have one name */
#define TRACE_KEY	   CONTEXT_KEYS /* of struct context_vars.keys: where the current span is found */
#define CONTEXT_VALUES_MAX 256	/* different values that a process may have in a generation of the tree */

/* Types of objects, by which what is read of one is understood. */
enum context_type {
	/* Python/hamt.c: the nodes of the tree that a context keeps its values in */
	CONTEXT_BITMAP,
	CONTEXT_ARRAY,
	CONTEXT_COLLISION,
	/* values */
	CONTEXT_STR,
	CONTEXT_INT,
	CONTEXT_BOOL,
	CONTEXT_NONE,
	CONTEXT_TYPES, /* ... and any other type */
};

/*
 * A variable. The hash is the one that its object keeps: of its address and of its name. So another one that
 * is made at this address later has another hash, unless it has the same name.
 */
struct context_key {
	__u64 address;
	__u64 hash;
};

struct context_vars {
	struct context_key keys[CONTEXT_KEYS + 1]; /* count of them; and, with --trace, TRACE_KEY */
	__u64 types[CONTEXT_TYPES]; /* addresses of the type objects that were met; 0 = not met yet */
	__u16 tstate_context;	    /* PyThreadState.context */
	__u8 head;     /* bytes of an object's header, the last word of which is its type: 16 or 32 */
	__u8 var_hash; /* PyContextVar.var_hash */
	__u8 int_tag;  /* 3.12+: the first word of an int is a tag, else the number of its digits */
	__u8 count;
	__u16 pad;
	__u8 label[CONTEXT_KEYS];	    /* the number of the name that each was asked for by */
	struct trace_place trace;	    /* with --trace only */
	struct thread_context_place thread; /* ... as well */
};

/*
 * Offsets behind an object's header. They are the same in 3.8 to 3.15, free-threaded or not
 * (Include/internal/pycore_context.h, pycore_hamt.h; cpython/object.h; cpython/longintrepr.h).
 */
#define CONTEXT_VARS	 8   /* PyContext.ctx_vars */
#define CONTEXT_ROOT	 0   /* PyHamtObject.h_root */
#define CONTEXT_VAR_NAME 0   /* PyContextVar.var_name */
#define CONTEXT_CHILDREN 0   /* PyHamtNode_Array.a_array */
#define CONTEXT_PAIRS	 16  /* PyHamtNode_Bitmap.b_array, behind its size and bitmap; PyHamtNode_Collision */
#define CONTEXT_TP_NAME	 8   /* PyTypeObject.tp_name */
#define CONTEXT_TP_FLAGS 152 /* PyTypeObject.tp_flags */
#define CONTEXT_DIGITS	 8   /* PyLongObject.ob_digit, */
#define DIGIT_BITS	 30  /* ... of which each has so many: Include/cpython/longintrepr.h */

/* The hash by which a tree is descended, 5 bits a level (hamt_hash()). */
static inline __u32 context_hash(__u64 hash)
{
	const __u32 folded = (__u32)hash ^ (__u32)(hash >> 32);

	return folded == ~0U ? ~1U : folded;
}

#endif

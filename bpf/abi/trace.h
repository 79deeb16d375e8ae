/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - the current span of OpenTelemetry's SDK (--trace otel): its ids, and where a process has them.
 * The SDK's current context is a dict that one context variable has as its value; there the span stands
 * under a key, and keeps its ids in a tuple. user/remote/trace_look.c finds all of it in the process.
 */
#ifndef PYPERF_BPF_ABI_TRACE_H
#define PYPERF_BPF_ABI_TRACE_H

#include "bpf/abi/types.h"

/* span is 0 if there is none. */
struct trace_ids {
	__u64 high, low; /* the trace's 128 bits */
	__u64 span;
};

#define TRACE_CLASSES 4	 /* of spans, in a process */
#define TRACE_INDEX_MAX 64 /* of an attribute among those of an instance, and one more */

/* How instances of a class keep their attributes (internal/pycore_object.h, pycore_dict.h). */
enum trace_values {
	TRACE_UNKNOWN, /* nothing was found yet */
	TRACE_DICT,    /* up to 3.10: in the dict to which the word at tp_dictoffset points */
	TRACE_POINTER, /* 3.11: where the fourth word before the object points to; a dict: the third */
	TRACE_TAGGED,  /* 3.12: where that third word points to, a dict if it is even */
	TRACE_INLINE,  /* 3.13+: behind tp_basicsize, else in that dict */
	TRACE_VALUES,
};

struct trace_class {
	__u64 type;
	__u16 at;    /* tp_dictoffset of TRACE_DICT, tp_basicsize of TRACE_INLINE */
	__u16 index; /* of _context among the values */
	__u32 pad;
};

struct trace_place {
	__u64 span_key;				   /* the str under which a context has its span */
	__u64 name;				   /* the str "_context" */
	__u64 ids_type;				   /* SpanContext, a class derived from tuple */
	struct trace_class classes[TRACE_CLASSES]; /* count of them */
	__u8 values;				   /* enum trace_values */
	__u8 count;
	__u8 tuple_items;  /* PyTupleObject.ob_item, behind its header */
	__u8 keys_are_old; /* up to 3.10: dk_size is a number, and an entry has always three words */
	__u8 has_sdk;	   /* the SDK's own class is one of them */
	__u8 pad[3];
};

/*
 * Where the threads of a process publish the ids of their current span (OTEP 4947): a thread-local variable
 * of one of its libraries, otel_thread_ctx_v1, points to a record. Of x86-64 with glibc.
 */
enum thread_context_kind {
	THREAD_CONTEXT_NONE,
	THREAD_CONTEXT_STATIC, /* at an offset from the thread pointer */
	THREAD_CONTEXT_MODULE, /* ... from where the library has its variables in this thread */
	THREAD_CONTEXT_UNTRUE, /* what they publish is not always the current span: it is not read */
	THREAD_CONTEXT_KINDS,
};

struct thread_context_place {
	__u64 generation; /* of the table of such places, from which on it has this library; 0 = any */
	__s64 offset;
	__u32 module; /* the library's number in that table */
	__u32 kind;   /* enum thread_context_kind */
};

static inline int thread_context_is_read(const struct thread_context_place *p)
{
	return p->kind == THREAD_CONTEXT_STATIC || p->kind == THREAD_CONTEXT_MODULE;
}

/* "Thread-Local Context Record"; the ids are big-endian. */
struct thread_context_record {
	__u64 trace[2];
	__u64 span;
	__u8 valid; /* 1, or 0 while there is no span, or it is being changed */
	__u8 flags;
	__u16 size; /* of attributes behind it, which are not read */
	__u32 more; /* of them */
};

#define THREAD_CONTEXT_READ 28 /* bytes of a record */

/* glibc, sysdeps/x86_64/nptl/tls.h and sysdeps/generic/dl-dtv.h: */
#define THREAD_TABLE	   8  /* tcbhead_t.dtv, from the thread pointer on */
#define THREAD_TABLE_HEAD  16 /* before it: how many entries it has. Its own first word is its generation */
#define THREAD_TABLE_ENTRY 16 /* bytes of one, the first word of which is an address; -1 = nothing yet */

/* Offsets behind an object's header, or in a dict's table of keys (internal/pycore_dict.h). */
#define TRACE_MA_KEYS	   16 /* PyDictObject.ma_keys, and behind it ma_values */
#define TRACE_KEYS_READ	   40 /* of a table of keys, at least: up to 3.10 all but the indices */
#define TRACE_KEYS_OLD	   40 /* dk_indices, up to 3.10 */
#define TRACE_KEYS_NEW	   32 /* ... from 3.11 on */
#define TRACE_VALUES_HEAD  8  /* from 3.13 on: PyDictValues.values; the fourth byte says that they count */

#endif

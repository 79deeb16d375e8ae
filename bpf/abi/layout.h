/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - where one build of CPython keeps what the sampler reads. user/python/layouts has the values.
 */
#ifndef PYPERF_BPF_ABI_LAYOUT_H
#define PYPERF_BPF_ABI_LAYOUT_H

#include "bpf/abi/types.h"

/* How a chain of frames must end to be whole; docs/internals/walk.md, "When a stack is whole", says why. */
enum root_rule {
	ROOT_ENTRY = 1, /* 3.11: previous NULL, is_entry set, not a generator */
	ROOT_SHIM,	/* 3.12-3.14: previous NULL, owner is owner_shim or more */
	ROOT_BASE,	/* 3.15: the thread state's base_frame, or as ROOT_SHIM in a greenlet */
	ROOT_NULL,	/* up to 3.10: f_back NULL, and not a generator's frame (2.7: any frame) */
};

/* How the line table of a code object is written. */
enum line_format {
	LINES_LOCATIONS, /* 3.11+: Objects/locations.md */
	LINES_310,	 /* 3.10: PEP 626, Objects/lnotab_notes.txt */
	LINES_LNOTAB,	 /* 3.6 to 3.9: co_lnotab */
	LINES_27,	 /* 2.7: co_lnotab, lines only go up, and an instruction may begin at any byte */
};

#define LAYOUTS_MAX 128 /* different ones at a time, of which one user may have half */

/* Bytes that are read of a structure; they hold every field that is needed. */
#define FRAME_READ     80  /* of a _PyInterpreterFrame, 3.11-3.15 */
#define FRAME_READ_MAX 128 /* of a PyFrameObject, up to 3.10: layout.frame_size is at most this */
#define TSTATE_READ    384 /* of a PyThreadState: layout.tstate_size is at most this */
#define INTERP_READ    512 /* of a PyInterpreterState: from interp_gc_frame to interp_epoch's end */

/*
 * Of a struct _gil_runtime_state, at most: internal/pycore_gil.h (3.8+). It has 32 bytes of numbers, and two
 * mutexes and two conditions of the C library: 208 on x86-64, 224 on arm64, where a mutex is longer. A
 * free-threaded build has 8 more. tests/layouts compares it with the headers of each interpreter.
 */
#define GIL_BYTES 232

#define CHUNK_SIZE 16384 /* of the smallest data-stack chunk, DATA_STACK_CHUNK_SIZE in Python/pystate.c */

/*
 * Offsets are in bytes. One that a version lacks is 0, unless 0 is an offset too: then another field says so.
 */
struct layout {
	__u32 version; /* PY_VERSION_HEX */
	__u8 free_threaded;
	__u8 root_rule;	  /* enum root_rule */
	__u8 has_cframe;  /* 3.11, 3.12: tstate_frame points to a CFrame, not to a frame */
	__u8 epoch_size;  /* bytes of the counter at interp_epoch: 8 in 3.14+, 4 in 3.13, 0 = there is none */
	__u8 line_format; /* enum line_format */

	/* _PyInterpreterFrame, up to 3.10 PyFrameObject; all below frame_size */
	__u8 frame_size;       /* bytes read: FRAME_READ, or up to FRAME_READ_MAX where frames are objects */
	__u8 frame_lasti;      /* up to 3.10: frame_instr is an int, f_lasti, not a pointer; -1 = not begun */
	__u8 lasti_shift;      /* f_lasti << it is twice a node's instruction: 1 in 3.10 and 2.7 */
	__u8 frame_tlbc_index; /* free-threaded 3.14+: which copy of the bytecode runs, an int32; 0 = none */
	__u8 frame_code;
	__u8 frame_previous;
	__u8 frame_instr;
	__u8 frame_generator; /* 3.6 to 3.10: f_gen, a pointer; 0 = none */
	__u8 frame_running;   /* 3.7 to 3.10: f_executing or f_state, a byte that is running as long as the */
	__u8 running;	      /* ... frame is of a call; 0 for both = there is none */
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
	__u16 tstate_chunk;    /* datastack_chunk */
	__u16 tstate_exc_info; /* 3.11, 3.12: exc_info */
	__u16 tstate_status;
	__u16 tstate_exception; /* exc_state.exc_value; 0 = it is not among those bytes, or it is not known */
	__u16 status_active;	/* mask of the "attached" bit in tstate_status; 0 = none (3.11) */
	__u16 status_may;	/* bits that a living thread state may have set, that one among them */
	__u16 status_living;	/* all others in it: initialized and bound, not unbound, cleared, finalized */

	/* ... and what else each tick needs: with it these fields are one line of the cache. */
	__u16 code_bytecode; /* PyCodeObject: co_code_adaptive; up to 3.10 of no use */
	__u16 code_tlbc;     /* co_tlbc: pointer to a count and as many pointers to bytecode; 0 = none */
	__u32 interp_epoch;  /* PyInterpreterState: what proves code objects unchanged: bpf/python/epoch.h */
	__u32 interp_tlbc_generation; /* goes up when a copy of bytecode may be another thread's; 0 = none */

	/* _PyInterpreterFrame: what only greenlets and the data stack need */
	__u8 frame_object; /* 3.11+: frame_obj, a PyFrameObject if the frame has one; 0 = not known */
	__u8 frame_locals; /* 3.11, 3.12: localsplus, up to which all frames are the same */

	/* PyFrameObject; only where there is frame_object */
	__u8 object_frame; /* f_frame */
	__u8 object_data;  /* _f_frame_data; 0 = 3.11, where greenlet changes no links */

	/* PyInterpreterState */
	__u32 interp_next;
	__u32 interp_threads;  /* threads.head */
	__u32 interp_gil;      /* pointer to struct _gil_runtime_state; 0 = none (3.11) */
	__u32 interp_gc_frame; /* gc.frame (3.15); 0 = none, or not in reach of interp_epoch */
	__u32 gil_holder;      /* last_holder within _gil_runtime_state; behind it is locked, an int */

	/*
	 * _PyRuntimeState. Before 3.7 there is none: then these are the offsets of single variables from the
	 * address that is given as the process's runtime.
	 */
	__u32 runtime_interpreters; /* interpreters.head, interp_head; 0 = unknown (2.7 and 3.6, stripped) */
	__u32 runtime_main;	    /* without it: a pointer to an interpreter, of any of them; 0 = none */
	__u32 runtime_tstate;	    /* gilstate.tstate_current, _PyThreadState_Current (to 3.11); 0 = none */
	__u32 runtime_gil;	    /* the _gil_runtime_state that all share (3.8 to 3.11); 0 = none */
	__u32 runtime_tss_key;	    /* autoTSSkey: int initialised, u32 key at +4; 0 = none */

	/* PyCodeObject; code_size bytes from its start cover all but the bytecode */
	__u16 code_size;
	__u16 code_first_line;
	__u16 code_filename;
	__u16 code_name;
	__u16 code_qualname; /* 0 = none (up to 3.10) */
	__u16 code_linetable;
	__u16 code_version; /* co_version; 0 = none (3.11) */
	__u16 code_count;   /* ob_size: code units; only where there is code_tlbc */
	__u16 code_numbers; /* 3.11, 3.12: co_stacksize, and co_nlocalsplus 8 behind it; 0 = of no use */

	/* PyUnicodeObject. Its state word is read as a little-endian u32 at str_state. */
	__u16 str_length;
	__u16 str_state;
	__u16 str_ascii;     /* where the characters of a compact ASCII string begin */
	__u16 str_compact;   /* where those of any other compact string begin */
	__u16 str_data;	     /* pointer to the characters of a string that is not compact */
	__u8 str_kind_shift; /* 3 bits: 1, 2 or 4 bytes a character */
	__u8 str_compact_bit;
	__u8 str_ascii_bit;
	/*
	 * 2.7, where names are byte strings: the bits that a str's state would have for it; 0 = names are
	 * str.
	 */
	__u8 str_implied;

	/* PyBytesObject */
	__u16 bytes_size;
	__u16 bytes_data;
} __attribute__((aligned(64)));

#endif

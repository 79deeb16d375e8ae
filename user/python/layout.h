/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - what is known of each minor version of CPython: one struct cpython per file of layouts/, listed
 * in layouts/versions.def. Every constant is compared with the interpreters' own headers by tests/layouts.
 */
#ifndef PYPERF_PYTHON_LAYOUT_H
#define PYPERF_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

/* What to do with one 64-bit word of _Py_DebugOffsets (3.13+). */
enum word_use {
	WORD_SIZE,   /* the size of a structure; the words up to the next size are offsets in it */
	WORD_OFFSET, /* an offset that nobody here uses: only checked */
	WORD_FIXED,  /* goes into the layout; no build option moves it, so a value other than ours is a lie */
	WORD_FREE,   /* goes into the layout; build options can move it, so the process's value counts */
	WORD_GIL,    /* start of the GIL's structure inside the interpreter's */
	WORD_HOLDER, /* the GIL's last_holder inside the interpreter's structure */
	WORD_GC,     /* start of the collector's structure inside the interpreter's */
	WORD_GC_FRAME, /* frame inside the collector's structure */
	WORD_ANY,    /* not an offset in this structure */
};

/*
 * Where the objects of asyncio's tasks and coroutines keep what is read of them (3.14+): bytes from the start
 * of the object, of a frame or of a generator's own part of it.
 */
struct object_offsets {
	__u16 object_type; /* PyObject.ob_type */
	__u16 type_name, type_flags;
	__u16 set_used, set_table, set_mask;
	__u16 int_tag, int_digit;
	__u16 gen_frame, gen_state; /* of generators, coroutines and async generators alike */
	__u16 frame_stack;	    /* _PyInterpreterFrame.stackpointer */
};

#define OBJECT_FIELD_MAX 512 /* bytes; the furthest of them is in 3.15's type objects, below 200 */

/*
 * Facts about a coroutine that no table has: the values of its state, and where it keeps the object that it
 * awaits.
 */
struct coroutine_states {
	__s8 created, executing, suspended; /* any other value: it has ended */
	__s8 awaiting[2];		    /* suspended in an await, unlocked and locked */
	__u8 awaited;			    /* words from the end of its stack to the object that it awaits */
};

/*
 * Where versions that do not say where their tasks are keep what leads to them (3.8 to 3.13): bytes from the
 * start of each structure. What is alike in all of them is in objects.h and asyncio_search.h.
 */
struct task_facts {
	__u32 interp_modules; /* PyInterpreterState: sys.modules */
	__u16 tstate_loop;    /* _PyThreadStateImpl.asyncio_running_loop (3.13); 0 = it is in tstate_dict */
	__u16 tstate_dict;    /* PyThreadState.dict: of what modules keep for a thread */
	__u16 gen_frame;      /* PyGenObject: the frame in it (3.11+), or a pointer to it */
	__u16 gen_state;      /* gi_frame_state, a byte; 0 = it is in the frame (up to 3.10) */
	__u16 frame_state;    /* up to 3.10: f_executing, or f_state (3.10) */
	__u16 frame_top;      /* stacktop, an int; f_stackdepth, an int (3.10); f_stacktop, a pointer */
	__u16 frame_stack;    /* localsplus; up to 3.10 f_valuestack, a pointer */
	__u16 cached_keys;    /* PyHeapTypeObject.ht_cached_keys */
	__u16 closure;	      /* PyFunctionObject.func_closure, */
	__u16 function_name;  /* ... and func_name */
	__u8 frame_object;    /* enum frame_object: what frame_top is, where the frame is an object */
};

struct word {
	const char *bad;     /* text for people when it was refused, */
	const char *unusual; /* ... and when it was accepted although it differs from ours */
	__u8 use;	     /* enum word_use */
	bool threaded;	     /* only free-threaded builds have it; in the others the word is 0 */
	__u8 width;	     /* bytes of the member at that offset, which is also its alignment */
	__u8 target_width;   /* bytes of the member of struct layout */
	__u16 target;	     /* offset of that member in struct layout */
	bool has_object;     /* it goes into struct object_offsets, ... */
	__u16 object;	     /* ... at this offset */
};

/*
 * The words of a table in their order. The first one is at byte 24, behind cookie, version and free_threaded.
 */
#define WORD_TEXTS(name_) .bad = "debug offsets: bad " #name_, .unusual = "debug offsets: unusual " #name_
#define WORD(use_, name_, width_)                                                                            \
	{                                                                                                    \
		WORD_TEXTS(name_),                                                                           \
		.use = WORD_##use_,                                                                          \
		.width = (width_),                                                                           \
	}
#define WORD_INTO(use_, name_, width_, member_)                                                              \
	{                                                                                                    \
		WORD_TEXTS(name_),                                                                           \
		.use = WORD_##use_,                                                                          \
		.width = (width_),                                                                           \
		.target_width = sizeof(((struct layout *)0)->member_),                                       \
		.target = offsetof(struct layout, member_),                                                  \
	}
#define WORD_THREADED(use_, name_, width_, member_)                                                          \
	{                                                                                                    \
		WORD_TEXTS(name_),                                                                           \
		.use = WORD_##use_,                                                                          \
		.threaded = true,                                                                            \
		.width = (width_),                                                                           \
		.target_width = sizeof(((struct layout *)0)->member_),                                       \
		.target = offsetof(struct layout, member_),                                                  \
	}

#define WORD_OBJECT(name_, width_, member_)                                                                  \
	{                                                                                                    \
		WORD_TEXTS(name_),                                                                           \
		.use = WORD_OFFSET,                                                                          \
		.width = (width_),                                                                           \
		.has_object = true,                                                                          \
		.object = offsetof(struct object_offsets, member_),                                          \
	}

/*
 * By how much each pthread_mutex_t of glibc is longer than on x86-64. Before 3.12 two of the GIL's come
 * before gilstate in _PyRuntime; in 3.13 some come before func_state in PyInterpreterState.
 */
#ifdef __aarch64__
#define MUTEX_SHIFT 8
#else
#define MUTEX_SHIFT 0
#endif
#define GILSTATE_SHIFT (2 * MUTEX_SHIFT)

struct cpython {
	__u32 minor;	      /* PY_VERSION_HEX >> 16, as 0x030d */
	__u32 newest;	      /* PY_VERSION_HEX of the newest release that the words were compared with */
	struct layout layout; /* of the ordinary build, with the GIL; its version is filled in later */
	const struct layout *free_threaded; /* of the build without it; NULL = there is none (up to 3.12) */
	const struct word *words; /* of its _Py_DebugOffsets; NULL = it has no such table (up to 3.12) */
	size_t word_count;
	struct coroutine_states coroutines; /* up to 3.10 values at task_facts.frame_state */
	struct task_facts tasks; /* all 0: the version says itself where its tasks are, or it is not known */
	struct {
		__u32 patch; /* the first patch release that has these two where layout says; 0 = all have */
		__u32 runtime_tstate, runtime_tss_key; /* where the releases before that have them */
	} moved;
};

#define CPYTHON(major_, minor_) extern const struct cpython cpython_##major_##_##minor_;
#include "python/layouts/versions.def"
#undef CPYTHON

/* Bytes that hold "3.13.0rc1+" and the like, NUL included. */
#define VERSION_STRING_SIZE 24

/* Writes a PY_VERSION_HEX as people write it: "3.13.0", "3.14.0rc2". */
void layout_version_string(__u32 hexversion, bool free_threaded, char ret[VERSION_STRING_SIZE]);

/* The facts that are known of the minor version, NULL if there are none. */
const struct cpython *layout_find(__u32 hexversion);

/*
 * What to read a version's debug offsets by: what is known of its minor version. For a minor version newer
 * than all known ones it is what is known of the newest. NULL if nothing is known of it, or if it publishes
 * none (up to 3.12).
 */
const struct cpython *layout_model(__u32 hexversion);

/* The layout of the version for one of its two builds; NULL if there is no such build. */
const struct layout *layout_of_build(const struct cpython *cpython, bool free_threaded);

/*
 * The layout of a version that publishes none itself (up to 3.12), with its version filled in. It is valid
 * until the next call. NULL if the version is unknown, a pre-release or free-threaded, or if the process must
 * be asked for its debug offsets.
 */
const struct layout *layout_for_version(__u32 hexversion, bool free_threaded);

/*
 * Whether its structures are fixed: it is a final release, or a release candidate of a version that publishes
 * its offsets, which do not change from rc1 on.
 */
bool layout_is_released(__u32 hexversion);

/* Why there is no layout for a version: a constant text for people, never NULL. */
const char *layout_refusal(__u32 hexversion, bool free_threaded);

/* Whether asyncio's tasks can be found in processes of this version: 3.8 and later. */
bool layout_has_tasks(const struct layout *l);

/* By what they are found if the version does not say it; NULL: it does, or they cannot be found. */
const struct task_facts *layout_task_facts(const struct layout *l);

#endif

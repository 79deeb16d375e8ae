/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interpreter.h - an interpreter that runs nothing, forged in this process's own memory: runtime,
 * interpreter, GIL, thread states, data-stack chunks with frames, code objects with their strings.
 */
#ifndef PYPERF_TESTS_INTERPRETER_H
#define PYPERF_TESTS_INTERPRETER_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "tests/forge/forge.h"

#ifndef PY_ARENA
#define PY_ARENA (16UL << 20)
#endif
#define PY_ARENA_AT                                                                                          \
	((void *)0x200000000000UL) /* always there, so that hash tables fill the same way in every run */
#define PY_PAGE	  4096UL
#define PY_FRAME  96 /* bytes of a frame: 80 and three locals */
#define PY_INTERP (6 * PY_PAGE)
#define PY_THREAD 320 /* thread states in one test, at most */

#define PY_TYPE	  256

static const __u8 py_table[] = { 0x80, 0x00, 0xd8, 0x04, 0x0a, 0x81, 0x51 };

/* A thread state and its stack. */
struct py_thread {
	__u8 *tstate, *cframe, *chunk, *first_chunk;
	__u64 top, leaf;
	__u32 depth;
};

static struct {
	struct layout l;
	__u8 *arena; /* resident, zeroed */
	size_t used;
	size_t header; /* what objects of free-threaded builds begin with more */
	__u8 *runtime, *interp, *gil;
	__u8 *code_type, *str_type, *bytes_type;
	struct py_thread threads[PY_THREAD];
	__u32 thread_count;
	__u32 versions; /* co_version of the newest code object */
	__u64 epoch;	/* 3.13: the next co_version; 3.14: code objects freed */
} py;

static inline __u64 py_address(const void *p)
{
	return (__u64)(unsigned long)p;
}

/* mem_read() of the process that the interpreter is in. */
static inline int py_read(void *dst, __u32 size, __u64 address)
{
	const __u64 arena = py_address(py.arena);

	if (address < arena || address + size > arena + PY_ARENA)
		return -EFAULT;
	memcpy(dst, (const void *)(unsigned long)address, size);
	return 0;
}

static inline void *py_align(size_t size, size_t alignment)
{
	size_t at = (py.used + alignment - 1) / alignment * alignment;

	if (at + size > PY_ARENA)
		abort();
	py.used = at + size;
	return py.arena + at;
}

/* An object; the allocator of CPython aligns to 16 bytes. */
static inline void *py_object(size_t size)
{
	return py_align(size, 16);
}

/* Pages of its own, which a test can take away with py_protect(). */
static inline void *py_pages(size_t size)
{
	void *p = py_align(size, PY_PAGE);

	py_align(0, PY_PAGE);
	return p;
}

static inline void py_protect(const void *p, size_t size, int protection)
{
	if (mprotect((void *)(py_address(p) & ~(PY_PAGE - 1)), size, protection))
		abort();
}

/* Include/object.h: PyTypeObject, as far as the profiler looks at it. */
static inline __u8 *py_type(const char *name, __u64 flags)
{
	__u8 *o = py_object(PY_TYPE);
	char *text = py_object(16);

	snprintf(text, 16, "%s", name);
	forge_put(o, py.header + 24, py_address(text), 8);
	forge_put(o, py.header + 168, flags, 8);
	return o;
}

/* A name of one byte a character, with the hash that stands for its text. */
static inline __u64 py_string(const char *text)
{
	size_t length = strlen(text);
	__u8 *o = py_object(py.l.str_ascii + length + 1);
	__u64 hash = 5381, state;

	for (const char *p = text; *p; p++)
		hash = hash * 33 + *p;
	forge_put(o, 0, 2, 8); /* ob_refcnt */
	forge_put(o, py.header + 8, py_address(py.str_type), 8);
	forge_put(o, py.l.str_length, length, 8);
	forge_put(o, py.l.str_length + 8, hash, 8);
	state = 1 << py.l.str_kind_shift | 1 << py.l.str_compact_bit | 1 << py.l.str_ascii_bit;
	forge_put(o, py.l.str_state, state & ~py.l.str_implied, 4);
	memcpy(o + py.l.str_ascii, text, length + 1);
	return py_address(o);
}

static inline __u64 py_bytes(const void *bytes, size_t size)
{
	__u8 *o = py_object(py.l.bytes_data + size + 1);

	forge_put(o, 0, 2, 8);
	forge_put(o, py.header + 8, py_address(py.bytes_type), 8);
	forge_put(o, py.l.bytes_size, size, 8);
	memcpy(o + py.l.bytes_data, bytes, size);
	return py_address(o);
}

/* Writes a code object, over another one if there is one. */
static inline void py_write_code(void *o, const char *name, const char *file, __u32 first_line)
{
	forge_put(o, py.header + 8, py_address(py.code_type), 8);
	forge_put(o, py.header + 16, 1000, 8); /* ob_size: code units */
	forge_put(o, py.l.code_name, py_string(name), 8);
	if (py.l.code_qualname)
		forge_put(o, py.l.code_qualname, py_string(name), 8);
	forge_put(o, py.l.code_filename, py_string(file), 8);
	forge_put(o, py.l.code_first_line, first_line, 4);
	forge_put(o, py.l.code_linetable, py_bytes(py_table, sizeof(py_table)), 8);
	if (py.l.code_version)
		forge_put(o, py.l.code_version, ++py.versions, 4);
}

static inline __u64 py_code(const char *name)
{
	void *o = py_object(py.l.code_size + 2000);

	py_write_code(o, name, "/srv/app.py", 10);
	return py_address(o);
}

/* --- threads and their frames -------------------------------------------------------------------------- */

/* Of a frame that is an object (up to 3.10): references to it, and its type. */
static inline void py_head(void *frame)
{
	forge_put(frame, 0, 1, 8);
	forge_put(frame, 8, py_address(py.bytes_type), 8); /* not looked at */
}

/* Makes a frame the newest of its thread. */
static inline void py_set_frame(struct py_thread *t, __u64 frame)
{
	t->leaf = frame;
	if (py.l.has_cframe)
		forge_put(t->cframe, py.l.cframe_frame, frame, 8);
	else
		forge_put(t->tstate, py.l.tstate_frame, frame, 8);
}

static inline void py_new_chunk(struct py_thread *t)
{
	__u8 *chunk;

	if (!py.l.tstate_chunk)
		return;
	chunk = py_pages(CHUNK_SIZE);
	forge_chunk(chunk, py_address(t->chunk), CHUNK_SIZE);
	if (!t->chunk)
		t->first_chunk = chunk;
	t->top = py_address(chunk) + FORGE_CHUNK_HEADER + (t->chunk ? 0 : 8);
	t->chunk = chunk;
	forge_put(t->tstate, py.l.tstate_chunk, py_address(chunk), 8);
}

/* Up to 3.10 it is the offset of the instruction; in 3.10 in code units, which are bytes in 2.7. */
static inline __u64 py_instr(__u64 code, __s32 unit)
{
	if (py.l.frame_lasti)
		return unit < 0 ? unit : unit << (1 - py.l.lasti_shift);
	return code + py.l.code_bytecode + 2 * (__s64)unit;
}

static inline void py_write_frame(struct py_thread *t, void *at, __u64 code, __s32 unit, __u8 owner)
{
	struct forge_frame f = {
		.code = code,
		.previous = t->leaf,
		.instr = py_instr(code, unit),
		.owner = owner,
		.is_entry = !t->leaf,
	};

	forge_frame(at, &py.l, &f);
	t->depth += owner < py.l.owner_shim;
	py_set_frame(t, py_address(at));
}

/* Calls `code`, which stands at the instruction with number `unit`. */
static inline void py_push(struct py_thread *t, __u64 code, __s32 unit)
{
	if (!py.l.tstate_chunk) { /* every frame is an object */
		__u8 *frame = py_object(FRAME_READ_MAX);

		py_head(frame);
		py_write_frame(t, frame, code, unit, OWNED_BY_THREAD);
		return;
	}
	if (t->top + PY_FRAME > py_address(t->chunk) + CHUNK_SIZE)
		py_new_chunk(t);
	py_write_frame(t, (void *)(unsigned long)t->top, code, unit, OWNED_BY_THREAD);
	t->top += PY_FRAME;
}

/* The newest frame, which is of `code`, goes on to another instruction. */
static inline void py_move(struct py_thread *t, __u64 code, __s32 unit)
{
	forge_put((void *)(unsigned long)t->leaf, py.l.frame_instr,
		  py_instr(code, unit), py.l.frame_lasti ? 4 : 8);
}

/* The same in a generator's object. Returns its frame. */
static inline void *py_push_generator(struct py_thread *t, __u64 code, __s32 unit)
{
	void *frame = py_pages(FRAME_READ_MAX);

	if (!py.l.tstate_chunk)
		py_head(frame);

	py_write_frame(t, frame, code, unit, OWNED_BY_GENERATOR);
	return frame;
}

/* 3.11 and 3.12: the interpreter's loop is entered once more. */
static inline void py_push_cframe(struct py_thread *t)
{
	__u8 *cframe = py_object(32);

	forge_put(cframe, py.l.cframe_previous, py_address(t->cframe), 8);
	forge_put(t->tstate, py.l.tstate_frame, py_address(cframe), 8);
	t->cframe = cframe;
}

static inline void py_write_shim(struct py_thread *t)
{
	const bool first = !t->leaf;

	if (py.l.root_rule != ROOT_SHIM && py.l.root_rule != ROOT_BASE)
		return;
	py_write_frame(t, py_object(PY_FRAME), py_address(py.interp), 0, py.l.owner_shim);
	if (first && py.l.root_rule == ROOT_BASE) /* which is the thread state's own */
		forge_put(t->tstate, py.l.tstate_base_frame, t->leaf, 8);
}

/* Like a call from C: the first frame of every stack in 3.12 and later. */
static inline void py_push_shim(struct py_thread *t)
{
	if (py.l.has_cframe && t->leaf && py.l.root_rule == ROOT_SHIM)
		py_push_cframe(t);
	py_write_shim(t);
}

/*
 * A thread state, put at the head of the interpreter's list as CPython does, with an empty stack and, in 3.11
 * and 3.12, a CFrame on top of the thread's own first one.
 */
static inline struct py_thread *py_add_thread(__u64 thread_id, bool active)
{
	struct py_thread *t = &py.threads[py.thread_count];

	if (py.thread_count++ == PY_THREAD)
		abort();
	memset(t, 0, sizeof(*t));
	t->tstate = py_pages(TSTATE_READ);
	memcpy(t->tstate + py.l.tstate_next, py.interp + py.l.interp_threads, 8);
	forge_put(py.interp, py.l.interp_threads, py_address(t->tstate), 8);
	forge_put(t->tstate, py.l.tstate_interp, py_address(py.interp), 8);
	forge_put(t->tstate, py.l.tstate_thread_id, thread_id, 8);
	if (py.l.status_active)
		forge_put(t->tstate, py.l.tstate_status,
			  py.l.status_living | (active ? py.l.status_active : 0), 4);
	if (py.l.has_cframe) {
		t->cframe = py_object(32);
		forge_put(t->cframe, py.l.cframe_previous, py_address(t->tstate + py.l.tstate_size), 8);
		forge_put(t->tstate, py.l.tstate_frame, py_address(t->cframe), 8);
	}
	return t;
}

/* With a stack that consists of its root. */
static inline struct py_thread *py_start_thread(__u64 thread_id)
{
	struct py_thread *t = py_add_thread(thread_id, true);

	py_new_chunk(t);
	py_push_shim(t);
	return t;
}

static inline __u64 py_self(void)
{
	return (__u64)pthread_self();
}

/* Code objects were made and freed. */
static inline void py_next_epoch(void)
{
	if (py.l.epoch_size)
		forge_put(py.interp, py.l.interp_epoch, ++py.epoch, py.l.epoch_size);
}

/* Forgets the interpreter that was, and begins one of this layout, without threads. */
static inline void py_begin_layout(const struct layout *l)
{
	if (!py.arena) {
		py.arena = mmap(PY_ARENA_AT, PY_ARENA, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (py.arena != PY_ARENA_AT)
			abort();
	}
	py_protect(py.arena, PY_ARENA, PROT_READ | PROT_WRITE);
	memset(py.arena, 0, PY_ARENA);
	py.used = py.thread_count = py.versions = 0;
	py.l = *l;
	py.header = l->free_threaded ? 16 : 0;
	py.runtime = py_pages(PY_PAGE);
	py.interp = py_pages(PY_INTERP);
	py.gil = py_object(64);
	py.code_type = py_type("code", 0);
	py.str_type = py_type("str", l->str_implied ? 1 << 27 : 1 << 28);
	py.bytes_type = py_type("bytes", 1 << 27);
	forge_put(py.runtime, py.l.runtime_interpreters, py_address(py.interp), 8);
	if (py.l.interp_gil)
		forge_put(py.interp, py.l.interp_gil, py_address(py.gil), 8);
	py.epoch = 1000;
	py_next_epoch();
}

static inline void py_begin(__u32 minor)
{
	const struct layout l = forge_layout(minor);

	py_begin_layout(&l);
}

/* This thread gets a thread state and the GIL. */
static inline struct py_thread *py_start_this_thread(void)
{
	struct py_thread *t = py_start_thread(py_self());

	if (py.l.runtime_tstate)
		forge_put(py.runtime, py.l.runtime_tstate, py_address(t->tstate), 8);
	return t;
}

static inline struct py_thread *py_begin_with_thread(__u32 minor)
{
	py_begin(minor);
	return py_start_this_thread();
}

#endif

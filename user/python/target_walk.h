/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * target_walk.h - the kernel side's walk along frames (bpf/python/walk.h), compiled for the memory of a live
 * process that is not stopped. target_memory_choose() says which one that is.
 */
#ifndef PYPERF_PYTHON_TARGET_WALK_H
#define PYPERF_PYTHON_TARGET_WALK_H

#include <string.h>

#include "python/target_memory.h"
#include "bpf/python/greenlet.h"
#include "bpf/python/walk.h"

#define UNREADABLE (1ULL << 63) /* no address of anything, no flag, no number */

static __u64 read_word(__u64 address)
{
	__u64 value;

	return mem_read(&value, sizeof(value), address) ? UNREADABLE : value;
}

/*
 * The first of the interpreters. Without a list of them (3.6 and 2.7, stripped) it is that of the GIL's
 * holder, or, when nobody holds it, the one that was found in the data (variables.h). 0 or UNREADABLE = none.
 */
static inline __u64 target_first_interpreter(const struct layout *l, __u64 runtime)
{
	__u64 tstate;

	if (l->runtime_interpreters)
		return read_word(runtime + l->runtime_interpreters);
	tstate = read_word(runtime + l->runtime_tstate);
	if (mem_plausible(tstate))
		return read_word(tstate + l->tstate_interp);
	return l->runtime_main ? read_word(runtime + l->runtime_main) : tstate;
}

/* The newest frame, from the word that a thread state has at tstate_frame. */
static inline __u64 target_newest_frame(const struct layout *l, __u64 word)
{
	return l->has_cframe && mem_plausible(word) ? read_word(word + l->cframe_frame) : word;
}

#define TARGET_TSTATE_BYTES (TSTATE_READ + sizeof(__u64)) /* of a copy of a thread state's beginning */

static inline __u64 target_tstate_word(const __u8 *tstate, unsigned int offset)
{
	__u64 value;

	if (offset > TSTATE_READ)
		return 0;
	memcpy(&value, tstate + offset, sizeof(value));
	return value;
}

/* How a walk along all frames of a thread ends. */
enum target_end {
	TARGET_WHOLE,	  /* at the interpreter's root */
	TARGET_NO_FRAMES, /* there is no frame of Python code */
	TARGET_DEEP,	  /* there are more than w->max_depth */
	TARGET_BROKEN,	  /* its frames do not lead to a root */
};

/*
 * Walks the frames of the thread with this thread state, whose beginning is copied into TARGET_TSTATE_BYTES.
 * The frames are in w, leaf first. The caller has set w->max_depth.
 */
static inline enum target_end target_walk_thread(struct walk *w, const struct layout *l, __u64 address,
						 __u8 *tstate)
{
	__u64 frame;

	w->depth = 0;
	if (l->tstate_size > TSTATE_READ || mem_read(tstate, l->tstate_size, address))
		return TARGET_BROKEN;
	frame = target_newest_frame(l, target_tstate_word(tstate, l->tstate_frame));
	if (!frame)
		return TARGET_NO_FRAMES;
	w->read_bytes = 0;
	walk_begin(w, frame, l->tstate_chunk ? target_tstate_word(tstate, l->tstate_chunk) : 0);
	walk_run(w, l);
	if (w->end == WALK_DEEP)
		return TARGET_DEEP;
	if (!walk_is_whole(w, l, target_tstate_word(tstate, l->tstate_base_frame)) &&
	    !(greenlet_is_likely(w, l) && greenlet_is_exposed(w, l, 0)))
		return TARGET_BROKEN;
	return w->python ? TARGET_WHOLE : TARGET_NO_FRAMES;
}

/*
 * Where the copy of the bytecode starts that a frame of free-threaded 3.14+ runs: entries[tlbc_index] of
 * co_tlbc (internal/pycore_code.h). 0 if there is none.
 */
static inline __u64 target_bytecode_copy(const struct layout *l, const struct frame *f)
{
	__u64 table = read_word(f->code + l->code_tlbc), index = read_word(f->address + l->frame_tlbc_index);

	index &= 0xffffffff;
	if (!mem_plausible(table) || index >= read_word(table))
		return 0;
	return read_word(table + 8 + 8 * index);
}

/* node_instr() of a frame. As bpf/python/instruction.h counts: half of the bytes from the start, plus one. */
static inline __u32 target_instruction(const struct layout *l, const struct frame *f)
{
	__u64 start = f->code + l->code_bytecode, bytes;

	if (l->frame_lasti) {
		bytes = ((__s64)(__s32)f->instr << (l->lasti_shift & 1)) + 2;
	} else {
		if (l->code_tlbc && f->instr - start + 2 >= 2 * read_word(f->code + l->code_count) + 2)
			start = target_bytecode_copy(l, f);
		bytes = f->instr - start + 2;
	}
	return bytes / 2 < INSTR_UNKNOWN ? bytes / 2 : INSTR_UNKNOWN;
}

#endif

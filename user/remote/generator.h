/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generator.h - a coroutine, a generator or an async generator as it is read at once: its frame, what it
 * does, and where it has the object that it awaits. Nothing read is trusted.
 */
#ifndef PYPERF_REMOTE_GENERATOR_H
#define PYPERF_REMOTE_GENERATOR_H

#include "remote/task_reader.h"

#define GENERATOR_STACK 96 /* bytes behind the frame: local variables, and mostly what it has on its stack */

#define GENERATOR_FRAME 512 /* bytes of a frame that is an object */

enum generator_state {
	GENERATOR_CREATED = 1,
	GENERATOR_RUNS,
	GENERATOR_WAITS,
	GENERATOR_ENDED,
};

struct generator {
	__u64 address;
	__u8 bytes[OBJECT_FIELD_MAX + FRAME_READ + GENERATOR_STACK];
	size_t size;		      /* bytes that were there */
	__u8 object[GENERATOR_FRAME]; /* up to 3.10, the frame, and mostly its stack */
	size_t object_size;
	/* What generator_parse() finds in them. */
	__u32 state;		  /* enum generator_state */
	__u64 frame, code, instr; /* as in struct chain_frame */
	__u64 stack;		  /* the end of what it has on its stack */
	__u64 awaited; /* where it has what it awaits; 0 = it awaits nothing, or that cannot be told yet */
};

/* So many bytes are read of an object that may be one. */
size_t generator_bytes(const struct task_reader *r);

/* The address of the frame of one that was read, if that is an object; else 0. */
__u64 generator_frame_object(const struct task_reader *r, const struct generator *g);

/* From an object that is awaited to the coroutine that it is, or that it wraps. -ENOENT if there is none. */
int generator_find(struct task_reader *r, __u64 address, struct generator *ret);

/* Says what it does. 0, -EBADMSG, or another error as of task_reader_read(). */
int generator_parse(struct task_reader *r, struct generator *g);

/* The object that it awaits. 0, -ENOENT if it only waits to be asked for more, or another error as above. */
int generator_awaited(struct task_reader *r, const struct generator *g, __u64 *ret);

/* Whether it awaits what is on its stack. As above; asked only of what may be one that is awaited. */
int generator_is_in_await(struct task_reader *r, const struct generator *g);

/* The address of the frame of the coroutine at this address, which may run; 0 if that cannot be told. */
__u64 generator_frame(struct task_reader *r, __u64 address);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_tasks.h - tasks, coroutines, sets and names in this process's own memory, for tests to spoil. Where
 * their fields are is made up: the reader must not care.
 */
#ifndef PYPERF_TESTS_FORGE_TASKS_H
#define PYPERF_TESTS_FORGE_TASKS_H

#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <linux/types.h>

#include "remote/task_reader.h"

#define FORGE_WORDS 64 /* of each object */
#define FORGE_COUNT 64 /* objects of each kind */

/* Words at which the forged objects have their fields. */
enum {
	AT_TYPE = 1,
	AT_FIRST = 2, /* what a wrapper wraps */
	AT_STATE = 5,
	AT_FRAME = 6, /* of a generator: 10 words of frame, and its stack */
	AT_STACK = AT_FRAME + 12,
	TYPE_NAME_AT = 3,
	TYPE_FLAGS_AT = 4,
	TASK_NAME_AT = 3,
	TASK_AWAITED_BY_AT = 4,
	TASK_FLAGS_AT = 5,
	TASK_CORO_AT = 6,
	TASK_NODE_AT = 7,
};

enum { FORGED_CREATED = 1, FORGED_SUSPENDED, FORGED_EXECUTING, FORGED_AWAITING, FORGED_ENDED };

typedef __u64 forged[FORGE_WORDS] __attribute__((aligned(16)));

static forged types[8], coroutines[FORGE_COUNT], task_objects[FORGE_COUNT], texts[FORGE_COUNT];
static forged code;
static struct layout forged_layout;
static struct task_reader reader;

enum { TYPE_COROUTINE, TYPE_GENERATOR, TYPE_ASEND, TYPE_INT, TYPE_STR, TYPE_FUTURE, TYPE_POSER };

static inline __u64 address_of(const void *p)
{
	return (uintptr_t)p;
}

static inline void forge_type(int type, const char *name, __u64 flags)
{
	types[type][TYPE_NAME_AT] = address_of(name);
	types[type][TYPE_FLAGS_AT] = flags;
}

static inline void forge_types(void)
{
	forge_type(TYPE_COROUTINE, "coroutine", 0);
	forge_type(TYPE_GENERATOR, "generator", 0);
	forge_type(TYPE_ASEND, "async_generator_asend", 0);
	forge_type(TYPE_INT, "int", 1 << 24);
	forge_type(TYPE_STR, "str", 1 << 28);
	forge_type(TYPE_FUTURE, "_asyncio.FutureIter", 0);
	forge_type(TYPE_POSER, "coroutine", 1 << 9); /* a class that somebody has named so */
}

/* Begins anew: nothing but the types is there. */
static inline void forge_begin(void)
{
	memset(coroutines, 0, sizeof(coroutines));
	memset(task_objects, 0, sizeof(task_objects));
	memset(texts, 0, sizeof(texts));
	forge_types();
	forged_layout = (struct layout){
		.version = 0x030e06f0, .frame_size = FRAME_READ, .frame_code = 0, .frame_previous = 8,
		.frame_instr = 16, .frame_owner = 24, .owner_generator = 1, .owner_shim = 3, .pointer_tag = 1,
		.code_bytecode = 64, .tstate_frame = 80,
		.str_state = 16, .str_length = 24, .str_ascii = 40, .str_compact = 56, .str_data = 56,
		.str_kind_shift = 2, .str_compact_bit = 5, .str_ascii_bit = 6,
	};
	memset(&reader, 0, sizeof(reader));
	reader.memory = getpid();
	reader.layout = &forged_layout;
	reader.at = (struct asyncio_layout){
		.objects = { .object_type = 8 * AT_TYPE, .type_name = 8 * TYPE_NAME_AT,
			     .type_flags = 8 * TYPE_FLAGS_AT, .set_used = 16, .set_mask = 24, .set_table = 32,
			     .int_tag = 16, .int_digit = 24, .gen_frame = 8 * AT_FRAME,
			     .gen_state = 8 * AT_STATE, .frame_stack = 32 },
		.states = { FORGED_CREATED, FORGED_EXECUTING, FORGED_SUSPENDED,
			    { FORGED_AWAITING, FORGED_AWAITING }, 1 },
		.task_size = 8 * FORGE_WORDS, .task_name = 8 * TASK_NAME_AT,
		.task_awaited_by = 8 * TASK_AWAITED_BY_AT, .task_is_task = 8 * TASK_FLAGS_AT,
		.task_awaited_by_is_set = 8 * TASK_FLAGS_AT + 1, .task_coro = 8 * TASK_CORO_AT,
		.task_node = 8 * TASK_NODE_AT, .interp_tasks = 8, .tstate_loop = 16, .tstate_task = 24,
		.tstate_tasks = 32,
	};
}

/* A coroutine in that state whose frame is at instruction `instr`; awaited: what it awaits, or 0. */
static inline __u64 forge_coroutine(int i, int state, __u64 awaited)
{
	__u64 *g = coroutines[i], *frame = g + AT_FRAME;

	g[AT_TYPE] = address_of(types[TYPE_COROUTINE]);
	g[AT_STATE] = (__u64)state;
	frame[0] = address_of(code) | 1; /* with a reference's tag */
	frame[2] = address_of(code) + 64 + 2 * (__u64)i;
	frame[3] = 1;
	g[AT_STACK] = awaited;
	frame[4] = address_of(&g[AT_STACK + 1]);
	return address_of(g);
}

static inline __u64 forge_name(int i, __u64 number)
{
	texts[i][AT_TYPE] = address_of(types[TYPE_INT]);
	texts[i][2] = number >> 30 ? 2 << 3 : number ? 1 << 3 : 1;
	texts[i][3] = (number & 0x3fffffff) | number >> 30 << 32;
	return address_of(texts[i]);
}

static inline __u64 forge_task(int i, __u64 coroutine)
{
	__u64 *t = task_objects[i];

	t[TASK_NAME_AT] = forge_name(i, (__u64)i);
	t[TASK_FLAGS_AT] = 1;
	t[TASK_CORO_AT] = coroutine;
	t[TASK_NODE_AT] = 8; /* something, so that it is in a list */
	return address_of(t);
}

#endif

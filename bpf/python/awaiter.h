/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * awaiter.h - with --async, up to 3.13 (3.8+): the task that runs, and who awaits a task, where no word of
 * the process's says it. The task is in the dict from a loop to the task that it runs; that it is this
 * thread's is proved by its coroutine's frame, which has to be in the thread's stack. Who awaits it is
 * found by what is called when it is done. user/remote/callbacks.h does the same from outside.
 */
#ifndef PYPERF_BPF_PYTHON_AWAITER_H
#define PYPERF_BPF_PYTHON_AWAITER_H

#include "bpf/data/maps.h"
#include "bpf/python/object.h"

#define KEYS_READ	272
#define KEYS_INDEX_BITS 9
#define ENTRY_BYTES	24 /* hash, key and value: loops are no str */
#define LOOPS		4  /* that run at once, in threads of one process */
#define ENTRIES		8
#define FIRST_WORD	16 /* the first field of an object without a size, */
#define SECOND_WORD	24 /* ... and the next */
#define FUTURE_CALLBACK 24 /* struct FutureObj, Modules/_asynciomodule.c: what is called first, */
#define FUTURE_OTHERS	40 /* ... and a list with the rest */
#define CALLBACK_READ	80
#define CELLS		8
#define CALLBACKS	8 /* of one task that are looked at besides the first */
#define TYPE_SIZE	32 /* PyTypeObject.tp_basicsize */
#define SCOPE_WORDS	16 /* of AnyIO's CancelScope that are looked at */
#define PARENT_TASK	4 /* which attribute of a TaskGroup _parent_task is: Lib/asyncio/taskgroups.py */

struct awaiter_context {
	struct scratch *s;
	const struct task_layout *a;
	__u64 found;
};

/* --- the task that runs --------------------------------------------------------------------------------- */

struct running_context {
	struct scratch *s;
	const struct task_layout *a;
	__u64 found;
	__u64 newest; /* the frame that the thread runs */
	__u32 first;  /* where in what was read the entries begin */
};

/* Notes the value of an entry, if there is one: entries are left behind empty. */
static long awaiter_entry(__u32 i, struct running_context *c)
{
	const __u64 task = object_word(c->s, c->first + i * ENTRY_BYTES + SECOND_WORD - 8);
	__u32 n = c->s->await.tasks;

	mem_opaque(n);
	if (n >= LOOPS)
		return 1;
	c->s->await.met[n] = task;
	c->s->await.tasks = n + (mem_plausible(task) != 0);
	return 0;
}

/* Of the keys' table that was read: bytes in front of the entries; 0 = there are too many. */
static __always_inline __u32 awaiter_head(struct scratch *s, const struct task_layout *a)
{
	const __u64 slots = a->frame_object ? object_word(s, 8) :
					      1ULL << (object_byte(s, KEYS_INDEX_BITS) & 63);

	if (slots != 8 && slots != 16 && slots != 32)
		return 0;
	return (a->frame_object ? TRACE_KEYS_OLD : TRACE_KEYS_NEW) + slots;
}

/* Reads the dict's entries. Leaves the tasks in s->await.met, of which there are s->await.tasks. Always 0. */
__noinline int awaiter_entries(struct scratch *s, const struct task_layout *a)
{
	struct running_context c = { .s = s, .a = a };

	if (!opt_async || !s || !a)
		return -1;
	s->await.tasks = 0;
	if (object_read(s, search_read(s, a->current + FIRST_WORD + TRACE_MA_KEYS), KEYS_READ))
		return 0;
	c.first = awaiter_head(s, a);
	if (!c.first)
		return 0;
	bpf_loop(ENTRIES, awaiter_entry, &c, 0);
	return 0;
}

/* Where the coroutine at this address has its frame; 0 = it has ended. */
static __always_inline __u64 awaiter_frame(struct scratch *s, const struct task_layout *a, __u64 coroutine)
{
	return a->frame_object ? search_read(s, coroutine + a->gen_frame) : coroutine + a->gen_frame;
}

/*
 * Whether the coroutine of one of these tasks runs. Its frame is the thread's for some instructions after it
 * has said that it does not run any more, and up to 3.10 for some before it says that it does.
 */
static long awaiter_runs(__u32 i, struct running_context *c)
{
	struct scratch *s = c->s;
	const struct task_layout *a = c->a;
	__u64 task = s->await.met[i & (LOOPS - 1)], coroutine, frame, with_state;
	__s8 state = 0;

	if (i >= s->await.tasks)
		return 1;
	coroutine = search_read(s, task + a->task_coro);
	if (!mem_plausible(coroutine))
		return 0;
	frame = awaiter_frame(s, a, coroutine);
	with_state = a->frame_object ? frame : coroutine;
	if (!mem_plausible(with_state) ||
	    walk_read(&s->walk, &state, sizeof(state), with_state + a->gen_state))
		return 0;
	if (state != a->executing && frame != c->newest)
		return 0;
	c->found = task;
	return 1;
}

/*
 * The task that this thread may run; 0 = none. Of several the first one is tried: the proof may fail then,
 * and the sample has no task.
 */
static __always_inline __u64 awaiter_task(struct scratch *s, const struct layout *l,
					  const struct task_layout *a, __u64 tstate)
{
	struct running_context c = { .s = s, .a = a };

	awaiter_entries(s, a);
	c.newest = search_read(s, tstate + l->tstate_frame);
	if (l->has_cframe)
		c.newest = search_read(s, c.newest + l->cframe_frame);
	bpf_loop(LOOPS, awaiter_runs, &c, 0);
	return c.found;
}

/* --- who awaits one ------------------------------------------------------------------------------------- */

static __always_inline int awaiter_kind(struct scratch *s, const struct task_layout *a, __u64 object)
{
	if (!mem_plausible(object))
		return OBJECT_OTHER;
	return object_kind(s, a, search_read(s, object + a->object_type));
}

/* Looks at an item of the tuple that was read, or at what it has, if it is a cell. */
static long awaiter_item(__u32 i, struct awaiter_context *c)
{
	__u64 item, object;
	int kind;

	if (i >= object_word(c->s, FIRST_WORD))
		return 1;
	item = object_word(c->s, SECOND_WORD + 8 * i);
	object = c->s->calls.cells && mem_plausible(item) ? search_read(c->s, item + FIRST_WORD) : item;
	kind = awaiter_kind(c->s, c->a, object);
	if (kind == OBJECT_FUTURE)
		c->found = object;
	if (kind == OBJECT_GROUP)
		c->s->calls.group = object;
	return kind == OBJECT_FUTURE || kind == OBJECT_GROUP;
}

/*
 * Where an instance has its attributes, in the order of its class's table of names (3.11+); 0 = not there. A
 * global function: the verifier looks at it once, and it takes no stack of those that call it.
 */
__noinline __u64 awaiter_values(struct scratch *s, const struct task_layout *a, __u64 object)
{
	__u64 values;

	if (!opt_async || !s || !a || a->frame_object)
		return 0;
	if (a->resume == 1) /* 3.11 */
		values = search_read(s, object - 32);
	else if (a->resume == 2) /* 3.12, with a tag */
		values = search_read(s, object - 24) + 1;
	else
		values = object + TRACE_VALUES_HEAD +
			 (search_read(s, search_read(s, object + a->object_type) + TYPE_SIZE) & 0xff8);
	return mem_plausible(values) && !(values & 7) ? values : 0;
}

/* Looks at a word of the CancelScope that was read: the only task in it is the one that has entered it. */
static long awaiter_word(__u32 i, struct awaiter_context *c)
{
	const __u64 object = object_word(c->s, FIRST_WORD + 8 * i);

	if (awaiter_kind(c->s, c->a, object) == OBJECT_TASK)
		c->found = object;
	return c->found != 0;
}

/*
 * The task that has entered AnyIO's task group: that of the group's CancelScope, which is the first attribute
 * that a group gets. A scope of newer AnyIO has slots.
 */
static __always_inline void awaiter_of_anyio(struct awaiter_context *c)
{
	struct scratch *s = c->s;
	__u64 at = awaiter_values(s, c->a, s->calls.group);
	const __u64 scope = at ? search_read(s, at) : 0;

	c->found = 0;
	if (awaiter_kind(s, c->a, scope) != OBJECT_SCOPE)
		return;
	if (!object_read(s, scope, FIRST_WORD + 8 * SCOPE_WORDS))
		bpf_loop(SCOPE_WORDS, awaiter_word, c, 0);
	at = c->found ? 0 : awaiter_values(s, c->a, scope);
	if (at && !object_read(s, at - FIRST_WORD, FIRST_WORD + 8 * SCOPE_WORDS))
		bpf_loop(SCOPE_WORDS, awaiter_word, c, 0);
}

/*
 * The future in a tuple: functions have it in a cell, as those of gather() do, and partials as it is. A
 * function of AnyIO's has a task group there, and then it is a task.
 */
static __always_inline __u64 awaiter_of_tuple(struct scratch *s, const struct task_layout *a, __u64 tuple,
					      __u32 cells)
{
	struct awaiter_context c = { .s = s, .a = a };

	s->calls.cells = cells;
	s->calls.group = 0;
	if (tuple && !object_read(s, tuple, SECOND_WORD + 8 * CELLS))
		bpf_loop(CELLS, awaiter_item, &c, 0);
	if (s->calls.group)
		awaiter_of_anyio(&c);
	return c.found;
}

/*
 * Whether the function that was read is what shield() has called when its own future is done. That future is
 * in no cell, but the one that shield() was given is.
 */
static __always_inline int awaiter_is_of_shield(struct scratch *s, const struct layout *l,
						const struct task_layout *a)
{
	static const char shield[] = "_outer_done_callback";
	const __u64 name = object_word(s, a->function_name);

	__builtin_memset(s->type.name, 0, sizeof(s->type.name));
	return mem_plausible(name) &&
	       !walk_read(&s->walk, s->type.name, sizeof(shield), name + l->str_ascii) &&
	       !bpf_strncmp(s->type.name, sizeof(s->type.name), shield);
}

/* The task whose TaskGroup this is. */
static __always_inline __u64 awaiter_of_group(struct scratch *s, const struct task_layout *a, __u64 group)
{
	__u64 values, task;

	if (!a->group_type || search_read(s, group + a->object_type) != a->group_type)
		return 0;
	values = awaiter_values(s, a, group);
	task = values ? search_read(s, values + 8 * PARENT_TASK) : 0;
	return awaiter_kind(s, a, task) == OBJECT_TASK ? task : 0;
}

/* Who waits for the task, or future, by what is called when it is done, which was read. 0 = nobody. */
static __always_inline __u64 awaiter_of(struct scratch *s, const struct layout *l,
					const struct task_layout *a)
{
	const int kind = object_kind(s, a, object_word(s, a->object_type));
	const __u64 self = object_word(s, SECOND_WORD);

	if (kind == OBJECT_WAKEUP)
		return object_word(s, FIRST_WORD);
	if (kind == OBJECT_BUILTIN)
		return awaiter_kind(s, a, self) == OBJECT_TASK ? self : 0;
	if (kind == OBJECT_METHOD)
		return mem_plausible(self) ? awaiter_of_group(s, a, self) : 0;
	if (kind == OBJECT_FUNCTION && awaiter_is_of_shield(s, l, a))
		return 0;
	if (kind != OBJECT_FUNCTION && kind != OBJECT_PARTIAL)
		return 0;
	return awaiter_of_tuple(s, a, kind == OBJECT_FUNCTION ? object_word(s, a->closure) : self,
				kind == OBJECT_FUNCTION);
}

/*
 * Looks at the next thing that is called when the task, or future, is done. After the last one s->await.task
 * is the first that waits for it; 0 = nobody: what is only told of its end does not. Always 0. A global
 * function: the verifier looks at it once.
 */
__noinline int awaiter_call(struct scratch *s, const struct layout *l, const struct task_layout *a)
{
	__u64 found = 0, tuple;

	if (!opt_async || !s || !l || !a)
		return -1;
	if (!object_read(s, s->calls.next, CALLBACK_READ))
		found = awaiter_of(s, l, a);
	if (!s->calls.first)
		s->calls.first = found;
	else if (found && found != s->calls.first)
		s->await.others = 1;
	s->calls.next = 0;
	if (s->calls.count) {
		tuple = search_read(s, s->calls.list);
		s->calls.next = mem_plausible(tuple) ? search_read(s, tuple + SECOND_WORD) : 0;
		s->calls.list += sizeof(__u64);
		s->calls.count--;
	}
	if (!s->calls.next)
		s->await.task = s->calls.first;
	return 0;
}

/* Goes on to what is called when the task, or future, is done whose bytes were read. */
static __always_inline void awaiter_next(struct scratch *s)
{
	const __u64 list = object_word(s, FUTURE_OTHERS);
	__u64 count = 0;

	s->calls.next = object_word(s, FUTURE_CALLBACK);
	s->await.task = s->calls.first = 0;
	s->await.others = 0;
	if (mem_plausible(list)) {
		s->calls.list = search_read(s, list + SECOND_WORD);
		count = search_read(s, list + FIRST_WORD);
	}
	s->calls.count = count < CALLBACKS ? count : CALLBACKS;
}

/* --- a coroutine ---------------------------------------------------------------------------------------- */

/* Where the coroutine at this address, whose bytes were read, has what it awaits; 0 = it awaits nothing. */
static __always_inline __u64 awaiter_awaited(struct scratch *s, const struct layout *l,
					     const struct task_layout *a, __u64 address)
{
	const __u32 words = (__u32)object_word(s, a->gen_frame + a->frame_stack);
	const __u64 instr = object_word(s, a->gen_frame + l->frame_instr);
	__u8 unit[2] = {};

	if (!words || words > FRAME_WORDS)
		return 0;
	if (a->resume && (walk_read(&s->walk, unit, sizeof(unit), instr + 2) ||
			  !tasks_resumes_await(unit, a->resume == 1)))
		return 0;
	return address + a->gen_frame + a->frame_values + 8 * (__u64)words;
}

/* Up to 3.10. Whether the generator whose frame was read waits: it does YIELD_FROM again and again. */
static __always_inline int awaiter_yields_from(struct scratch *s, const struct layout *l)
{
	__u64 code = object_word(s, l->frame_code);
	const __u32 instr = (__u32)object_word(s, l->frame_instr) << (l->lasti_shift & 1);
	__u8 opcode = 0;

	if (!mem_plausible(code) || instr >> 31)
		return 0;
	code = search_read(s, code + CODE_CO_CODE);
	return !walk_read(&s->walk, &opcode, 1, code + l->bytes_data + instr + 2) &&
	       opcode == OPCODE_YIELD_FROM;
}

/* Up to 3.10. What the generator whose frame was read awaits; 0 = nothing. */
static __always_inline __u64 awaiter_awaited_of_object(struct scratch *s, const struct layout *l,
						       const struct task_layout *a)
{
	const __u64 begin = object_word(s, a->frame_values), top = object_word(s, a->frame_stack);
	const __u64 size = a->frame_object == FRAME_OBJECT_COUNTS ? 8 * (top & 0xffffffff) : top - begin;

	if (!mem_plausible(begin) || size - 8 >= 8 * FRAME_WORDS || size & 7 || !awaiter_yields_from(s, l))
		return 0;
	return search_read(s, begin + size - 8);
}

#endif

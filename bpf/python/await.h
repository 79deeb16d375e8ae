/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * await.h - with --async: from the asyncio task that a thread runs to the tasks that await it (3.8+), and
 * their coroutines. intern.h adds them to the tree. They are found from the task outwards, and of each task
 * from its outermost coroutine inwards. Where several tasks await one, the first is taken.
 */
#ifndef PYPERF_BPF_PYTHON_AWAIT_H
#define PYPERF_BPF_PYTHON_AWAIT_H

#include "bpf/data/maps.h"
#include "bpf/python/awaiter.h"
#include "bpf/python/cache.h"
#include "bpf/python/object.h"

#define AWAIT_STEPS (4 * AWAIT_FRAMES) /* objects that are looked at, at most */
#define AWAIT_SLOTS 64		       /* of the table of a set of tasks; a power of two */
#define SLOT_BYTES  16

/* Before a stack is added: as far as is known nothing awaits its task. */
static __always_inline void await_begin(struct scratch *s)
{
	s->await.frame = 0;
	s->await.seen = s->await.must = 0;
}

struct await_context {
	struct scratch *s;
	const struct layout *l;
	const struct task_layout *a;
};

/* The chain of tasks ends here, for this reason. Always 1. */
static __always_inline long await_end(struct scratch *s, enum wait_cause cause)
{
	s->await.cause = cause;
	s->await.task = s->await.object = s->calls.next = 0;
	return 1;
}

struct await_set {
	struct scratch *s;
	__u64 found;
};

/* Looks at a slot of a set's table: an object and its hash, which is -1 when the object was taken out. */
static long await_slot(__u32 i, struct await_set *c)
{
	const __u64 *slot = (const __u64 *)(c->s->walk.mem + (i & (AWAIT_SLOTS - 1)) * SLOT_BYTES);

	c->found = slot[1] == ~0ULL ? 0 : slot[0] & ~REFERENCE_TAGS;
	return c->found != 0;
}

/* Goes on to the first task of a set. Always 0. */
__noinline int await_first(struct scratch *s, const struct task_layout *a, __u64 set)
{
	struct await_set c = { s, 0 };
	__u64 used, mask, table;
	__u32 size;

	if (!opt_async || !s || !a)
		return 0;
	used = search_read(s, set + a->set_used);
	mask = search_read(s, set + a->set_mask);
	table = search_read(s, set + a->set_table);
	size = (mask < AWAIT_SLOTS ? mask + 1 : AWAIT_SLOTS) * SLOT_BYTES;
	if (!used)
		return 0;
	mem_opaque(size);
	if (size <= AWAIT_SLOTS * SLOT_BYTES && mem_plausible(table) &&
	    !walk_read(&s->walk, s->walk.mem, size, table))
		bpf_loop(size / SLOT_BYTES, await_slot, &c, 0);
	s->await.task = c.found;
	s->await.others = used > 1;
	s->await.cause = c.found ? WAIT_CAUSES : WAIT_TASK_CUT;
	return 0;
}

/* From the task whose bytes were read to the one that awaits it, if there is one. */
static __always_inline void await_next(struct scratch *s, const struct task_layout *a)
{
	const __u64 by = object_pointer(s, a->task_awaited_by);

	if (a->current) {
		awaiter_next(s);
		return;
	}
	s->await.task = 0;
	s->await.others = 0;
	if (by && object_byte(s, a->task_awaited_by_is_set))
		await_first(s, a, by);
	else
		s->await.task = by;
}

/* Slots that are not in use have no task. As arithmetic, which is one branch for the verifier. */
static __always_inline int await_has_met(const struct scratch *s, __u64 task)
{
	__u64 differs = task ^ s->task.address, met = ~(differs | -differs);

	for (__u32 i = 0; i < AWAIT_TASKS; i++) {
		differs = task ^ s->await.met[i];
		met |= ~(differs | -differs);
	}
	return met >> 63;
}

/* Of the object whose bytes were read: 1 if it is a task, 0 if it is another future, else more. */
static __always_inline __u8 await_is_task(struct scratch *s, const struct task_layout *a)
{
	int kind;

	if (!a->current)
		return object_byte(s, a->task_is_task);
	kind = object_kind(s, a, object_pointer(s, a->object_type));
	return kind == OBJECT_TASK ? 1 : kind == OBJECT_FUTURE ? 0 : 2;
}

/* Looks at the next task, or future. */
static __always_inline long await_task(struct scratch *s, const struct task_layout *a)
{
	const __u64 task = s->await.task;
	__u32 n = s->await.tasks;
	__u8 is_task;

	if (!task)
		return 1;
	if (await_has_met(s, task))
		return await_end(s, WAIT_TASK_CYCLE);
	mem_opaque(n);
	if (n >= AWAIT_TASKS || object_read(s, task, a->task_size))
		return await_end(s, WAIT_TASK_CUT);
	is_task = await_is_task(s, a);
	if (is_task > 1)
		return await_end(s, WAIT_TASK_CUT);
	s->await.met[n] = task;
	s->await.shared[n] = s->await.others;
	s->await.begin[n] = s->await.end[n] = s->await.depth;
	s->await.tasks = n + 1;
	s->await.object = is_task ? object_pointer(s, a->task_coro) : 0;
	await_next(s, a);
	return 0;
}

/* Takes a frame of the task that was met last. 0, or 1 if there is no room. */
static __always_inline long await_take(struct scratch *s, __u64 address, __u64 code, __u64 instr)
{
	__u32 n = s->await.depth, last = s->await.tasks - 1;
	struct frame *f;

	mem_opaque(n);
	mem_opaque(last);
	if (n >= AWAIT_FRAMES || last >= AWAIT_TASKS || !mem_plausible(code))
		return await_end(s, WAIT_TASK_CUT);
	f = &s->walk.frames[AWAIT_FIRST + n];
	f->address = address;
	f->code = code;
	f->instr = instr;
	s->await.depth = s->await.end[last] = n + 1;
	return 0;
}

/* Takes the frame of the coroutine whose bytes were read, and goes on to what it awaits. */
static __always_inline long await_coroutine(struct scratch *s, const struct layout *l,
					    const struct task_layout *a, __u64 address)
{
	const __s8 state = object_byte(s, a->gen_state);
	const int awaits = state == a->awaiting[0] || state == a->awaiting[1];
	const __u64 code = object_word(s, a->gen_frame + l->frame_code) & ~(__u64)l->pointer_tag;
	__u64 stack;

	s->await.object = 0;
	if (state == a->executing) { /* it has begun the task that runs, and stands in the stack already */
		s->await.task = 0;
		return 1;
	}
	if (!awaits && state != a->created && state != a->suspended)
		return 0;
	if (object_byte(s, a->gen_frame + l->frame_owner) != l->owner_generator)
		return await_end(s, WAIT_TASK_CUT);
	if (await_take(s, address + a->gen_frame, code, object_word(s, a->gen_frame + l->frame_instr)))
		return 1;
	stack = a->current ? (awaits ? awaiter_awaited(s, l, a, address) : 0) :
			     object_pointer(s, a->gen_frame + a->frame_stack);
	if (awaits && mem_plausible(stack))
		s->await.object = search_read(s, stack - 8 * (__u64)a->awaited) & ~REFERENCE_TAGS;
	return 0;
}

/*
 * The same up to 3.10, where its frame is an object. A global function: the verifier looks at it once. 0 to
 * go on, 1 to stop.
 */
__noinline int await_frame_object(struct scratch *s, const struct layout *l, const struct task_layout *a,
				  __u64 generator)
{
	__u64 frame;
	__u32 instr;
	__s8 state;

	if (!opt_async || !s || !l || !a)
		return 1;
	frame = object_word(s, a->gen_frame);
	s->await.object = 0;
	if (!frame) /* it has ended */
		return 0;
	if (object_read(s, frame, FRAME_READ_MAX) || object_word(s, l->frame_generator) != generator)
		return await_end(s, WAIT_TASK_CUT);
	instr = (__u32)object_word(s, l->frame_instr);
	state = (__s8)object_byte(s, a->gen_state);
	if (state == a->executing)
		return await_end(s, WAIT_CAUSES);
	if (state != a->created && state != a->suspended)
		return 0;
	if (await_take(s, frame, object_word(s, l->frame_code), instr))
		return 1;
	if (state == a->suspended)
		s->await.object = awaiter_awaited_of_object(s, l, a);
	return 0;
}

/* Looks at the awaited object: a coroutine, a wrapper of one, or an object without a coroutine. */
static __always_inline long await_object(struct scratch *s, const struct layout *l,
					 const struct task_layout *a)
{
	const __u64 address = s->await.object;
	int kind;

	s->await.object = 0;
	if (object_read(s, address, a->gen_frame + FRAME_READ))
		return await_end(s, WAIT_TASK_CUT);
	kind = object_kind(s, a, object_pointer(s, a->object_type));
	if (kind == OBJECT_COROUTINE && a->frame_object)
		return await_frame_object(s, l, a, address);
	if (kind == OBJECT_COROUTINE)
		return await_coroutine(s, l, a, address);
	/* What is wrapped is the first field behind the object's header, which ends with its type. */
	if (kind == OBJECT_WRAPPER)
		s->await.object = object_pointer(s, a->object_type + sizeof(__u64));
	return 0;
}

static long await_step(__u32 i, struct await_context *c)
{
	struct scratch *s = c->s;
	long stop;

	(void)i;
	/* What is called at a task's end takes up to 250 reads: before each of these the clock is asked. */
	s->walk.steps |= -(__u32)(s->calls.next != 0) & (LATE_STEPS - 1);
	if (walk_step_late(&s->walk))
		return await_end(s, WAIT_TASK_CUT);
	if (!s->await.object && s->calls.next)
		return awaiter_call(s, c->l, c->a) != 0;
	stop = s->await.object ? await_object(s, c->l, c->a) : await_task(s, c->a);
	mem_opaque(stop);
	return stop != 0;
}

/* Finds what awaits the task whose bytes were read last, which is s->task. */
static __always_inline void await_find(struct scratch *s, const struct layout *l, const struct task_layout *a)
{
	struct await_context c = { s, l, a };
	const __u64 coroutine = object_pointer(s, a->task_coro);

	s->await.cause = WAIT_CAUSES;
	s->await.tasks = s->await.depth = 0;
	__builtin_memset(s->await.met, 0, sizeof(s->await.met));
	s->await.object = s->calls.next = 0;
	s->await.must = a->current != 0;
	await_next(s, a);
	if (!mem_plausible(coroutine) || (!s->await.task && s->await.cause == WAIT_CAUSES && !s->await.must))
		return;
	s->await.frame = awaiter_frame(s, a, coroutine);
	if (s->await.task || s->calls.next)
		bpf_loop(AWAIT_STEPS, await_step, &c, 0);
	if (s->await.task || s->await.object || s->calls.next)
		s->await.cause = WAIT_TASK_CUT;
}

/*
 * Empties the thread's cache if it has the frame of the task's own coroutine. Such a cache is of a moment
 * when nothing awaited the task, so its nodes lack the frames that await it. Always 0.
 */
__noinline int await_doubt(struct scratch *s, struct thread *t)
{
	if (!opt_async || !s || !t)
		return -1;
	if (s->await.frame && t->cache.depth && cache_has(&t->cache, t->cache.depth, s->await.frame))
		t->cache.depth = 0;
	return 0;
}

#endif

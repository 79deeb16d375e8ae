/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task.h - with --async: the asyncio task that the thread runs (3.8+), its name, and what awaits it. Where
 * tasks are the process itself says (bpf/abi/tasks.h). The thread is stopped, so all of it is of one moment.
 */
#ifndef PYPERF_BPF_PYTHON_TASK_H
#define PYPERF_BPF_PYTHON_TASK_H

#include "bpf/python/await.h"
#include "bpf/python/name.h"
#include "bpf/python/object.h"

#define NAME_DEFAULT	   "Task-*"
#define NAME_DEFAULT_BEGIN (sizeof("Task-") - 1)

/* The record's name becomes that of a task that was given none. asyncio counts those: Task-1, Task-2. */
static __always_inline void name_default(struct record_code *e)
{
	__builtin_memset(e->data, 0, NAME_BYTES);
	__builtin_memcpy(e->data, NAME_DEFAULT, sizeof(NAME_DEFAULT) - 1);
	e->name.bytes = e->name.length = sizeof(NAME_DEFAULT) - 1;
	e->name.kind = 1;
	e->name.flags = 0;
}

struct name_digits {
	const __u8 *text;
	__u32 other; /* one of them was none */
};

/* Looks at a character behind "Task-". 0 to go on, 1 to stop. */
static long name_digit(__u32 i, struct name_digits *c)
{
	c->other = (__u8)(c->text[(i + NAME_DEFAULT_BEGIN) & (NAME_BYTES - 1)] - '0') > 9;
	return c->other;
}

/* Whether the record's name is one that asyncio made up. Each such task would be a name of its own. */
static __always_inline int name_is_counted(struct record_code *e)
{
	static const char begin[8] = "Task-";
	const __u64 mask = (1ULL << 8 * NAME_DEFAULT_BEGIN) - 1;
	const __u32 digits = e->name.bytes - NAME_DEFAULT_BEGIN;
	struct name_digits c = { e->data, 0 };

	if (e->name.kind != 1 || !digits || digits > NAME_BYTES - NAME_DEFAULT_BEGIN)
		return 0;
	if ((*(const __u64 *)e->data ^ *(const __u64 *)begin) & mask)
		return 0;
	bpf_loop(digits, name_digit, &c, 0);
	return !c.other;
}

/*
 * Copies the name of a task into the record, from this object: a str, or the number of a task without a name.
 * 0 if it is neither.
 */
static __always_inline int name_copy(struct scratch *s, const struct layout *l, const struct task_layout *a,
				     __u64 object)
{
	struct record_code *e = &s->record;
	int kind;

	e->name = e->file = e->table = (struct code_part){ .kind = 1 };
	if (!mem_plausible(object))
		return 0;
	kind = object_kind(s, a, search_read(s, object + a->object_type) & ~REFERENCE_TAGS);
	if (kind != OBJECT_INT && (kind != OBJECT_STR || !name_read(s, l, object)))
		return 0;
	if (kind == OBJECT_INT || name_is_counted(e))
		name_default(e);
	return 1;
}

/*
 * Finds the task that the thread with this thread state runs, and the tasks that await it. The address of its
 * name's object is left in s->task.text. Always 0.
 */
__noinline int task_find(struct scratch *s, const struct layout *l, const struct task_layout *a, __u64 tstate)
{
	__u64 words[2] = {};

	if (!opt_async || !s || !l || !a)
		return -1;
	if (a->current) {
		s->task.address = awaiter_task(s, l, a, tstate);
	} else {
		walk_read(&s->walk, words, sizeof(words), tstate + a->tstate_loop);
		s->task.address = words[0] ? words[1] & ~REFERENCE_TAGS : 0;
	}
	if (!s->task.address || object_read(s, s->task.address, a->task_size) || await_is_task(s, a) != 1)
		return 0;
	s->task.text = object_pointer(s, a->task_name);
	await_find(s, l, a);
	return 0;
}

/* The task's name becomes an attribute of the sample. Always 0. */
__noinline int task_name(struct scratch *s, struct cpu_stats *count, const struct layout *l,
			 const struct task_layout *a)
{
	if (!opt_async || !s || !count || !l || !a)
		return -1;
	if (name_copy(s, l, a, s->task.text))
		s->attribute[ATTRIBUTE_TASK] = name_intern(s, count, NAME_OF_TASK);
	return 0;
}

/*
 * Before the walk of a thread with this thread state: finds the task that it runs, and who awaits that.
 * Always 0. A global function: the verifier then does not follow each result on its own.
 */
__noinline int task_read(struct scratch *s, struct cpu_stats *count, const struct layout *l, __u64 tstate,
			 __u32 with_name)
{
	struct task_layout *a;
	__u32 index;

	if (!opt_async || !s || !count || !l)
		return -1;
	index = s->who.known.tasks - 1;
	a = bpf_map_lookup_elem(&task_layouts, &index);
	if (!a)
		return 0;
	s->task.text = 0;
	task_find(s, l, a, tstate);
	if (with_name && s->task.text)
		task_name(s, count, l, a);
	return 0;
}

#endif

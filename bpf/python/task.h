/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task.h - with --async: the asyncio task that the thread runs (3.14+), its name, and what awaits it. Where
 * tasks are the process itself says (bpf/abi/tasks.h). The thread is stopped, so all of it is of one moment.
 *
 * A name goes where code objects' names go: an entry of that table stands for a text of one process.
 */
#ifndef PYPERF_BPF_PYTHON_TASK_H
#define PYPERF_BPF_PYTHON_TASK_H

#include "bpf/python/await.h"
#include "bpf/python/code.h"
#include "bpf/python/object.h"

#define NAME_BYTES 64 /* of a task's name that are kept; longer ones are cut and marked */

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
 * Copies a str that is a name into the record. Returns whether that could be done. A global function: the
 * verifier then does not follow each result on its own.
 */
__noinline int name_read(struct scratch *s, const struct layout *l, __u64 object)
{
	struct record_code *e;

	if (!opt_async || !s || !l)
		return 0;
	e = &s->record;
	__builtin_memset(e->data, 0, NAME_BYTES);
	e->name.address = object;
	e->name.flags = capture_string(e, l, &e->name, 0, NAME_BYTES);
	return !(e->name.flags & (PART_FAULT | PART_BAD));
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

static __always_inline __u64 name_digest(const struct record_code *e)
{
	const __u64 *text = (const __u64 *)e->data;
	__u64 hash = mix((__u64)e->name.kind << 32 | e->name.length);

	for (int i = 0; i < NAME_BYTES / 8; i++)
		hash = mix(hash ^ text[i]);
	return hash | 1;
}

/* Whether the process may get another name; names that it has are found all the same. */
static __always_inline int names_have_room(const struct scratch *s, const struct process *p)
{
	return !p || p->generation != s->tree.generation || p->names < TASK_NAMES_MAX;
}

/* The name that is in the record becomes an attribute of the sample, and is sent if it is new. */
static __always_inline void name_intern(struct scratch *s, struct cpu_stats *count)
{
	const __u64 fingerprint = name_digest(&s->record);
	const __u32 none = s->quota.none, before = count->codes_new, unsettled = s->code.unsettled;
	__u32 tgid = s->who.known_tgid, index;
	struct process *p = bpf_map_lookup_elem(&processes, &tgid);
	struct code *c;

	if (!names_have_room(s, p))
		s->quota.none = 1;
	index = code_by_fingerprint(s, count, code_key(s->who.process, 0), fingerprint);
	s->quota.none = none;
	s->code.unsettled = unsettled;
	c = bpf_map_lookup_elem(&codes, &index);
	if (!index || !c) {
		count->task_names_full++;
		return;
	}
	if (p && (__u32)count->codes_new != before && p->generation == s->tree.generation)
		p->names++;
	if (!(c->state & CODE_SENT)) {
		code_record(s, index, fingerprint);
		s->record.address = 0;
		s->record.first_line = 0;
		s->record.version = 0;
		s->record.line_format = LINES_LOCATIONS;
		code_output(s, count, c);
	}
	s->attribute[ATTRIBUTE_TASK] = index;
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
	walk_read(&s->walk, words, sizeof(words), tstate + a->tstate_loop);
	s->task.address = words[0] ? words[1] & ~REFERENCE_TAGS : 0;
	if (!s->task.address || object_read(s, s->task.address, a->task_size) ||
	    object_byte(s, a->task_is_task) != 1)
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
		name_intern(s, count);
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

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * name.h - a text of a process as an attribute of a sample: the name of an asyncio task, the value of a
 * context variable. A text goes where code objects' names go: an entry of that table stands for a text of
 * one process.
 */
#ifndef PYPERF_BPF_PYTHON_NAME_H
#define PYPERF_BPF_PYTHON_NAME_H

#include "bpf/python/code.h"

#define NAME_BYTES 64 /* of a text that are kept; longer ones are cut and marked */

/* What a text is for. Of each there may be so many different ones in a generation of the tree. */
enum name_use { NAME_OF_TASK, NAME_OF_VARIABLE };

/*
 * Copies a str that is a name into the record. Returns whether that could be done. A global function: the
 * verifier then does not follow each result on its own.
 */
__noinline int name_read(struct scratch *s, const struct layout *l, __u64 object)
{
	struct record_code *e;

	if ((!opt_async && !opt_contexts) || !s || !l)
		return 0;
	e = &s->record;
	__builtin_memset(e->data, 0, NAME_BYTES);
	e->name.address = object;
	e->name.flags = capture_string(e, l, &e->name, 0, NAME_BYTES);
	if (e->name.flags & PART_FAULT)
		s->walk.faults++;
	return !(e->name.flags & (PART_FAULT | PART_BAD));
}

static __always_inline __u64 name_digest(const struct record_code *e)
{
	const __u64 *text = (const __u64 *)e->data;
	__u64 hash = mix((__u64)e->name.kind << 32 | e->name.length);

	for (int i = 0; i < NAME_BYTES / 8; i++)
		hash = mix(hash ^ text[i]);
	return hash | 1;
}

/* Whether the process may get another one; those that it has are found all the same. */
static __always_inline int names_have_room(const struct scratch *s, const struct process *p,
					   const enum name_use use)
{
	if (!p || p->generation != s->tree.generation)
		return 1;
	return use == NAME_OF_TASK ? p->names < TASK_NAMES_MAX : p->values < CONTEXT_VALUES_MAX;
}

static __always_inline void name_count(struct process *p, const enum name_use use)
{
	if (use == NAME_OF_TASK)
		p->names++;
	else
		p->values++;
}

/* Adds an entry for the text with this digest, if the process may have another one. Its number, or 0. */
static __always_inline __u32 name_add(struct scratch *s, struct cpu_stats *count, const enum name_use use,
				      __u64 key, __u64 digest)
{
	const __u32 before = count->codes_new;
	__u32 tgid = s->who.known_tgid, index;
	struct process *p = bpf_map_lookup_elem(&processes, &tgid);

	index = names_have_room(s, p, use) ? code_by_fingerprint(s, count, key, digest) : 0;
	if (!index && use == NAME_OF_TASK)
		count->task_names_full++;
	else if (!index)
		count->context_values_full++;
	else if (p && (__u32)count->codes_new != before && p->generation == s->tree.generation)
		name_count(p, use);
	return index;
}

/*
 * The number of the entry of the text with this digest; 0 = there is no room for it. Most are there already,
 * and then nobody need know how many there are.
 */
static __always_inline __u32 name_number(struct scratch *s, struct cpu_stats *count, const enum name_use use,
					 __u64 digest)
{
	const __u32 none = s->quota.none, unsettled = s->code.unsettled;
	const __u64 key = code_key(s->who.process, 0);
	__u32 index;

	s->quota.none = 1;
	index = code_by_fingerprint(s, count, key, digest);
	s->quota.none = none;
	index = index ?: name_add(s, count, use, key, digest);
	s->code.unsettled = unsettled;
	return index;
}

/* Sends the text that is in the record as that of entry c. */
static __always_inline void name_send(struct scratch *s, struct cpu_stats *count, struct code *c, __u32 index,
				      __u64 digest)
{
	code_record(s, index, digest);
	s->record.address = 0;
	s->record.first_line = 0;
	s->record.version = 0;
	s->record.line_format = LINES_LOCATIONS;
	code_output(s, count, c);
}

/* The number of the text that is in the record, which is sent if it is new; 0 = there is no room for it. */
static __always_inline __u32 name_intern(struct scratch *s, struct cpu_stats *count, const enum name_use use)
{
	const __u64 digest = name_digest(&s->record);
	__u32 index = name_number(s, count, use, digest);
	struct code *c = bpf_map_lookup_elem(&codes, &index);

	if (index && c && !(c->state & CODE_SENT))
		name_send(s, count, c, index, digest);
	return index;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * object.h - objects of the interpreter that asyncio's tasks consist of: their words, and what they are by
 * their type (3.8+).
 */
#ifndef PYPERF_BPF_PYTHON_OBJECT_H
#define PYPERF_BPF_PYTHON_OBJECT_H

#include "bpf/data/maps.h"
#include "bpf/python/thread.h"

/* Include/object.h: bits of tp_flags */
#define FLAG_HEAP_TYPE (1UL << 9)
#define FLAG_INT       (1UL << 24)
#define FLAG_STR       (1UL << 28)

#define OBJECT_HEAD   16   /* bytes: the count of references and the type */
#define SMALLEST_PAGE 4096 /* no kernel has smaller ones */

#define REFERENCE_TAGS 7ULL /* low bits in which references have tags */

/*
 * Reads the first size bytes of the object at address into s->task.bytes. 0, or negative if that fails. What
 * the object is, and so how long, is known only afterwards: where a shorter one ends a page of the target's
 * heap, the next page may never have been used. Then the bytes that would be there are 0.
 */
static __always_inline int object_read(struct scratch *s, __u64 address, __u32 size)
{
	__u32 in_page = SMALLEST_PAGE - (address & (SMALLEST_PAGE - 1));

	mem_opaque(size);
	if (!mem_plausible(address) || size < OBJECT_HEAD || size > TASK_READ)
		return -1;
	if (!walk_read(&s->walk, s->task.bytes, size, address))
		return 0;
	mem_opaque(in_page);
	if (in_page < OBJECT_HEAD || in_page >= TASK_READ || in_page >= size)
		return -1;
	return walk_read(&s->walk, s->task.bytes, in_page, address);
}

/* A word, a pointer and a byte of the object that was read last. */
static __always_inline __u64 object_word(const struct scratch *s, __u32 offset)
{
	mem_opaque(offset);
	return *(const __u64 *)(s->task.bytes + (offset & (TASK_READ - 1)));
}

static __always_inline __u64 object_pointer(const struct scratch *s, __u32 offset)
{
	return object_word(s, offset) & ~REFERENCE_TAGS;
}

static __always_inline __u8 object_byte(const struct scratch *s, __u32 offset)
{
	mem_opaque(offset);
	return s->task.bytes[offset & (TASK_READ - 1)];
}

/* Objects/genobject.c, Objects/iterobject.c */
static const char type_coroutine[] = "coroutine", type_generator[] = "generator",
		  type_async_generator[] = "async_generator", type_wrapper[] = "coroutine_wrapper",
		  type_asend[] = "async_generator_asend", type_athrow[] = "async_generator_athrow",
		  type_anext[] = "anext_awaitable";

/* Up to 3.13: what is called at a task's end. */
static const char type_wakeup[] = "TaskWakeupMethWrapper", type_builtin[] = "builtin_function_or_me",
		  type_method[] = "method", type_function[] = "function";
/* Of AnyIO's backend for asyncio: classes, whose names are the short ones. */
static const char type_group[] = "TaskGroup", type_scope[] = "CancelScope";

#define TYPE_BASE 256 /* PyTypeObject.tp_base, 3.8 to 3.13 */

/* A task or a future by its type, or that from which it is derived. */
static __always_inline enum object_kind kind_by_base(struct scratch *s, const struct task_layout *a,
						     __u64 type)
{
	if (type != a->task_type && type != a->future_type)
		type = search_read(s, type + TYPE_BASE);
	return type == a->task_type ? OBJECT_TASK : type == a->future_type ? OBJECT_FUTURE : OBJECT_OTHER;
}

static __always_inline enum object_kind kind_of_callback(const char name[TYPE_NAME])
{
	if (!bpf_strncmp(name, TYPE_NAME, type_wakeup))
		return OBJECT_WAKEUP;
	if (!bpf_strncmp(name, TYPE_NAME - 2, type_builtin)) /* cut */
		return OBJECT_BUILTIN;
	if (!bpf_strncmp(name, TYPE_NAME, type_method))
		return OBJECT_METHOD;
	return bpf_strncmp(name, TYPE_NAME, type_function) ? OBJECT_OTHER : OBJECT_FUNCTION;
}

static __always_inline enum object_kind kind_of_class(const char name[TYPE_NAME])
{
	if (!bpf_strncmp(name, TYPE_NAME, type_group))
		return OBJECT_GROUP;
	return bpf_strncmp(name, TYPE_NAME, type_scope) ? OBJECT_OTHER : OBJECT_SCOPE;
}

static __always_inline enum object_kind kind_by_name(struct scratch *s, const struct task_layout *a,
						     __u64 address)
{
	char *name = s->type.name;

	__builtin_memset(name, 0, TYPE_NAME);
	/* Behind a short name lies other text of the interpreter's. */
	if (walk_read(&s->walk, name, s->calls.is_class ? sizeof(type_scope) : TYPE_NAME, address)) {
		s->calls.unread = 1;
		return OBJECT_OTHER;
	}
	if (s->calls.is_class)
		return kind_of_class(name);
	if (!bpf_strncmp(name, TYPE_NAME, type_coroutine) || !bpf_strncmp(name, TYPE_NAME, type_generator) ||
	    !bpf_strncmp(name, TYPE_NAME, type_async_generator))
		return OBJECT_COROUTINE;
	if (!bpf_strncmp(name, TYPE_NAME, type_wrapper) || !bpf_strncmp(name, TYPE_NAME, type_asend) ||
	    !bpf_strncmp(name, TYPE_NAME, type_athrow) || !bpf_strncmp(name, TYPE_NAME, type_anext))
		return OBJECT_WRAPPER;
	return a->current ? kind_of_callback(name) : OBJECT_OTHER;
}

/*
 * The kind of all objects of this type. A class of the program's own, which can end and make room for another
 * one, is looked at each time, and can be no coroutine. So is a type that cannot be read just now.
 */
__noinline int object_kind(struct scratch *s, const struct task_layout *a, __u64 type)
{
	struct known_type *known;
	enum object_kind kind;
	__u64 flags;

	if (!opt_async || !s || !a || !mem_plausible(type))
		return OBJECT_OTHER;
	known = &s->task.types[(type >> 4 ^ type >> 10) & (TYPES_KNOWN - 1)];
	if (known->address == type && known->process == s->who.process)
		return known->kind;
	flags = search_read(s, type + a->type_flags);
	kind = flags & FLAG_INT ? OBJECT_INT : flags & FLAG_STR ? OBJECT_STR : OBJECT_OTHER;
	if (a->current && kind == OBJECT_OTHER)
		kind = type == a->partial_type ? OBJECT_PARTIAL : kind_by_base(s, a, type);
	s->calls.is_class = (flags & FLAG_HEAP_TYPE) != 0;
	s->calls.unread = !flags; /* each type has some */
	if (kind == OBJECT_OTHER && (!s->calls.is_class || a->current))
		kind = kind_by_name(s, a, search_read(s, type + a->type_name));
	if (s->calls.is_class || s->calls.unread)
		return kind;
	known = &s->task.types[(type >> 4 ^ type >> 10) & (TYPES_KNOWN - 1)];
	known->kind = kind;
	known->address = type;
	known->process = s->who.process;
	return kind;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include "remote/task_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/remote.h"
#include "python/pystr.h"
#include "python/target_walk.h"

#define TYPE_NAME  32
#define READS_UNTIMED 256 /* between two looks at the clock */

static __u64 cpu_ns(void)
{
	return clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
}

int task_reader_begin(struct task_reader *r, pid_t memory, const struct layout *layout, __u64 runtime,
		      __u64 asyncio)
{
	r->memory = memory;
	r->layout = layout;
	objects_begin(&r->objects, memory, layout, READER_READS_MAX);
	return asyncio_layout_read(memory, layout, runtime, asyncio, &r->at);
}

static bool is_spent(struct task_reader *r)
{
	if (r->objects.unreachable)
		r->unreachable = r->objects.unreachable;
	if (!r->reads)
		r->began_ns = cpu_ns();
	else if (r->reads + r->objects.reads >= READER_READS_MAX ||
		 (r->reads % READS_UNTIMED == 0 && cpu_ns() - r->began_ns > READER_CPU_MS * NS_PER_MS))
		r->spent = true;
	return r->spent;
}

/* --- ahead ---------------------------------------------------------------------------------------------- */

static struct reader_slot *slot_ahead(struct task_reader *r, __u64 address)
{
	return &r->ahead[((address >> 4) * 0x9e3779b97f4a7c15ULL >> 40) & (READER_AHEAD - 1)];
}

/* At most REMOTE_PARTS of them. */
static void read_ahead(struct task_reader *r, const __u64 *addresses, const size_t *sizes, size_t count)
{
	struct remote_part parts[REMOTE_PARTS];
	struct reader_slot *slots[REMOTE_PARTS];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct reader_slot *slot = slot_ahead(r, addresses[i]);

		if (addresses[i] < 4096 || addresses[i] >> ADDRESS_BITS || sizes[i] > sizeof(slot->bytes) ||
		    slot->address == addresses[i])
			continue;
		slot->address = addresses[i];
		slot->asked = (__u16)sizes[i];
		slot->got = 0;
		slots[n] = slot;
		parts[n++] = (struct remote_part){ addresses[i], slot->bytes, sizes[i], 0 };
	}
	if (!n || remote_read_parts(r->memory, parts, n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (slots[i]->address == parts[i].address) /* no later one has taken its place */
			slots[i]->got = (__u16)parts[i].got;
	r->reads += (__u32)n;
}

void task_reader_ahead(struct task_reader *r, const __u64 *addresses, size_t count, size_t size)
{
	size_t sizes[REMOTE_PARTS];

	for (size_t i = 0; i < REMOTE_PARTS; i++)
		sizes[i] = size;
	for (size_t i = 0, n; i < count; i += n) {
		n = count - i < REMOTE_PARTS ? count - i : REMOTE_PARTS;
		read_ahead(r, addresses + i, sizes, n);
	}
}

void task_reader_forget(struct task_reader *r)
{
	for (size_t i = 0; i < READER_AHEAD; i++)
		r->ahead[i].address = r->ahead[i].got = 0;
}

void task_reader_note(struct task_reader *r)
{
	r->notes = true;
	r->noted_count = 0;
}

void task_reader_again(struct task_reader *r)
{
	__u64 addresses[REMOTE_PARTS];
	size_t sizes[REMOTE_PARTS], n = 0;

	r->notes = false;
	for (__u32 i = 0; i < r->noted_count; i++)
		slot_ahead(r, r->noted[i].address)->address = 0;
	for (__u32 i = 0; i < r->noted_count; i++) {
		addresses[n] = r->noted[i].address;
		sizes[n++] = r->noted[i].size;
		if (n < REMOTE_PARTS && i + 1 < r->noted_count)
			continue;
		read_ahead(r, addresses, sizes, n);
		n = 0;
	}
}

/* What was read ahead; 0 if it was not, or not so much of it. */
static size_t take_ahead(struct task_reader *r, __u64 address, void *dst, size_t size)
{
	const struct reader_slot *slot = slot_ahead(r, address);

	if (slot->address != address || !slot->got || slot->asked < size)
		return 0;
	if (size > slot->got)
		size = slot->got;
	memcpy(dst, slot->bytes, size);
	return size;
}

static void note(struct task_reader *r, __u64 address, size_t size)
{
	if (!r->notes || r->noted_count == READER_NOTED)
		return;
	r->noted[r->noted_count].address = address;
	r->noted[r->noted_count++].size = size;
}

static void keep(struct task_reader *r, __u64 address, const void *bytes, size_t size, size_t got)
{
	struct reader_slot *slot = slot_ahead(r, address);

	if (!r->keeps || size > sizeof(slot->bytes))
		return;
	slot->address = address;
	slot->asked = (__u16)size;
	slot->got = (__u16)got;
	memcpy(slot->bytes, bytes, got);
}

ssize_t task_reader_read_some(struct task_reader *r, __u64 address, void *dst, size_t size)
{
	ssize_t n;

	if (is_spent(r))
		return -E2BIG;
	note(r, address, size);
	n = (ssize_t)take_ahead(r, address, dst, size);
	if (n)
		return n;
	r->reads++;
	if (address < 4096 || address >> ADDRESS_BITS)
		return -EFAULT;
	n = remote_read_some(r->memory, address, dst, size);
	if (n < 0 && n != -EFAULT)
		r->unreachable = (int)n;
	if (n > 0)
		keep(r, address, dst, size, (size_t)n);
	return n;
}

int task_reader_read(struct task_reader *r, __u64 address, void *dst, size_t size)
{
	const ssize_t n = task_reader_read_some(r, address, dst, size);

	return n < 0 ? (int)n : (size_t)n < size ? -EFAULT : 0;
}

__u64 task_reader_pointer(const __u8 *bytes, size_t offset)
{
	return objects_word(bytes, offset) & ~7ULL;
}

/* --- types ---------------------------------------------------------------------------------------------- */

/* Objects/genobject.c, Objects/iterobject.c */
static const struct {
	const char *name;
	enum task_reader_kind kind;
} static_types[] = {
	{ "coroutine", READER_COROUTINE },	     { "generator", READER_COROUTINE },
	{ "async_generator", READER_COROUTINE },     { "coroutine_wrapper", READER_WRAPPER },
	{ "async_generator_asend", READER_WRAPPER }, { "async_generator_athrow", READER_WRAPPER },
	{ "anext_awaitable", READER_WRAPPER },
};

static enum task_reader_kind kind_by_name(struct task_reader *r, __u64 address)
{
	char name[TYPE_NAME] = "";

	if (task_reader_read_some(r, address, name, sizeof(name) - 1) < 0)
		return READER_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(static_types); i++)
		if (!strcmp(static_types[i].name, name))
			return static_types[i].kind;
	return READER_OTHER;
}

/* Objects that lead to who awaits a task, up to 3.13. A class may call itself so: what it has is checked. */
static const struct {
	const char *name;
	enum task_reader_kind kind;
} callback_types[] = {
	{ "TaskWakeupMethWrapper", READER_WAKEUP }, { "builtin_function_or_method", READER_BUILTIN },
	{ "method", READER_METHOD },		    { "function", READER_FUNCTION },
	{ "functools.partial", READER_PARTIAL },    { "set", READER_CONTAINER },
	{ "TaskGroup", READER_GROUP },
};

static enum task_reader_kind callback_kind(struct task_reader *r, __u64 type, __u64 flags)
{
	const struct asyncio_found *f = &r->at.found;
	char name[OBJECTS_NAME];

	if (flags & (OBJECTS_LIST | OBJECTS_TUPLE))
		return flags & OBJECTS_LIST ? READER_LIST : READER_TUPLE;
	if (flags & OBJECTS_DICT)
		return READER_CONTAINER;
	if (objects_is_derived(&r->objects, type, f->task_type))
		return READER_TASK;
	if (objects_is_derived(&r->objects, type, f->future_type))
		return READER_FUTURE;
	objects_type_name(&r->objects, type, name);
	for (size_t i = 0; i < ARRAY_SIZE(callback_types); i++)
		if (!strcmp(callback_types[i].name, name))
			return callback_types[i].kind;
	return READER_OTHER;
}

static enum task_reader_kind read_kind(struct task_reader *r, __u64 type)
{
	const struct object_offsets *o = &r->at.objects;
	__u8 bytes[OBJECT_FIELD_MAX + sizeof(__u64)];
	const size_t last = o->type_flags > o->type_name ? o->type_flags : o->type_name;
	enum task_reader_kind kind = READER_OTHER;
	__u64 flags;

	if (!mem_plausible(type) || task_reader_read(r, type, bytes, last + sizeof(__u64)))
		return READER_OTHER;
	flags = objects_word(bytes, o->type_flags);
	if (flags & OBJECTS_INT)
		return READER_INT;
	if (flags & OBJECTS_STR)
		return READER_STR;
	if (!(flags & OBJECTS_HEAP_TYPE))
		kind = kind_by_name(r, objects_word(bytes, o->type_name));
	return kind == READER_OTHER && r->at.facts ? callback_kind(r, type, flags) : kind;
}

enum task_reader_kind task_reader_kind(struct task_reader *r, __u64 type)
{
	enum task_reader_kind kind;

	for (size_t i = 0; i < READER_TYPES; i++)
		if (r->types[i].kind && r->types[i].type == type)
			return r->types[i].kind;
	kind = read_kind(r, type);
	r->types[r->type_next].type = type;
	r->types[r->type_next].kind = kind;
	r->type_next = (r->type_next + 1) % READER_TYPES;
	return kind;
}

/* --- names ---------------------------------------------------------------------------------------------- */

/* asyncio counts its tasks: a small number, which is not below 0. Two digits are 60 bits. */
static int name_of_int(const struct task_reader *r, const __u8 *object, char ret[TASK_NAME_SIZE])
{
	const __u64 tag = objects_word(object, r->at.objects.int_tag);
	const __u64 digits = objects_word(object, r->at.objects.int_digit), mask = (1ULL << DIGIT_BITS) - 1;
	__u64 number = 0;

	if ((tag & 3) == 2 || tag >> 3 > 2)
		return -EBADMSG;
	if (tag >> 3 > 0)
		number = digits & mask;
	if (tag >> 3 > 1)
		number |= (digits >> 32 & mask) << DIGIT_BITS;
	snprintf(ret, TASK_NAME_SIZE, "Task-%llu", (unsigned long long)number);
	return 0;
}

static int name_of_str(struct task_reader *r, __u64 address, const __u8 *object, char ret[TASK_NAME_SIZE])
{
	const struct layout *l = r->layout;
	__u8 bytes[4 * TASK_NAME_SIZE];
	struct pystr s;
	__u64 at;
	int err = l->str_ascii > READER_NAME ? -EBADMSG : pystr_parse(l, object, &s);

	if (err)
		return err;
	if (s.length > 0x7fffffff)
		return -EBADMSG;
	at = pystr_inside(l, &s, address);
	if (!s.is_compact) /* of a class that is derived from str */
		err = task_reader_read(r, address + l->str_data, &at, sizeof(at));
	s.length = s.length < TASK_NAME_SIZE ? s.length : TASK_NAME_SIZE;
	err = err ?: s.length ? task_reader_read(r, at, bytes, s.length * s.kind) : 0;
	if (err)
		return err;
	return pystr_decode(bytes, s.length * s.kind, s.kind, ret, TASK_NAME_SIZE) < 0 ? -EBADMSG : 0;
}

int task_reader_name(struct task_reader *r, __u64 object, char ret[TASK_NAME_SIZE])
{
	__u8 bytes[OBJECT_FIELD_MAX + READER_NAME] = { 0 };
	enum task_reader_kind kind;
	ssize_t n;

	if (!mem_plausible(object))
		return -EBADMSG;
	/* An int may be shorter than a str's header, and lie at the end of what is mapped. */
	n = task_reader_read_some(r, object, bytes, READER_NAME);
	if (n < 0)
		return (int)n;
	if (n < r->at.objects.object_type + (ssize_t)sizeof(__u64))
		return -EBADMSG;
	kind = task_reader_kind(r, task_reader_pointer(bytes, r->at.objects.object_type));
	if (kind == READER_INT)
		return name_of_int(r, bytes, ret);
	return kind == READER_STR ? name_of_str(r, object, bytes, ret) : -EBADMSG;
}

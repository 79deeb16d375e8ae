// SPDX-License-Identifier: GPL-2.0-only
#include "remote/callbacks.h"

#include <errno.h>
#include <string.h>

#define TUPLE_ITEMS OBJECT_SECOND /* behind their number */
#define CELLS_MAX   32
#define ARGUMENTS   OBJECT_SECOND /* partialobject.args, Modules/_functoolsmodule.c */
#define METHOD_SELF OBJECT_SECOND /* PyMethodObject.im_self, and PyCFunctionObject.m_self */
#define CELL_OBJECT OBJECT_FIRST

#define HOPS_MAX    3  /* futures between two tasks */
#define FUTURES_MAX 64 /* that are looked at for one task */

/* From a task to those that await it, over futures. */
struct hops {
	struct task_reader *r;
	struct task_object *o;
	int depth, futures;
};

static enum task_reader_kind kind_of(struct task_reader *r, __u64 object)
{
	__u8 bytes[OBJECT_TYPE + sizeof(__u64)];

	if (!objects_is_address(object) || task_reader_read(r, object, bytes, sizeof(bytes)))
		return READER_OTHER;
	return task_reader_kind(r, task_reader_pointer(bytes, OBJECT_TYPE));
}

/* A pointer that a callback has. Most were read ahead. */
static __u64 pointer_of(struct task_reader *r, __u64 object, size_t offset)
{
	__u8 bytes[CALLBACKS_READ];
	const ssize_t n = task_reader_read_some(r, object, bytes, sizeof(bytes));
	const __u64 word = n < (ssize_t)(offset + sizeof(word)) ? 0 : task_reader_pointer(bytes, offset);

	return objects_is_address(word) ? word : 0;
}

static void note_awaiter(struct task_object *o, __u64 address)
{
	for (__u32 i = 0; i < o->awaiter_count; i++)
		if (o->awaiters[i] == address)
			return;
	if (o->awaiter_count == OBJECT_AWAITERS_MAX)
		o->more_awaiters = true;
	else
		o->awaiters[o->awaiter_count++] = address;
}

static bool add_if_task(struct task_reader *r, __u64 object, struct task_object *o)
{
	if (kind_of(r, object) != READER_TASK)
		return false;
	note_awaiter(o, object);
	return true;
}

/* Reads the items of a tuple. Returns how many. */
static size_t read_tuple(struct task_reader *r, __u64 tuple, __u64 ret[CELLS_MAX])
{
	__u64 count = 0;

	if (kind_of(r, tuple) != READER_TUPLE ||
	    objects_read(&r->objects, tuple + OBJECT_FIRST, &count, sizeof(count)))
		return 0;
	count = count < CELLS_MAX ? count : CELLS_MAX;
	return count && !objects_read(&r->objects, tuple + TUPLE_ITEMS, ret, 8 * count) ? count : 0;
}

/* --- kinds of callbacks --------------------------------------------------------------------------------- */

static void add_future(struct hops *h, __u64 future);

/*
 * AnyIO's task group, which a task of its own waits in. Only objects of a class with that name are asked:
 * that takes some hundred reads of one without the attribute.
 */
static bool add_host(struct task_reader *r, __u64 object, struct task_object *o)
{
	const __u64 scope = objects_attribute(&r->objects, object, "cancel_scope");
	const __u64 task = scope ? objects_attribute(&r->objects, scope, "_host_task") : 0;

	return task && add_if_task(r, task, o);
}

/* What shield() has called when its own future is done, which then is not awaited by the other one. */
static bool is_of_shield(struct task_reader *r, __u64 function)
{
	return objects_is_text(&r->objects, pointer_of(r, function, r->at.facts->function_name),
			       "_outer_done_callback");
}

/* gather(), shield(), wait(): a cell of the function has the future that its caller awaits. */
static bool add_of_function(struct hops *h, __u64 function, __u64 done)
{
	struct task_reader *r = h->r;
	__u64 cells[CELLS_MAX], objects[CELLS_MAX];
	const __u64 closure = pointer_of(r, function, r->at.facts->closure);
	const size_t count = closure ? read_tuple(r, closure, cells) : 0;
	bool found = false;

	/* Without cells it can reach no future: it is told, and does not wait. */
	if (!closure || is_of_shield(r, function))
		return true;
	for (size_t i = 0; i < count; i++)
		cells[i] += CELL_OBJECT;
	if (objects_read_words(&r->objects, cells, count, objects))
		return true;
	for (size_t i = 0; i < count; i++) {
		if (objects[i] == done || kind_of(r, objects[i]) != READER_FUTURE)
			continue;
		add_future(h, objects[i]);
		found = true;
	}
	for (size_t i = 0; i < count && !found; i++)
		found = kind_of(r, objects[i]) == READER_GROUP && add_host(r, objects[i], h->o);
	return found;
}

static bool add_of_partial(struct hops *h, __u64 partial)
{
	struct task_reader *r = h->r;
	__u64 arguments[CELLS_MAX];
	const size_t count = read_tuple(r, pointer_of(r, partial, ARGUMENTS), arguments);
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		if (kind_of(r, arguments[i]) != READER_FUTURE)
			continue;
		add_future(h, arguments[i]);
		found = true;
	}
	return found;
}

/* A method of a list, a set or a dict, as of the set in which tasks are kept alive, awaits nothing. */
static bool add_of_builtin(struct task_reader *r, __u64 builtin, struct task_object *o)
{
	const __u64 self = pointer_of(r, builtin, METHOD_SELF);
	const enum task_reader_kind kind = kind_of(r, self);

	return kind == READER_LIST || kind == READER_CONTAINER || add_if_task(r, self, o);
}

static bool add_of_method(struct task_reader *r, __u64 method, struct task_object *o)
{
	const __u64 self = pointer_of(r, method, METHOD_SELF);
	const __u64 task = self ? objects_attribute(&r->objects, self, "_parent_task") : 0;

	return task && add_if_task(r, task, o);
}

/* False: it is not known who waits. */
static bool add_of(struct hops *h, __u64 callback, __u64 done)
{
	struct task_reader *r = h->r;
	struct task_object *o = h->o;

	switch (kind_of(r, callback)) {
	case READER_WAKEUP:
		return add_if_task(r, pointer_of(r, callback, OBJECT_FIRST), o);
	case READER_BUILTIN:
		return add_of_builtin(r, callback, o);
	case READER_METHOD:
		return add_of_method(r, callback, o);
	case READER_FUNCTION:
		return add_of_function(h, callback, done);
	case READER_PARTIAL:
		return add_of_partial(h, callback);
	default:
		return false;
	}
}

/* --- all of them ---------------------------------------------------------------------------------------- */

struct list {
	__u64 type, count, items;
};

static int add_of_list(struct hops *h, __u64 address, __u64 done)
{
	struct task_reader *r = h->r;
	struct task_object *o = h->o;
	struct list list;
	int err = objects_read(&r->objects, address + OBJECT_TYPE, &list, sizeof(list));

	if (err)
		return err;
	if (task_reader_kind(r, list.type) != READER_LIST)
		return list.type ? 0 : -EBADMSG; /* None: there was one, and it is gone */
	if (list.count > OBJECT_AWAITERS_MAX)
		o->more_awaiters = true;
	for (__u64 i = 0; i < list.count && i < OBJECT_AWAITERS_MAX; i++) {
		const __u64 tuple = objects_pointer(&r->objects, list.items + 8 * i);
		__u64 callback = 0;

		if (kind_of(r, tuple) != READER_TUPLE)
			return -EBADMSG;
		err = objects_read(&r->objects, tuple + TUPLE_ITEMS, &callback, sizeof(callback));
		if (err)
			return err;
		o->other_awaiters |= !add_of(h, callback, done);
	}
	return 0;
}

static int add_all(struct hops *h, __u64 address, const __u8 *bytes)
{
	__u64 callback, list;

	memcpy(&callback, bytes + CALLBACKS_FIRST, sizeof(callback));
	memcpy(&list, bytes + CALLBACKS_OTHERS, sizeof(list));
	if (callback && !add_of(h, callback, address))
		h->o->other_awaiters = true;
	return objects_is_address(list) ? add_of_list(h, list, address) : 0;
}

/* Those who await a future of asyncio's own. One that nobody awaits is what awaits the task. */
static void add_future(struct hops *h, __u64 future)
{
	const __u32 before = h->o->awaiter_count;
	const bool others = h->o->other_awaiters;
	__u8 bytes[CALLBACKS_OTHERS + sizeof(__u64)];

	h->o->other_awaiters = false;
	if (h->depth < HOPS_MAX && h->futures < FUTURES_MAX &&
	    !objects_read(&h->r->objects, future, bytes, sizeof(bytes))) {
		h->depth++;
		h->futures++;
		add_all(h, future, bytes);
		h->depth--;
	}
	if (h->o->awaiter_count == before && !h->o->other_awaiters)
		note_awaiter(h->o, future);
	h->o->other_awaiters |= others;
}

int callbacks_read(struct task_reader *r, __u64 address, const __u8 *bytes, struct task_object *o)
{
	struct hops h = { .r = r, .o = o };

	return add_all(&h, address, bytes);
}

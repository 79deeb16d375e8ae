// SPDX-License-Identifier: GPL-2.0-only
#include "remote/task_object.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "remote/callbacks.h"
#include "remote/generator.h"
#include "remote/weak_tasks.h"

#define ATTEMPTS 4 /* to read a task that does not change meanwhile */

/* --- who awaits it -------------------------------------------------------------------------------------- */

static void add_awaiter(struct task_object *o, __u64 address)
{
	if (o->awaiter_count == OBJECT_AWAITERS_MAX)
		o->more_awaiters = true;
	else
		o->awaiters[o->awaiter_count++] = address;
}

/* Slots of a set's table: an object and its hash. Of an object that was taken out -1 is left as its hash. */
static int read_slots(struct task_reader *r, __u64 address, size_t count, struct task_object *o)
{
	const int err = task_reader_read(r, address, o->slots, count * sizeof(o->slots[0]));

	for (size_t i = 0; i < count && !err; i++)
		if (o->slots[i][0] && o->slots[i][1] != ~0ULL)
			add_awaiter(o, o->slots[i][0] & ~7ULL);
	return err;
}

static int read_set(struct task_reader *r, __u64 address, struct task_object *o)
{
	const struct object_offsets *at = &r->at.objects;
	__u64 used, mask, table, slots;
	int err = task_reader_read(r, address + at->set_used, &used, sizeof(used));

	err = err ?: task_reader_read(r, address + at->set_mask, &mask, sizeof(mask));
	err = err ?: task_reader_read(r, address + at->set_table, &table, sizeof(table));
	if (err)
		return err;
	if (mask & (mask + 1) || mask >= 1 << 24 || used > mask)
		return -EBADMSG;
	slots = mask + 1 < OBJECT_SLOTS_MAX ? mask + 1 : OBJECT_SLOTS_MAX;
	o->more_awaiters = slots < mask + 1;
	for (size_t i = 0, n; i < slots && !err; i += n) {
		n = slots - i < OBJECT_SLOTS ? slots - i : OBJECT_SLOTS;
		err = read_slots(r, table + i * sizeof(o->slots[0]), n, o);
	}
	return err || o->awaiter_count == used || o->more_awaiters ? err : -EBADMSG;
}

static int read_awaiters(struct task_reader *r, const struct task_found *f, const __u8 *task,
			 struct task_object *o)
{
	const __u64 address = task_reader_pointer(task, r->at.task_awaited_by);

	o->awaiter_count = 0;
	o->more_awaiters = o->other_awaiters = false;
	if (r->at.facts)
		return callbacks_read(r, f->address, task, o);
	if (!address)
		return 0;
	if (task[r->at.task_awaited_by_is_set])
		return read_set(r, address, o);
	add_awaiter(o, address);
	return 0;
}

/* --- the task ------------------------------------------------------------------------------------------- */

static int read_chain(struct task_reader *r, const struct task_found *f, __u64 coroutine, struct chain *ret)
{
	int err = chain_read(r, coroutine, ret);

	if (err || ret->end != CHAIN_RUNS)
		return err;
	/*
	 * The task runs, so its frames are a thread's. When it has only just begun to run, no thread says so
	 * yet.
	 */
	return f->running ? chain_read_running(r, f->running, coroutine, ret) : -EBADMSG;
}

/* Up to 3.13, by its type: whether it is a task, or another future. */
static bool is_of_type(struct task_reader *r, const __u8 *task, bool *ret_is_task)
{
	const enum task_reader_kind kind = task_reader_kind(r, objects_word(task, r->at.objects.object_type));

	*ret_is_task = kind == READER_TASK;
	return kind == READER_TASK || kind == READER_FUTURE;
}

/* Whether these bytes may be a task's that is where it was found. */
static bool is_there(struct task_reader *r, const struct task_found *f, const __u8 *task, bool *ret_is_task)
{
	const __u8 is_task = task[r->at.task_is_task], is_set = task[r->at.task_awaited_by_is_set];

	if (r->at.facts)
		return is_of_type(r, task, ret_is_task);
	*ret_is_task = is_task;
	return is_task <= 1 && is_set <= 1 &&
	       (!f->listed || (is_task && objects_word(task, r->at.task_node)));
}

static bool same_words(const __u8 *a, const __u8 *b, const __u16 *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (objects_word(a, words[i]) != objects_word(b, words[i]))
			return false;
	return true;
}

static bool same_fields(const struct task_reader *r, const __u8 *a, const __u8 *b, bool is_task)
{
	const __u16 words[] = { r->at.task_name, r->at.task_awaited_by, r->at.task_coro };
	const __u16 future[] = { OBJECT_TYPE, CALLBACKS_FIRST, CALLBACKS_OTHERS };
	const __u16 task[] = { r->at.task_name, r->at.task_coro };

	if (r->at.facts)
		return same_words(a, b, future, ARRAY_SIZE(future)) &&
		       (!is_task || same_words(a, b, task, ARRAY_SIZE(task)));
	return same_words(a, b, words, ARRAY_SIZE(words)) && a[r->at.task_is_task] == b[r->at.task_is_task] &&
	       a[r->at.task_awaited_by_is_set] == b[r->at.task_awaited_by_is_set];
}

/* What changes when it goes on, or another object takes its place. */
static struct task_mark mark_of(const struct task_reader *r, const __u8 *task)
{
	const size_t first = r->at.facts ? CALLBACKS_FIRST : r->at.task_awaited_by;
	const size_t second = r->at.facts ? CALLBACKS_OTHERS : r->at.task_name;

	return (struct task_mark){ { objects_word(task, first), objects_word(task, second),
				     objects_word(task, r->at.task_coro) } };
}

/* A future is shorter than a task, up to 3.13. The bytes behind it are 0. */
static int read_bytes(struct task_reader *r, __u64 address, __u8 ret[ASYNCIO_TASK_READ])
{
	ssize_t n;

	if (!r->at.facts)
		return task_reader_read(r, address, ret, r->at.task_size);
	memset(ret, 0, ASYNCIO_TASK_READ);
	n = task_reader_read_some(r, address, ret, r->at.task_size);
	return n < 0 ? (int)n : n < r->at.found.future_size ? -EFAULT : 0;
}

/* --- ahead ---------------------------------------------------------------------------------------------- */

#define LEVELS 24 /* coroutines of a task that are read ahead */

/* From these objects to those that they await. Returns how many. */
static size_t next_level(struct task_reader *r, __u64 *addresses, size_t count)
{
	struct generator g;
	__u64 frames[OBJECTS_AHEAD];
	size_t n = 0;

	task_reader_ahead(r, addresses, count, generator_bytes(r));
	for (size_t i = 0; i < count; i++)
		frames[i] = generator_find(r, addresses[i], &g) ? 0 : generator_frame_object(r, &g);
	task_reader_ahead(r, frames, count, GENERATOR_FRAME);
	for (size_t i = 0; i < count; i++)
		if (!generator_find(r, addresses[i], &g) && !generator_parse(r, &g) &&
		    !generator_awaited(r, &g, &addresses[n]) && !generator_is_in_await(r, &g))
			n++;
	return n;
}

void task_object_ahead(struct task_reader *r, const struct task_found *found, size_t count)
{
	__u64 addresses[OBJECTS_AHEAD], callbacks[OBJECTS_AHEAD] = { 0 }, names[OBJECTS_AHEAD];
	__u8 task[ASYNCIO_TASK_READ];
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		addresses[i] = found[i].address;
	task_reader_forget(r);
	task_reader_ahead(r, addresses, count, r->at.task_size);
	for (size_t i = 0; i < count; i++) {
		if (read_bytes(r, found[i].address, task))
			continue;
		addresses[n] = task_reader_pointer(task, r->at.task_coro);
		names[n] = task_reader_pointer(task, r->at.task_name);
		callbacks[n++] = r->at.facts ? objects_word(task, CALLBACKS_FIRST) : 0;
	}
	task_reader_ahead(r, names, n, READER_NAME);
	task_reader_ahead(r, callbacks, n, CALLBACKS_READ);
	r->keeps = true;
	for (int i = 0; i < LEVELS && n; i++)
		n = next_level(r, addresses, n);
	r->keeps = false;
}

/* --- the task, again ------------------------------------------------------------------------------------ */

/* 0 when all was twice alike; -EAGAIN when not. */
static int read_task_once(struct task_reader *r, const struct task_found *f, struct task_object *o)
{
	__u8 task[ASYNCIO_TASK_READ], again[ASYNCIO_TASK_READ];
	bool is_task = false;
	__u64 coroutine = 0;
	int err;

	task_reader_note(r);
	err = read_bytes(r, f->address, task);
	if (err)
		return err;
	if (!is_there(r, f, task, &o->is_task))
		return -EBADMSG;
	o->loop = r->at.facts && o->is_task ? objects_word(task, CALLBACKS_LOOP) : 0;
	o->chain.count = o->again.count = 0;
	o->chain.end = o->again.end = CHAIN_ENDED;
	if (o->is_task) {
		coroutine = task_reader_pointer(task, r->at.task_coro);
		err = read_chain(r, f, coroutine, &o->chain);
		r->notes = false;
		err = err ?: task_reader_name(r, task_reader_pointer(task, r->at.task_name), o->name);
	}
	r->notes = false;
	err = err ?: read_awaiters(r, f, task, o);
	task_reader_again(r);
	if (!err && o->is_task)
		err = read_chain(r, f, coroutine, &o->again);
	o->mark = mark_of(r, task);
	err = err ?: read_bytes(r, f->address, again);
	if (err)
		return err;
	return is_there(r, f, again, &is_task) && is_task == o->is_task &&
			       same_fields(r, task, again, is_task) && chain_equal(&o->chain, &o->again) ?
		       0 : -EAGAIN;
}

int task_object_read(struct task_reader *r, const struct task_found *found, struct task_object *ret)
{
	int err = -EAGAIN;

	ret->name[0] = '\0';
	ret->loop = 0;
	for (int i = 0; i < ATTEMPTS && err && err != -E2BIG && !r->unreachable; i++) {
		if (i)
			task_reader_forget(r);
		err = read_task_once(r, found, ret);
	}
	r->notes = false;
	ret->steady = !err;
	ret->unread = err == -E2BIG;
	if (err) {
		ret->chain.count = 0;
		ret->chain.end = CHAIN_ENDED;
		ret->awaiter_count = 0;
		ret->more_awaiters = ret->other_awaiters = false;
	}
	return r->unreachable;
}

bool task_object_is_still(struct task_reader *r, const struct task_found *found, const struct task_mark *mark)
{
	__u8 task[ASYNCIO_TASK_READ];
	struct task_mark now;

	if (read_bytes(r, found->address, task))
		return false;
	now = mark_of(r, task);
	return !memcmp(&now, mark, sizeof(now));
}

int task_object_running(struct task_reader *r, __u64 tstate, __u64 *ret_task)
{
	__u64 loop, task;
	int err;

	if (r->at.facts)
		return weak_tasks_running(r, tstate, ret_task);
	err = task_reader_read(r, tstate + r->at.tstate_loop, &loop, sizeof(loop));

	err = err ?: task_reader_read(r, tstate + r->at.tstate_task, &task, sizeof(task));
	if (!err)
		*ret_task = loop ? task & ~7ULL : 0;
	return err;
}

int task_object_name(struct task_reader *r, __u64 task, char ret[TASK_NAME_SIZE])
{
	__u64 name;
	int err = task_reader_read(r, task + r->at.task_name, &name, sizeof(name));

	return err ?: task_reader_name(r, name & ~7ULL, ret);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "python/asyncio_search.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/remote.h"
#include "python/modules.h"

#define READS_MAX    20000
#define INTERPS_MAX  64
#define GETTERS_MAX  64
#define PROOFS_MAX   8 /* tasks that are looked at for one that proves it */
#define TRIES	     8
#define WEAK_OBJECT  OBJECT_FIRST /* PyWeakReference.wr_object */
#define CALLBACK     OBJECT_SECOND /* FutureObj.fut_callback0 */
#define VERSION_3_12 0x030c0000
#define VERSION_3_13 0x030d0000

/* The dict of a module of this name; 0 if no interpreter has it. */
static __u64 find_module(struct objects *o, __u64 runtime, const char *name)
{
	__u64 interp = objects_pointer(o, runtime + o->layout->runtime_interpreters), module, dict = 0;

	for (int i = 0; i < INTERPS_MAX && interp && !dict; i++) {
		module = objects_dict_find(o, modules_of(o, interp), name);
		dict = modules_dict(o, module);
		interp = objects_pointer(o, interp + o->layout->interp_next);
	}
	return dict;
}

__u64 asyncio_search_module(pid_t memory, const struct layout *layout, __u64 runtime)
{
	struct objects o;

	objects_begin(&o, memory, layout, READS_MAX);
	return o.facts ? find_module(&o, runtime, "_asyncio") : 0;
}

/* --- getters -------------------------------------------------------------------------------------------- */

/*
 * x86-64: mov disp(%rdi), or %rbx, into a register of 64 bits: "48 8b" or "4c 8b", a byte that says which
 * registers, and an offset of one byte or four.
 */
static __u16 x86_offset(const __u8 *code)
{
	for (int i = 0; i + 7 <= ASYNCIO_GETTER_BYTES; i++) {
		const __u8 mode = code[i + 2] >> 6, base = code[i + 2] & 7;
		__u32 offset = code[i + 3];

		if ((code[i] != 0x48 && code[i] != 0x4c) || code[i + 1] != 0x8b || (base != 7 && base != 3) ||
		    (mode != 1 && mode != 2))
			continue;
		if (mode == 2)
			memcpy(&offset, code + i + 3, sizeof(offset));
		return offset < ASYNCIO_TASK_READ && (mode == 2 || offset < 0x80) ? (__u16)offset : 0;
	}
	return 0;
}

/* arm64: ldr of 64 bits from x0, or from x19, in which compilers keep it, with an offset in units of 8. */
static __u16 arm_offset(const __u8 *code)
{
	for (int i = 0; i < ASYNCIO_GETTER_BYTES; i += 4) {
		__u32 instr, base;

		memcpy(&instr, code + i, sizeof(instr));
		base = instr >> 5 & 31;
		if (instr >> 22 == 0x3e5 && (base == 0 || base == 19))
			return (instr >> 10 & 0xfff) * 8 < ASYNCIO_TASK_READ ? (instr >> 10 & 0xfff) * 8 : 0;
	}
	return 0;
}

__u16 asyncio_search_getter(const __u8 code[ASYNCIO_GETTER_BYTES])
{
#ifdef __aarch64__
	(void)x86_offset;
	return arm_offset(code);
#else
	(void)arm_offset;
	return x86_offset(code);
#endif
}

/* PyGetSetDef, Include/descrobject.h */
struct getter {
	__u64 name, get, set, doc, closure;
};

static __u16 offset_of(struct objects *o, __u64 type, const char *name)
{
	__u64 at = objects_pointer(o, type + o->head + TYPE_GETTERS);
	__u8 code[ASYNCIO_GETTER_BYTES];

	for (int i = 0; i < GETTERS_MAX && at; i++, at += sizeof(struct getter)) {
		char bytes[OBJECTS_NAME];
		struct getter g;

		if (objects_read(o, at, &g, sizeof(g)) || !g.name)
			return 0;
		if (objects_read(o, g.name, bytes, strlen(name) + 1) || memcmp(bytes, name, strlen(name) + 1))
			continue;
		return objects_read(o, g.get, code, sizeof(code)) ? 0 : asyncio_search_getter(code);
	}
	return 0;
}

/* --- the module's objects ------------------------------------------------------------------------------- */

struct take {
	struct objects *o;
	struct asyncio_found found;
	__u64 scheduled, all;
};

static int take_object(void *take, __u64 key, __u64 value)
{
	struct take *t = take;
	const struct {
		const char *name;
		__u64 *to;
	} wanted[] = {
		{ "Task", &t->found.task_type },	 { "Future", &t->found.future_type },
		{ "_current_tasks", &t->found.current }, { "_all_tasks", &t->all },
		{ "_scheduled_tasks", &t->scheduled },	 { "_eager_tasks", &t->found.eager_tasks },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!*wanted[i].to && objects_is_text(t->o, key, wanted[i].name)) {
			*wanted[i].to = value;
			break;
		}
	return t->o->unreachable;
}

static int take_sizes(struct objects *o, struct asyncio_layout *a)
{
	__u64 task = 0, future = 0;
	const __u32 at = o->head + TYPE_BASIC_SIZE;
	int err = objects_read(o, a->found.task_type + at, &task, sizeof(task));

	err = err ?: objects_read(o, a->found.future_type + at, &future, sizeof(future));
	if (err)
		return err;
	if (task <= future || task > ASYNCIO_TASK_READ || future < 64)
		return -EPROTO;
	a->task_size = (__u16)task;
	a->found.future_size = (__u16)future;
	return 0;
}

static int take_offsets(struct objects *o, struct asyncio_layout *a)
{
	const __u16 coro = offset_of(o, a->found.task_type, "_coro");
	const __u16 waiter = offset_of(o, a->found.task_type, "_fut_waiter");
	int err = take_sizes(o, a);

	if (err)
		return err;
	/* struct TaskObj, Modules/_asynciomodule.c: they stand together, before name and context. */
	if (!waiter || coro != waiter + 8 || waiter < a->found.future_size || coro + 24 > a->task_size)
		return -EPROTO;
	a->found.waiter = waiter;
	a->task_coro = coro;
	a->task_name = coro + 8;
	return 0;
}

static int take_module(struct objects *o, __u64 dict, struct asyncio_layout *a)
{
	struct take t = { .o = o };
	int err = objects_dict_each(o, dict, take_object, &t);

	if (err)
		return err == -EBADMSG ? -EPROTO : err;
	a->found = t.found;
	a->found.weak_tasks = t.scheduled ?: t.all;
	/* It is being imported just now. */
	if (!a->found.task_type || !a->found.future_type || !a->found.current || !a->found.weak_tasks)
		return -EAGAIN;
	if (!objects_type_is(o, a->found.task_type, "_asyncio.Task") ||
	    !objects_type_is(o, a->found.future_type, "_asyncio.Future") ||
	    objects_pointer(o, a->found.task_type + o->head + TYPE_BASE) != a->found.future_type)
		return -EPROTO;
	return take_offsets(o, a);
}

/* --- all tasks ------------------------------------------------------------------------------------------ */

struct weak {
	struct objects *o;
	objects_visit *visit;
	void *context;
	__u64 references[REMOTE_PARTS];
	size_t count;
};

static int visit_batch(struct weak *w)
{
	__u64 tasks[REMOTE_PARTS], addresses[REMOTE_PARTS], types[REMOTE_PARTS];
	int err = objects_read_words(w->o, w->references, w->count, tasks);

	for (size_t i = 0; i < w->count; i++)
		addresses[i] = err ? 0 : tasks[i] + OBJECT_TYPE;
	err = err ?: objects_read_words(w->o, addresses, w->count, types);
	for (size_t i = 0; i < w->count && !err; i++)
		if (objects_is_address(tasks[i]) && objects_is_address(types[i]))
			err = w->visit(w->context, tasks[i], types[i]);
	w->count = 0;
	return err;
}

static int visit_reference(void *weak, __u64 reference, __u64 value)
{
	struct weak *w = weak;

	(void)value;
	w->references[w->count++] = reference + WEAK_OBJECT;
	return w->count == REMOTE_PARTS ? visit_batch(w) : 0;
}

int asyncio_search_weak(struct objects *o, __u64 weak_set, objects_visit *visit, void *context)
{
	struct weak w = { .o = o, .visit = visit, .context = context };
	const __u64 set = objects_attribute(o, weak_set, "data");
	int err = set ? objects_set_each(o, set, visit_reference, &w) : -EBADMSG;

	if (err && err != -EAGAIN)
		return err;
	return visit_batch(&w) ?: err;
}

/* --- the proof ------------------------------------------------------------------------------------------ */

struct asyncio_proof {
	struct objects *o;
	const struct asyncio_layout *a;
	int seen;
	bool holds;
};

static bool is_task_name(struct objects *o, __u64 object)
{
	const __u64 type = objects_type(o, object);

	return objects_type_flags(o, type) & OBJECTS_STR ||
	       (o->layout->version >= VERSION_3_12 && objects_type_is(o, type, "int"));
}

static bool is_coroutine(struct objects *o, __u64 object)
{
	const __u64 type = objects_type(o, object);

	return objects_type_is(o, type, "coroutine") || objects_type_is(o, type, "generator");
}

static bool is_context(struct objects *o, __u64 object)
{
	const __u64 type = objects_type(o, object);

	return objects_type_is(o, type, "Context") || objects_type_is(o, type, "_contextvars.Context");
}

/* Whether each field of the task has what is meant to be there. */
static bool is_proved_by(struct asyncio_proof *p, __u64 task)
{
	const struct asyncio_layout *a = p->a;
	__u8 bytes[ASYNCIO_TASK_READ];
	__u64 waiter;

	if (objects_read(p->o, task, bytes, a->task_size) ||
	    !objects_is_derived(p->o, objects_word(bytes, OBJECT_TYPE), a->found.task_type))
		return false;
	waiter = objects_word(bytes, a->found.waiter);
	return is_coroutine(p->o, objects_word(bytes, a->task_coro)) &&
	       is_task_name(p->o, objects_word(bytes, a->task_name)) &&
	       is_context(p->o, objects_word(bytes, a->task_name + 8)) &&
	       (!objects_word(bytes, CALLBACK) || objects_type(p->o, objects_word(bytes, CALLBACK))) &&
	       (!waiter || objects_type(p->o, waiter));
}

static int prove(void *proof, __u64 task, __u64 type)
{
	struct asyncio_proof *p = proof;

	(void)type;
	p->seen++;
	p->holds = is_proved_by(p, task);
	return p->o->unreachable ?: p->holds || p->seen == PROOFS_MAX;
}

static int prove_running(void *proof, __u64 loop, __u64 task)
{
	(void)loop;
	return prove(proof, task, 0);
}

static int prove_layout(struct objects *o, const struct asyncio_layout *a)
{
	struct asyncio_proof p = { .o = o, .a = a };
	int err = asyncio_search_weak(o, a->found.weak_tasks, prove, &p);

	if (!p.holds && err >= 0 && a->found.eager_tasks)
		err = objects_set_each(o, a->found.eager_tasks, prove, &p);
	if (!p.holds && err >= 0)
		err = objects_dict_each(o, a->found.current, prove_running, &p);
	if (p.holds)
		return 0;
	return err < 0 && err != -EBADMSG ? err : p.seen || err == -EBADMSG ? -EPROTO : -EAGAIN;
}

/* Objects of these versions have their fields in the same places. */
static void take_objects(const struct cpython *c, struct asyncio_layout *a)
{
	a->objects = (struct object_offsets){
		.object_type = OBJECT_TYPE,
		.type_name = OBJECT_HEAD + TYPE_NAME,
		.type_flags = OBJECT_HEAD + TYPE_FLAGS,
		.set_used = OBJECT_HEAD + SET_USED,
		.set_table = OBJECT_HEAD + SET_TABLE,
		.set_mask = OBJECT_HEAD + SET_MASK,
		.int_tag = OBJECT_FIRST,
		.int_digit = OBJECT_SECOND,
		.gen_frame = c->tasks.gen_frame,
		.gen_state = c->tasks.gen_state,
		.frame_stack = c->tasks.frame_top,
	};
	a->states = c->coroutines;
	a->facts = &c->tasks;
}

/* A type that a module has; 0 if there is none. */
static __u64 find_type(struct objects *o, __u64 runtime, const char *module, const char *name)
{
	const __u64 dict = find_module(o, runtime, module);

	return dict ? objects_dict_find(o, dict, name) : 0;
}

/* What the kernel side needs besides (--async). */
static void take_group(struct objects *o, __u64 runtime, struct asyncio_layout *a)
{
	const __u64 type = find_type(o, runtime, "asyncio.taskgroups", "TaskGroup");
	__u64 size;

	if (!type || objects_read(o, type + o->head + TYPE_BASIC_SIZE, &size, sizeof(size)) || size > 4096)
		return;
	a->found.group_type = type;
}

static int search_once(struct objects *o, __u64 runtime, __u64 dict, struct asyncio_layout *ret)
{
	struct asyncio_layout found = { 0 };
	const __u32 version = o->layout->version;
	int err;

	take_objects(layout_find(version), &found);
	err = take_module(o, dict, &found);
	err = err ?: prove_layout(o, &found);
	if (err)
		return err;
	if (!found.facts->frame_object) {
		found.found.resume = version < VERSION_3_12 ? 1 : version < VERSION_3_13 ? 2 : 0;
		take_group(o, runtime, &found);
	}
	found.found.partial_type = find_type(o, runtime, "_functools", "partial");
	*ret = found;
	return 0;
}

/*
 * A program that runs may end each task that was listed before it is read, most of all when this process
 * loses its CPU in between. So only what is found strange again and again is. Each try has half of all reads
 * or more, so that none fails for want of those of others.
 */
int asyncio_search_layout(pid_t memory, const struct layout *layout, __u64 runtime, __u64 dict,
			  struct asyncio_layout *ret)
{
	struct asyncio_layout found;
	struct objects o;
	int err = -EAGAIN;

	objects_begin(&o, memory, layout, READS_MAX);
	if (!o.facts)
		return -ENOTSUP;
	for (int i = 0; i < TRIES && o.reads <= READS_MAX / 2 && !o.unreachable; i++) {
		err = search_once(&o, runtime, dict, &found);
		if (err != -EPROTO && err != -EAGAIN)
			break;
	}
	if (!err && !o.unreachable)
		*ret = found;
	return o.unreachable ?: err;
}

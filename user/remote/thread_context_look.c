// SPDX-License-Identifier: GPL-2.0-only
#include "remote/thread_context_look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/loaded_elf.h"
#include "proc/otel_context.h"
#include "proc/procfs.h"
#include "proc/remote.h"
#include "python/context_names.h"
#include "python/modules.h"
#include "remote/thread_states.h"

#define VARIABLE      "otel_thread_ctx_v1"
#define LIBRARIES_MAX 4096
#define READS_MAX     65536
#define TABLE_MAX     (1 << 20) /* entries of a thread's table of places */
#define WATCHED_SINCE 0x030e0000 /* PyContext_AddWatcher(): a tracer is told of each switch of contexts */

/* --- the library ---------------------------------------------------------------------------------------- */

struct libraries {
	__u64 *base;
	size_t count;
	bool musl; /* which keeps its threads in another way */
};

static int visit(const struct procfs_map *map, void *context)
{
	const char *name = strrchr(map->path, '/');
	struct libraries *l = context;

	if (!name || map->offset || !map->read || !map->inode)
		return 0;
	if (!strncmp(name, "/ld-musl-", strlen("/ld-musl-")))
		l->musl = true;
	if (l->count == LIBRARIES_MAX)
		return 1;
	l->base[l->count++] = map->start;
	return 0;
}

/* What the descriptor leads to: an offset from the thread pointer, or { number, offset, generation }. */
static bool take_descriptor(pid_t memory, __u64 at, __u64 offset, struct thread_context_place *ret)
{
	__u64 descriptor[2], index[3];

	if (!at || remote_read(memory, at, descriptor, sizeof(descriptor)))
		return false;
	if ((__s64)descriptor[1] < 0) {
		*ret = (struct thread_context_place){ .kind = THREAD_CONTEXT_STATIC,
						      .offset = (__s64)descriptor[1] };
		return (__s64)descriptor[1] >= -THREAD_CONTEXT_FAR;
	}
	if (remote_read(memory, descriptor[1], index, sizeof(index)) || index[1] != offset || !index[0] ||
	    index[0] > THREAD_CONTEXT_MODULES)
		return false;
	*ret = (struct thread_context_place){ .kind = THREAD_CONTEXT_MODULE, .module = (__u32)index[0],
					      .offset = (__s64)offset, .generation = index[2] };
	return true;
}

static bool take_index(pid_t memory, __u64 at, __u64 offset, struct thread_context_place *ret)
{
	__u64 module;

	if (!at || remote_read(memory, at, &module, sizeof(module)) || !module ||
	    module > THREAD_CONTEXT_MODULES)
		return false;
	*ret = (struct thread_context_place){ .kind = THREAD_CONTEXT_MODULE, .module = (__u32)module,
					      .offset = (__s64)offset };
	return true;
}

static bool take_offset(pid_t memory, __u64 at, struct thread_context_place *ret)
{
	__s64 offset;

	if (!at || remote_read(memory, at, &offset, sizeof(offset)) || offset >= 0 ||
	    offset < -THREAD_CONTEXT_FAR)
		return false;
	*ret = (struct thread_context_place){ .kind = THREAD_CONTEXT_STATIC, .offset = offset };
	return true;
}

static bool take_library(pid_t memory, __u64 base, struct thread_context_place *ret)
{
	struct loaded_tls tls;

	return !loaded_elf_find(memory, base, VARIABLE, &tls) && tls.offset < THREAD_CONTEXT_FAR &&
	       tls.offset % sizeof(__u64) == 0 &&
	       (take_descriptor(memory, tls.words[LOADED_TLS_DESCRIPTOR], tls.offset, ret) ||
		take_offset(memory, tls.words[LOADED_TLS_OFFSET], ret) ||
		take_index(memory, tls.words[LOADED_TLS_INDEX], tls.offset, ret));
}

static int find_library(pid_t memory, struct thread_context_place *ret)
{
	_cleanup_free_ __u64 *base = calloc(LIBRARIES_MAX, sizeof(*base));
	struct libraries l = { .base = base };
	int err = base ? procfs_maps(memory, visit, &l) : -ENOMEM;

	if (err < 0)
		return err;
	for (size_t i = 0; i < l.count && !l.musl; i++)
		if (take_library(memory, l.base[i], ret))
			return 0;
	return -ENOENT;
}

/* --- proof ---------------------------------------------------------------------------------------------- */

/* Where the variable is in the thread with this thread pointer. False if that is not as it has to be. */
static bool find_thread_variable(pid_t memory, __u64 pointer, const struct thread_context_place *p,
				 __u64 *ret)
{
	__u64 own[2], head[3], block;

	/* The thread pointer points to itself: tcbhead_t.tcb. */
	if (remote_read(memory, pointer, own, sizeof(own)) || own[0] != pointer)
		return false;
	*ret = pointer + (__u64)p->offset;
	if (p->kind == THREAD_CONTEXT_STATIC)
		return true;
	if (remote_read(memory, own[1] - THREAD_TABLE_HEAD, head, sizeof(head)) || head[0] < p->module ||
	    head[0] > TABLE_MAX || head[2] < p->generation ||
	    remote_read(memory, own[1] + THREAD_TABLE_ENTRY * (__u64)p->module, &block, sizeof(block)))
		return false;
	*ret = block + (__u64)p->offset;
	return objects_is_address(block);
}

/* Whether a thread has the variable there, and in it nothing, or a record as the specification has it. */
static bool is_proof(pid_t memory, __u64 pointer, const struct thread_context_place *p)
{
	struct thread_context_record record;
	__u64 variable, address;

	if (!objects_is_address(pointer) || !find_thread_variable(memory, pointer, p, &variable) ||
	    remote_read(memory, variable, &address, sizeof(address)))
		return false;
	return !address || (!remote_read(memory, address, &record, THREAD_CONTEXT_READ) && record.valid <= 1);
}

static int prove(pid_t memory, const struct thread_states *threads, const struct thread_context_place *p)
{
	for (size_t i = 0; i < threads->count; i++)
		if (is_proof(memory, threads->list[i].id, p))
			return 0;
	return -ENOENT;
}

/* --- whether it is the current span --------------------------------------------------------------------- */

/*
 * ddtrace publishes what it makes the current span. That another task, or greenlet, goes on with another one,
 * it only notices where it has patched what switches between them, or from 3.14 on is told by the
 * interpreter. Without that 317 of 400 looks at four tasks of asyncio met another's span (ddtrace 4.16).
 */
static const struct {
	const char *module, *mark; /* a module, and what it has once it is patched */
	bool always;		   /* also where the interpreter tells of it */
} switchers[] = {
	{ "asyncio", "_datadog_patch", false },
	{ "anyio", "_datadog_patch", false },
	{ "trio", "_datadog_patch", false },
	{ "gevent", "__datadog_patch", true },
};

static bool is_marked(struct objects *o, __u64 module, const char *mark)
{
	const __u64 value = objects_dict_find(o, modules_dict(o, module), mark);
	const __u64 at = value + o->head + CONTEXT_DIGITS;
	__u32 digit = 0;

	return value && !objects_read(o, at, &digit, sizeof(digit)) && digit == 1; /* True is an int, 1 */
}

static int check_switches(const struct thread_context_question *q, __u64 interpreter,
			  struct thread_context_place *p)
{
	const bool is_told = q->layout->version >= WATCHED_SINCE && !q->layout->free_threaded;
	struct objects o;
	__u64 modules;

	objects_begin(&o, q->memory, q->layout, READS_MAX);
	modules = modules_of(&o, interpreter);
	if (!modules)
		return -ENOENT;
	if (!objects_dict_find(&o, modules, "ddtrace"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(switchers); i++) {
		const __u64 module = objects_dict_find(&o, modules, switchers[i].module);

		if (module && (switchers[i].always || !is_told) && !is_marked(&o, module, switchers[i].mark))
			*p = (struct thread_context_place){ .kind = THREAD_CONTEXT_UNTRUE };
	}
	return 0;
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static int check_schema(const struct thread_context_question *q)
{
	struct otel_context c = {};
	int err = otel_context_read(q->pid, q->memory, q->began_ns, &(struct otel_place){}, &c);

	if (err)
		return err;
	return strcmp(c.threads, "tls_v1") && strcmp(c.threads, "tlsdesc_v1_dev") ? -ENOENT : 0;
}

int thread_context_look(const struct thread_context_question *q, struct thread_context_place *ret)
{
	_cleanup_free_ struct thread_states *threads = calloc(1, sizeof(*threads));
	struct thread_context_place place;
	int err;

#if !defined(__x86_64__)
	return -ENOENT;
#endif
	if (!threads)
		return -ENOMEM;
	err = check_schema(q) ?: find_library(q->memory, &place) ?:
	      thread_states_read(threads, q->memory, q->layout, q->runtime);
	err = err ?: threads->count ? prove(q->memory, threads, &place) : -ENOENT;
	err = err ?: check_switches(q, threads->list[0].interp, &place);
	if (!err)
		*ret = place;
	return err;
}

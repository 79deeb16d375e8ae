// SPDX-License-Identifier: GPL-2.0-only
#include "targets/discover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* uthash must report that memory is short, not exit: libraries never do. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "proc/procfs.h"
#include "python/capture_remote.h"
#include "targets/rulings.h"

#define CONTAINERS_ASKED 16  /* processes whose container is asked for each second, at most ... */
#define CONTAINERS_SEEN	 512 /* ... of so many of the registry, where most have ended */

/* A question the worker has not answered yet, by its tag. */
struct question {
	__u64 tag;
	struct event_process process; /* of an IDENTIFY */
	__u32 code, process_id;	      /* of a CAPTURE or TABLE: what they are for ... */
	__u64 fingerprint, table;     /* ... and how the object looked then */
	__s32 first_line;
	UT_hash_handle hh;
};

/* A reason that was said; each is said once. */
struct said {
	UT_hash_handle hh;
	char text[];
};

struct discover {
	struct kernel *kernel;
	struct worker *worker;
	struct codes *codes;
	struct registry *registry;
	const struct selection *selection;
	struct kubelet *kubelet;
	struct question *questions;
	struct rulings *rulings;
	struct said *said;
	__u64 last_tag;
	__u32 container_asked; /* struct process.id of the last process whose container was asked for */
	bool full; /* it has been said that the table of processes is */
};

int discover_new(struct discover **ret, struct kernel *kernel, struct worker *worker, struct codes *codes,
		 struct registry *registry, const struct selection *selection, struct kubelet *kubelet)
{
	struct discover *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	if (rulings_new(&d->rulings)) {
		free(d);
		return -ENOMEM;
	}
	d->kernel = kernel;
	d->worker = worker;
	d->codes = codes;
	d->registry = registry;
	d->selection = selection;
	d->kubelet = kubelet;
	*ret = d;
	return 0;
}

void discover_free(struct discover *d)
{
	struct question *q, *next_question;
	struct said *s, *next_said;

	if (!d)
		return;
	HASH_ITER(hh, d->questions, q, next_question) {
		HASH_DEL(d->questions, q);
		free(q);
	}
	HASH_ITER(hh, d->said, s, next_said) {
		HASH_DEL(d->said, s);
		free(s);
	}
	rulings_free(d->rulings);
	free(d);
}

void discover_forget_codes(struct discover *d, struct kernel_range codes)
{
	struct question *q, *next;

	HASH_ITER(hh, d->questions, q, next)
		if (q->code >= codes.first && q->code < codes.end)
			q->code = 0;
}

size_t discover_pending(const struct discover *d)
{
	return HASH_COUNT(d->questions);
}

enum process_state discover_verdict(const struct discover *d, __u32 pid)
{
	const struct ruling *v = rulings_find(d->rulings, pid);

	return v ? v->state : 0;
}

static int ask(struct discover *d, const struct question *about, struct worker_request *request)
{
	struct question *q = malloc(sizeof(*q));
	int err;

	if (!q)
		return -ENOMEM;
	*q = *about;
	q->tag = request->tag = ++d->last_tag;
	err = worker_send(d->worker, request);
	if (err) {
		free(q);
		return err;
	}
	HASH_ADD(hh, d->questions, tag, sizeof(q->tag), q);
	if (!q->hh.tbl) { /* its answer will find no question and be dropped */
		free(q);
		return -ENOMEM;
	}
	return 0;
}

/* /proc counts a start time in ticks of USER_HZ, rounded down. */
static __u64 start_ticks(__u64 start_time)
{
	return start_time / (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
}

int discover_process(struct discover *d, const struct event_process *p)
{
	struct question q = { .process = *p };
	struct worker_request request = {
		.type = WORKER_IDENTIFY,
		.pid = p->pid,
		.start_ticks = start_ticks(p->start_time),
	};

	return ask(d, &q, &request);
}

/* A page was not in memory, or the line table is large: the worker can wait for it. */
static void ask_for_code(struct discover *d, const struct event_code *e)
{
	unsigned int missing = codes_incomplete(e);
	struct question q = {
		.code = e->code,
		.process_id = e->process,
		.fingerprint = e->fingerprint,
		.table = e->table.address,
		.first_line = e->first_line,
	};
	struct worker_request request = { .type = WORKER_CAPTURE, .pid = e->pid, .address = e->address };
	const struct registry_entry *r = registry_find(d->registry, e->process);

	if (!missing || !r || r->layout < 0 || kernel_get_layout(d->kernel, r->layout, &request.layout))
		return;
	request.start_ticks = start_ticks(r->start_time);
	if (missing == CODES_TABLE && e->table.flags == PART_CUT) {
		request.type = WORKER_TABLE;
		request.address = e->table.address;
	}
	ask(d, &q, &request);
}

static void on_code(struct discover *d, const struct event_code *e, size_t size)
{
	int err = codes_add(d->codes, e, size);

	if (err)
		log_debug("a code object of pid %u was not kept: %s", e->pid, strerror(-err));
	else
		ask_for_code(d, e);
}

static void on_fork(struct discover *d, const struct event_fork *e)
{
	const struct registry_entry *parent = registry_find(d->registry, e->parent_id);
	struct registry_entry child;
	struct ruling *v;

	if (!parent)
		return;
	child = *parent;
	child.id = e->id;
	child.pid = e->pid;
	child.start_time = e->start_time;
	child.ended = false;
	memcpy(child.comm, e->comm, sizeof(child.comm));
	kernel_hold_process_id(d->kernel, e->id, true);
	if (registry_add(d->registry, &child))
		log_debug("out of memory: pid %u has no name", e->pid);
	v = rulings_get(d->rulings, e->pid, e->start_time, e->exec_id);
	if (v)
		v->state = child.layout >= 0 ? PROCESS_PYTHON : PROCESS_NO_LAYOUT;
}

int discover_event(void *discover, void *record, size_t size)
{
	struct discover *d = discover;
	const __u32 *type = record;

	if (size < sizeof(*type))
		return 0;
	if (*type == EVENT_PROCESS && size >= sizeof(struct event_process)) {
		discover_process(d, record);
	} else if (*type == EVENT_CODE) {
		on_code(d, record, size);
	} else if (*type == EVENT_FORK && size >= sizeof(struct event_fork)) {
		on_fork(d, record);
	} else if (*type == EVENT_EXIT && size >= sizeof(struct event_exit)) {
		registry_end(d->registry, ((struct event_exit *)record)->id);
		rulings_forget(d->rulings, ((struct event_exit *)record)->pid);
	}
	return 0;
}

/* A warning for the first process it is true of. */
static void say_once(struct discover *d, __u32 pid, const char *text)
{
	size_t n = strlen(text);
	struct said *s;

	HASH_FIND(hh, d->said, text, n, s);
	if (s)
		return;
	log_warning("no Python frames for pid %u, %s", pid, text);
	s = malloc(sizeof(*s) + n + 1);
	if (!s)
		return;
	memcpy(s->text, text, n + 1);
	HASH_ADD(hh, d->said, text, n, s);
	if (!s->hh.tbl)
		free(s);
}

static void say_refused(struct discover *d, __u32 pid, const struct identity *i)
{
	char text[IDENTITY_PATH_SIZE + 256];

	snprintf(text, sizeof(text), "%s (%s): %s", i->path, *i->version ? i->version : "unknown version", i->reason);
	say_once(d, pid, text);
}

static struct registry_container container_of_reply(const struct worker_reply *r)
{
	const struct container *c = &r->container;

	return (struct registry_container){ c->cgroup.container_id, c->names.container, c->names.pod,
					    c->names.namespace, c->cgroup.pod_uid };
}

static int register_python(struct discover *d, const struct event_process *p, const struct worker_reply *r,
			   struct process *process)
{
	const struct identity *i = &r->identity;
	struct registry_entry e = {
		.id = process->id,
		.pid = p->pid,
		.start_time = p->start_time,
		.binary = i->path,
		.build_id = i->build_id,
		.container = container_of_reply(r),
		.layout = -1,
	};

	memcpy(e.comm, p->comm, sizeof(e.comm));
	process->state = PROCESS_NO_LAYOUT;
	if (i->verdict == VERDICT_NO_LAYOUT) {
		say_refused(d, p->pid, i);
	} else {
		e.layout = kernel_add_layout(d->kernel, &i->layout);
		if (e.layout >= 0) {
			process->state = PROCESS_PYTHON;
			process->layout = e.layout;
			process->runtime = i->runtime;
			process->check_after = 0;
		}
	}
	log_debug("pid %u (%.16s) is CPython %s, %s%s%s", p->pid, p->comm, i->version, i->path, *i->reason ? ": " : "",
		  i->reason);
	kernel_hold_process_id(d->kernel, e.id, true);
	kubelet_meet(d->kubelet, e.container.pod_uid);
	return registry_add(d->registry, &e);
}

/* What the kernel side is to know of a process, and the registry. */
static int decide(struct discover *d, const struct event_process *p, const struct worker_reply *r, struct ruling *v,
		  struct process *process)
{
	const struct identity *i = &r->identity;

	if (!selection_takes(d->selection, p->comm, &r->container)) {
		process->state = PROCESS_EXCLUDED;
		process->check_after = 0;
		return 0;
	}
	if (i->verdict == VERDICT_NOT_PYTHON) {
		if (*i->reason)
			log_debug("pid %u (%.16s) is not Python as far as can be seen: %s", p->pid, p->comm, i->reason);
		return 0;
	}
	if (ruling_waits_for_proof(v, i)) {
		process->state = PROCESS_WANTED;
		process->check_after = ruling_check_unproved(v);
		return 0;
	}
	if (i->verdict == VERDICT_UNPROVED)
		log_debug("pid %u has no Python frames: the layout of %s is used without a proof", p->pid, i->version);
	if (i->verdict == VERDICT_NO_LAYOUT) {
		process->check_after = ruling_check_refused(v);
		if (v->state == PROCESS_NO_LAYOUT)
			process->id = v->id;
	}
	return register_python(d, p, r, process);
}

/*
 * One that has begun to exit is over: the kernel side may have seen that already. As long as a thread has not, it will
 * see it.
 */
static bool is_alive(__u32 pid)
{
	pid_t tid;

	return procfs_memory_tid(pid, &tid) != -ESRCH;
}

static void say_full(struct discover *d)
{
	if (!d->full)
		log_warning("more processes than the table of them has room for: those met from now on are not profiled "
			    "(--stats: processes_full)");
	d->full = true;
}

static bool is_forbidden(int err)
{
	return err == -EPERM || err == -EACCES;
}

/* A worker that times out or dies over a process: that says nothing about it. */
static void say_unknown(struct discover *d, __u32 pid, int err)
{
	char text[128];

	snprintf(text, sizeof(text), "nor perhaps for others: it could not be looked at (%s); asked again later",
		 strerror(-err));
	say_once(d, pid, text);
}

static void on_identity(struct discover *d, const struct event_process *p, const struct worker_reply *r)
{
	struct process process = {
		.start_time = p->start_time,
		.exec_id = p->exec_id,
		.id = kernel_new_process_id(d->kernel),
		.state = PROCESS_NOT_PYTHON,
		.check_after = ruling_check_again(p->start_time),
	};
	int err = r->error;
	struct ruling *v = err == -ESRCH ? NULL : rulings_get(d->rulings, p->pid, p->start_time, p->exec_id);

	if (!v)
		return;
	if (is_forbidden(err)) {
		say_once(d, p->pid, "nor for others: looking at them is refused; run as root, or add CAP_SYS_PTRACE");
	} else if (err && err != -ENOMEM) {
		say_unknown(d, p->pid, err);
		process.state = PROCESS_WANTED;
		process.check_after = ruling_check_refused(v);
	}
	if (!err)
		err = decide(d, p, r, v, &process);
	if (err == -ENOMEM)
		return;
	v->id = process.id;
	v->state = is_forbidden(err) ? PROCESS_WANTED : process.state == PROCESS_WANTED ? 0 : process.state;
	err = kernel_set_process(d->kernel, p->pid, &process);
	if (err == -E2BIG)
		say_full(d);
	else if (err)
		log_debug("pid %u is not profiled: %s", p->pid, strerror(-err));
	/* It may have ended since, and its end been seen before this entry was there to be removed. */
	if (is_alive(p->pid))
		return;
	kernel_remove_process(d->kernel, p->pid);
	registry_end(d->registry, process.id);
	rulings_forget(d->rulings, p->pid);
}

/* The object may have been freed and its memory used again since the kernel side saw its header. */
static bool is_same_code(const struct question *q, const struct event_code *e)
{
	if (q->fingerprint == FINGERPRINT_UNREAD)
		return true;
	return e->table.address == q->table && e->first_line == q->first_line;
}

static void on_capture(struct discover *d, const struct question *q, struct worker_reply *r)
{
	struct event_code *e = &r->code;

	if (r->error || !q->code || !is_same_code(q, e))
		return;
	e->code = q->code;
	e->process = q->process_id;
	e->fingerprint = q->fingerprint;
	codes_add(d->codes, e, capture_remote_size(e));
	if (codes_incomplete(e) == CODES_TABLE && e->table.flags == PART_CUT)
		ask_for_code(d, e);
}

static void ask_for_container(struct discover *d, const struct registry_entry *e)
{
	struct question q = { .process_id = e->id };
	struct worker_request request = {
		.type = WORKER_CONTAINER,
		.pid = e->pid,
		.start_ticks = start_ticks(e->start_time),
	};

	ask(d, &q, &request);
}

void discover_containers(struct discover *d)
{
	const struct registry_entry *e = registry_after(d->registry, d->container_asked);
	__u32 first = e ? e->id : 0;

	/* When there is more to do, that comes first. */
	for (int i = 0; e && i < CONTAINERS_SEEN && discover_pending(d) < CONTAINERS_ASKED; i++) {
		if (!e->ended)
			ask_for_container(d, e);
		d->container_asked = e->id;
		e = registry_after(d->registry, e->id);
		if (e->id == first)
			return;
	}
}

/* Names that have become unknown, since the pod is being deleted, stay as they were. */
static void on_container(struct discover *d, const struct question *q, const struct worker_reply *r)
{
	const struct registry_entry *e = registry_find(d->registry, q->process_id);
	struct registry_entry changed;

	if (!e || e->ended || r->error)
		return;
	if (!strcmp(r->container.cgroup.container_id, e->container.id) && !*r->container.names.pod)
		return;
	changed = *e;
	changed.container = container_of_reply(r);
	kubelet_meet(d->kubelet, changed.container.pod_uid);
	if (registry_add(d->registry, &changed))
		log_debug("out of memory: pid %u keeps the container that it had", e->pid);
}

static void on_reply(struct discover *d, struct worker_reply *r)
{
	struct question *q;

	HASH_FIND(hh, d->questions, &r->tag, sizeof(r->tag), q);
	if (!q)
		return;
	HASH_DEL(d->questions, q);
	if (r->type == WORKER_IDENTIFY)
		on_identity(d, &q->process, r);
	else if (r->type == WORKER_CONTAINER)
		on_container(d, q, r);
	else if (r->type == WORKER_CAPTURE)
		on_capture(d, q, r);
	else if (!r->error && q->code)
		codes_set_table(d->codes, q->code, r->table, r->table_size);
	free(q);
}

void discover_replies(struct discover *d)
{
	struct worker_reply r = {};

	while (!worker_receive(d->worker, &r)) {
		on_reply(d, &r);
		free(r.table);
	}
}

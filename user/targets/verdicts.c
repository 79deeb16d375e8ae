// SPDX-License-Identifier: GPL-2.0-only
#include "targets/verdicts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/privileges.h"
#include "guard/worker.h"
#include "kern/process_table.h"
#include "kern/task_layouts.h"
#include "kubelet/kubelet.h"
#include "proc/procfs.h"
#include "targets/containers.h"
#include "targets/questions.h"
#include "targets/registry.h"
#include "targets/retry.h"
#include "targets/rulings.h"
#include "targets/selection.h"
#include "targets/unlooked.h"
#include "targets/verdicts_inside.h"

#define ROOM_PAUSE_NS NS_PER_SECOND

int verdicts_new(struct verdicts **ret, struct kernel *kernel, struct registry *registry,
		 const struct selection *selection, bool programs, struct kubelet *kubelet,
		 struct questions *questions)
{
	struct verdicts *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	if (rulings_new(&v->rulings)) {
		free(v);
		return -ENOMEM;
	}
	v->kernel = v->known.kernel = kernel;
	v->expected.verdicts = v;
	v->registry = registry;
	v->selection = selection;
	v->programs = programs;
	v->kubelet = kubelet;
	v->questions = questions;
	*ret = v;
	return 0;
}

void verdicts_free(struct verdicts *v)
{
	if (!v)
		return;
	no_frames_end(&v->no_frames);
	known_free(&v->known);
	rulings_free(v->rulings);
	free(v);
}

struct no_frames *verdicts_no_frames(struct verdicts *v)
{
	return &v->no_frames;
}

enum process_state verdicts_find(const struct verdicts *v, __u32 pid)
{
	const struct ruling *ruling = rulings_find(v->rulings, pid);

	return ruling ? ruling->state : 0;
}

const char *verdicts_why_no_python(const struct verdicts *v, __u32 pid)
{
	return v->no_python == pid ? v->why : "it was not looked at";
}

/* --- the verdict on what the worker saw --------------------------------------------------------------- */

/* Puts a CPython process into the registry; process gets the state and the layout. 0 or -ENOMEM. */
static int register_python(struct verdicts *v, const struct record_process *p, const struct worker_reply *r,
			   struct process *process)
{
	const struct identity *i = &r->identity;
	struct registry_entry e = {
		.id = process->id,
		.pid = p->pid,
		.start_time = p->start_time,
		.user = p->user,
		.binary = i->path,
		.build_id = i->build_id,
		.layout = -1,
	};

	containers_fill(&r->container, &e);
	memcpy(e.comm, p->comm, sizeof(e.comm));
	process->state = PROCESS_NO_LAYOUT;
	if (i->verdict == VERDICT_NO_LAYOUT) {
		no_frames_refused(&v->no_frames, p->pid, i);
	} else {
		e.layout = kernel_add_layout(v->kernel, &i->layout, process->user);
		if (e.layout >= 0) {
			process->state = PROCESS_PYTHON;
			process->layout = e.layout;
			process->runtime = i->runtime;
			process->tasks =
				task_layouts_add(kernel_task_layouts(v->kernel), &i->tasks, process->user);
			process->check_after = 0;
			if (selection_takes_all(v->selection))
				known_learn(&v->known, &p->file, i, e.layout);
			if (kernel_sees_gil(v->kernel))
				no_frames_no_gil(&v->no_frames, p->pid, i);
		} else {
			no_frames_no_layout(&v->no_frames, p->pid);
		}
	}
	log_debug("pid %u (%.16s) is CPython %s, %s%s%s", p->pid, p->comm, i->version, i->path,
		  *i->reason ? ": " : "", i->reason);
	kernel_hold_process_id(v->kernel, e.id, true);
	kubelet_meet(v->kubelet, e.label[LABEL_pod_uid]);
	registry_meet_quota(v->registry, p->pid, &r->container.quota);
	return registry_add(v->registry, &e);
}

/*
 * Puts a program without Python into the registry, if those are profiled; process gets the state. Such a
 * program is looked at again and again, in case that it loads a Python: it stays the one that it was, with
 * what the kernel side knows of its code. 0 or -ENOMEM.
 */
static int register_program(struct verdicts *v, const struct record_process *p, const struct worker_reply *r,
			    const struct ruling *ruling, struct process *process)
{
	struct registry_entry e = {
		.pid = p->pid,
		.start_time = p->start_time,
		.user = p->user,
		.binary = "",
		.build_id = "",
		.layout = -1,
	};
	struct process known;

	if (!v->programs)
		return 0;
	if (ruling->state == PROCESS_PROGRAM)
		process->id = ruling->id;
	if (!kernel_get_process(v->kernel, p->pid, &known) && known.id == process->id &&
	    known.start_time == p->start_time && known.exec_id == p->exec_id) {
		process->unsettled = known.unsettled;
		process->space = known.space;
	}
	process->state = PROCESS_PROGRAM;
	e.id = process->id;
	containers_fill(&r->container, &e);
	memcpy(e.comm, p->comm, sizeof(e.comm));
	kernel_hold_process_id(v->kernel, e.id, true);
	kubelet_meet(v->kubelet, e.label[LABEL_pod_uid]);
	registry_meet_quota(v->registry, p->pid, &r->container.quota);
	return registry_add(v->registry, &e);
}

/* What the kernel side is to know of a process, and the registry. 0 or -ENOMEM. */
static int decide(struct verdicts *v, const struct record_process *p, const struct worker_reply *r,
		  struct ruling *ruling, struct process *process)
{
	const struct identity *i = &r->identity;
	const bool first = !ruling->unproved_since;

	if (!selection_takes(v->selection, p->comm, &r->container)) {
		process->state = PROCESS_EXCLUDED;
		process->check_after = 0;
		return 0;
	}
	if (i->verdict == VERDICT_NOT_PYTHON) {
		log_debug("pid %u (%.16s) is not Python: %s", p->pid, p->comm, i->reason);
		v->no_python = p->pid;
		memcpy(v->why, i->reason, sizeof(v->why));
		return register_program(v, p, r, ruling, process);
	}
	if (ruling->state == PROCESS_PROGRAM) /* it has become a Python */
		registry_end(v->registry, ruling->id);
	if (!known_holds(&v->known, p, i) && retry_waits_for_proof(ruling, i)) {
		if (first)
			expected_add(&v->expected, p);
		expected_again(&v->expected, p);
		process->state = PROCESS_WANTED;
		process->check_after = retry_unproved(ruling);
		return 0;
	}
	if (i->verdict == VERDICT_UNPROVED && ruling->state != PROCESS_PYTHON)
		log_debug("pid %u has no Python frames: the layout of %s is used without a proof", p->pid,
			  i->version);
	if (i->verdict == VERDICT_NO_LAYOUT) {
		process->check_after = retry_refused(ruling);
		if (ruling->state == PROCESS_NO_LAYOUT)
			process->id = ruling->id;
	}
	return register_python(v, p, r, process);
}

/* What was read of it until now has its names; from here on it is another one. */
static void end_of_reading(struct verdicts *v, const struct record_process *p)
{
	struct process known;

	if (!kernel_get_process(v->kernel, p->pid, &known) && known.start_time == p->start_time &&
	    known.exec_id == p->exec_id)
		registry_end(v->registry, known.id);
}

/* Judges a reply, which may say nothing but why the process could not be looked at. 0 or -errno. */
static int judge(struct verdicts *v, const struct record_process *p, const struct worker_reply *r,
		 struct ruling *ruling, struct process *process)
{
	if (!r->error || !selection_may_take(v->selection, p->comm))
		return decide(v, p, r, ruling, process);
	if (privileges_lacked(r->error)) {
		no_frames_forbidden(&v->no_frames, p->pid, p->comm);
		end_of_reading(v, p);
		process->state = PROCESS_FORBIDDEN;
	} else if (r->error == -EAGAIN) {
		process->state = PROCESS_WANTED;
		process->check_after = retry_rest();
	} else if (r->error != -ENOMEM) {
		no_frames_unknown(&v->no_frames, p->pid, r->error);
		process->state = PROCESS_WANTED;
		process->check_after = retry_refused(ruling);
	}
	return r->error;
}

static enum process_state state_to_tell(int err, enum process_state state)
{
	if (privileges_lacked(err))
		return PROCESS_WANTED;
	return state == PROCESS_WANTED ? 0 : state;
}

/*
 * One that has begun to exit is over: the kernel side may have seen that already. As long as a thread has
 * not, it will see it.
 */
static bool is_alive(__u32 pid)
{
	pid_t tid;

	return procfs_memory_tid(pid, &tid) != -ESRCH;
}

/*
 * There is no entry, and there will be no record of its end. The kernel side goes on to ask, as often as it
 * may, while the process runs: thousands of them would have the worker look at nothing else.
 */
static void on_full(struct verdicts *v, __u32 pid, __u32 id)
{
	struct ruling *ruling = rulings_find(v->rulings, pid);

	no_frames_full(&v->no_frames);
	registry_end(v->registry, id);
	if (ruling)
		ruling->no_room_until = clock_ns() + ROOM_PAUSE_NS;
}

static void tell_kernel(struct verdicts *v, __u32 pid, const struct process *process)
{
	int err = kernel_set_process(v->kernel, pid, process);

	if (err == -E2BIG) {
		on_full(v, pid, process->id);
		return;
	}
	if (err)
		log_debug("pid %u is not profiled: %s", pid, strerror(-err));
	/*
	 * The process may have ended since, and its end been seen before this entry was there to be removed.
	 */
	if (is_alive(pid))
		return;
	kernel_remove_process(v->kernel, pid);
	registry_end(v->registry, process->id);
	rulings_forget(v->rulings, pid);
}

/*
 * Whether the kernel side knows the process as a Python already: it is the child of one, whose names are
 * missing because its record was lost, or was asked about twice. It keeps its number, under which there are
 * samples, and the context variables that were found in it since.
 */
static bool is_child(const struct verdicts *v, const struct record_process *p, struct process *ret)
{
	struct process known;

	if (kernel_get_process(v->kernel, p->pid, &known) || known.start_time != p->start_time ||
	    known.exec_id != p->exec_id ||
	    (known.state != PROCESS_PYTHON && known.state != PROCESS_NO_LAYOUT))
		return false;
	ret->id = known.id;
	ret->contexts = known.contexts;
	return true;
}

bool verdicts_again(struct verdicts *v, const struct record_process *p)
{
	const struct ruling *ruling = rulings_find(v->rulings, p->pid);
	struct process process = {
		.start_time = p->start_time,
		.exec_id = p->exec_id,
		.user = p->user,
		.state = PROCESS_NOT_PYTHON,
	};

	if (!ruling || ruling->start_time != p->start_time || ruling->exec_id != p->exec_id)
		return false;
	if (clock_ns() < ruling->no_room_until)
		return true;
	if (ruling->state != PROCESS_NOT_PYTHON || clock_ns() >= ruling->check_after)
		return false;
	process.id = ruling->id;
	process.check_after = ruling->check_after;
	tell_kernel(v, p->pid, &process);
	return true;
}

/* Whether it has begun another program since it was asked about: the answer may be of either. */
static bool is_over(const struct verdicts *v, const struct record_process *p)
{
	struct process known;

	return !kernel_get_process(v->kernel, p->pid, &known) && known.start_time == p->start_time &&
	       known.exec_id > p->exec_id;
}

/* Whether a libpython, without which its program cannot begin, has not been mapped yet, or not read. */
static bool is_coming(struct verdicts *v, const struct record_process *p, const struct worker_reply *r)
{
	struct process known;

	if (r->error ? r->error != -EAGAIN : r->identity.verdict != VERDICT_NOT_PYTHON)
		return false;
	return !kernel_get_process(v->kernel, p->pid, &known) && known.state == PROCESS_PYTHON &&
	       !known.runtime && expected_again(&v->expected, p);
}

void verdicts_reply(struct verdicts *v, const struct record_process *p, const struct worker_reply *r)
{
	struct process process = {
		.start_time = p->start_time,
		.exec_id = p->exec_id,
		.user = p->user,
		.id = kernel_new_process_id(v->kernel),
		.state = PROCESS_NOT_PYTHON,
		.known = clock_boot_ns(),
	};
	bool child = is_child(v, p, &process);
	struct ruling *ruling;
	int err;

	/* That one could not be looked at is no loss if its name says that it is not profiled. */
	unlooked_answered(registry_unlooked(v->registry), p->pid,
			  selection_may_take(v->selection, p->comm) ? r->error : 0,
			  clock_ns());
	if (r->error == -ESRCH || is_over(v, p) || is_coming(v, p, r) || (r->error && child))
		return;
	ruling = rulings_get(v->rulings, p->pid, p->start_time, p->exec_id);
	if (!ruling)
		return;
	process.check_after = retry_no_python(ruling, p->start_time);
	err = judge(v, p, r, ruling, &process);
	if (err == -ENOMEM)
		return;
	ruling->id = process.id;
	ruling->state = state_to_tell(err, process.state);
	ruling->check_after = process.check_after;
	if (process.state != PROCESS_WANTED)
		expected_forget(&v->expected, p->pid);
	tell_kernel(v, p->pid, &process);
}

static void on_identity(void *verdicts, const void *process, struct worker_reply *r)
{
	verdicts_reply(verdicts, process, r);
}

static int ask(struct verdicts *v, const struct record_process *p, bool patient)
{
	const struct question q = { on_identity, v, p, sizeof(*p), false };
	struct worker_request request = question_request(WORKER_IDENTIFY, p->pid, p->start_time);
	const struct ruling *ruling = rulings_find(v->rulings, p->pid);

	request.identity.program = p->file.inode ? hash_bytes(&p->file, sizeof(p->file)) : 0;
	request.identity.patient = patient;
	request.identity.tasks = task_layouts_are_wanted(kernel_task_layouts(v->kernel));
	if (!ruling || !ruling->state || ruling->start_time != p->start_time || ruling->exec_id != p->exec_id)
		unlooked_asked(registry_unlooked(v->registry), p->pid, p->user, clock_ns());
	return questions_ask(v->questions, &q, &request);
}

int verdicts_ask(struct verdicts *v, const struct record_process *p)
{
	return ask(v, p, false);
}

int verdicts_ask_patiently(struct verdicts *v, const struct record_process *p)
{
	return ask(v, p, true);
}

void verdicts_met(struct verdicts *v, const struct record_process *p)
{
	if (!verdicts_again(v, p))
		verdicts_ask(v, p);
}

// SPDX-License-Identifier: GPL-2.0-only
/* verdicts_later.c - what happens to a process on which there is a verdict: it forks, execs, ends. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "kern/accounts.h"
#include "kern/banks.h"
#include "kern/process_table.h"
#include "kern/processes.h"
#include "targets/registry.h"
#include "targets/rulings.h"
#include "targets/unlooked.h"
#include "targets/verdicts.h"
#include "targets/verdicts_inside.h"

void verdicts_fork(struct verdicts *v, const struct record_fork *e)
{
	const struct registry_entry *parent = registry_find(v->registry, e->parent_id);
	struct registry_entry child;
	struct ruling *ruling;

	if (!parent)
		return;
	child = *parent;
	child.id = e->id;
	child.pid = e->pid;
	child.start_time = e->start_time;
	child.loads_from = parent->loads_from ?: parent->start_time;
	child.ended = false;
	for (int i = 0; i < LABEL_COUNT; i++)
		if (label_rows[i].origin == ORIGIN_PUBLISHED)
			child.label[i] = ""; /* it has to say that itself */
	child.published = (struct otel_place){};
	memcpy(child.comm, e->comm, sizeof(child.comm));
	kernel_hold_process_id(v->kernel, e->id, true);
	if (registry_add(v->registry, &child))
		log_debug("out of memory: pid %u has no name", e->pid);
	ruling = rulings_get(v->rulings, e->pid, e->start_time, e->exec_id);
	if (ruling)
		ruling->state = child.layout >= 0 ? PROCESS_PYTHON : PROCESS_NO_LAYOUT;
}

void verdicts_known(struct verdicts *v, const struct record_known *e)
{
	const struct record_process *p = &e->process;
	struct ruling *ruling = rulings_get(v->rulings, p->pid, p->start_time, p->exec_id);
	bool elsewhere = false;
	int err = known_register(&v->known, v->registry, e, &elsewhere);

	if (err == -ENOMEM)
		log_debug("out of memory: pid %u has no name", p->pid);
	if (ruling) {
		ruling->state = PROCESS_PYTHON;
		ruling->id = e->id;
	}
	kernel_hold_process_id(v->kernel, e->id, !err);
	accounts_meet(v->kernel);
	if (elsewhere)
		expected_add(&v->expected, p);
	verdicts_ask(v, p);
}

void verdicts_ended(struct verdicts *v, __u32 pid, __u32 id)
{
	const struct ruling *ruling = rulings_find(v->rulings, pid);

	registry_end(v->registry, id);
	if (ruling && ruling->id == id)
		rulings_forget(v->rulings, pid);
}

void verdicts_keep(struct verdicts *v, bool (*lives)(void *context, const struct ruling *ruling),
		   void *context)
{
	rulings_keep(v->rulings, lives, context);
}

size_t verdicts_count(const struct verdicts *v)
{
	return rulings_count(v->rulings);
}

void verdicts_exit(struct verdicts *v, const struct record_exit *e)
{
	registry_end(v->registry, e->id);
	unlooked_ended(registry_unlooked(v->registry), e->pid, clock_ns());
	expected_forget(&v->expected, e->pid);
	rulings_forget(v->rulings, e->pid);
}

static bool nobody(void *context, const struct ruling *ruling)
{
	(void)context;
	(void)ruling;
	return false;
}

static int forget_processes(struct verdicts *v)
{
	_cleanup_(processes_list_clear) struct process_list list = {};
	int err = kernel_processes(v->kernel, &list);

	for (size_t i = 0; i < list.count; i++) {
		kernel_remove_process(v->kernel, list.pids[i]);
		registry_end(v->registry, list.processes[i].id);
		expected_forget(&v->expected, list.pids[i]);
	}
	return err;
}

/* A fork under way may have read its parent's entry, of which it then makes one for the child. */
int verdicts_anew(struct verdicts *v)
{
	int err;

	known_forget(&v->known);
	err = forget_processes(v) ?: kernel_wait(v->kernel) ?: forget_processes(v);
	rulings_keep(v->rulings, nobody, NULL);
	return err;
}

int verdicts_watch(struct verdicts *v, struct loop *loop)
{
	return expected_watch(&v->expected, loop);
}

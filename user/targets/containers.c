// SPDX-License-Identifier: GPL-2.0-only
#include "targets/containers.h"

#include <string.h>

#include "base/log.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kubelet/kubelet.h"
#include "targets/questions.h"

#define PENDING_MAX 16	/* nothing is asked when so many questions are open */
#define VISITED_MAX 512 /* processes of the registry visited by a call: most of them may have ended */

void containers_fill(const struct container *c, struct registry_entry *e)
{
	e->label[LABEL_container_id] = c->cgroup.container_id;
	e->label[LABEL_container] = c->names.container;
	e->label[LABEL_pod] = c->names.pod;
	e->label[LABEL_namespace] = c->names.namespace;
	e->label[LABEL_pod_uid] = c->cgroup.pod_uid;
}

static void on_container(void *containers, const void *note, struct worker_reply *r)
{
	const __u32 *process = note;

	containers_reply(containers, *process, r);
}

static void ask_container(struct containers *c, const struct registry_entry *e)
{
	const struct question q = { on_container, c, &e->id, sizeof(e->id), false };
	struct worker_request request = question_request(WORKER_CONTAINER, e->pid, e->start_time);

	questions_ask(c->questions, &q, &request);
}

void containers_ask(struct containers *c)
{
	const struct registry_entry *e = registry_after(c->registry, c->last_asked);
	__u32 first = e ? e->id : 0;

	for (int i = 0; e && i < VISITED_MAX && questions_pending(c->questions) < PENDING_MAX; i++) {
		if (!e->ended)
			ask_container(c, e);
		c->last_asked = e->id;
		e = registry_after(c->registry, e->id);
		if (e->id == first)
			return;
	}
}

static void containers_on_turn(void *containers, unsigned int ready)
{
	if (ready & LOOP_SECOND)
		containers_ask(containers);
}

int containers_watch(struct containers *c, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, NULL, containers_on_turn, c });
}

void containers_reply(const struct containers *c, __u32 process, const struct worker_reply *r)
{
	const struct registry_entry *e = registry_find(c->registry, process);
	struct registry_entry changed;

	if (!e || e->ended || r->error)
		return;
	registry_meet_quota(c->registry, e->pid, &r->container.quota);
	/* Names that have become unknown, since the pod is being deleted, stay as they were. */
	if (!strcmp(r->container.cgroup.container_id, e->label[LABEL_container_id]) &&
	    !*r->container.names.pod)
		return;
	changed = *e;
	containers_fill(&r->container, &changed);
	kubelet_meet(c->kubelet, changed.label[LABEL_pod_uid]);
	if (registry_add(c->registry, &changed))
		log_debug("out of memory: pid %u keeps the container that it had", e->pid);
}

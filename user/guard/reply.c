// SPDX-License-Identifier: GPL-2.0-only
#include "guard/reply.h"

#include <string.h>

#define HEAD_SIZE offsetof(struct worker_reply, container)
#define SIZE_TO(member) (offsetof(struct worker_reply, member) + sizeof(((struct worker_reply *)0)->member))

size_t reply_size(enum answer_kind answer)
{
	static const size_t sizes[] = {
		[ANSWER_IDENTITY] = SIZE_TO(identity),
		[ANSWER_CONTAINER] = SIZE_TO(container),
		[ANSWER_CODE] = SIZE_TO(code),
		[ANSWER_TABLE] = HEAD_SIZE,
	};

	return sizes[answer];
}

__u64 worker_reply_cost(const struct worker_reply *reply, __u64 took_ns)
{
	return reply->cpu_ns && reply->cpu_ns < took_ns ? reply->cpu_ns : took_ns;
}

static bool terminated(const char *text, size_t size)
{
	return memchr(text, '\0', size);
}

static bool is_sane_container(const struct container *c)
{
	const struct cgroup *cgroup = &c->cgroup;
	const struct pod_names *names = &c->names;

	return terminated(c->quota.path, sizeof(c->quota.path)) &&
	       terminated(cgroup->container_id, sizeof(cgroup->container_id)) &&
	       terminated(cgroup->pod_uid, sizeof(cgroup->pod_uid)) &&
	       terminated(cgroup->path, sizeof(cgroup->path)) &&
	       terminated(names->namespace, sizeof(names->namespace)) &&
	       terminated(names->pod, sizeof(names->pod)) &&
	       terminated(names->container, sizeof(names->container));
}

static bool is_sane_identity(const struct identity *i)
{
	return i->verdict >= VERDICT_NOT_PYTHON && i->verdict <= VERDICT_UNPROVED &&
	       terminated(i->version, sizeof(i->version)) && terminated(i->build_id, sizeof(i->build_id)) &&
	       terminated(i->reason, sizeof(i->reason)) && terminated(i->path, sizeof(i->path));
}

bool reply_is_sane(const struct worker_reply *reply, const struct worker_request *request)
{
	if (reply->type != request->type || reply->pid != request->pid || reply->tag != request->tag ||
	    reply->error > 0)
		return false;
	if (reply->error)
		return true;
	switch (request_row(request->type)->answer) {
	case ANSWER_IDENTITY:
		return is_sane_identity(&reply->identity) && is_sane_container(&reply->container);
	case ANSWER_CONTAINER:
		return is_sane_container(&reply->container);
	case ANSWER_CODE: /* whoever takes it looks at its sizes */
	case ANSWER_TABLE:
		break;
	}
	return true;
}

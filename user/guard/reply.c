// SPDX-License-Identifier: GPL-2.0-only
#include "guard/reply.h"

#include <string.h>

#include "elf/functions.h"
#include "elf/rows.h"
#include "elf/source.h"
#include "proc/perf_map.h"
#include "python/async_tasks.h"
#include "python/look.h"
#include "python/sleepers.h"
#include "python/task_waits.h"

size_t reply_table_max(__u32 type)
{
	switch (type) {
	case WORKER_TABLE:
		return LINETABLE_MAX;
	case WORKER_MAPS:
		return CODE_MAPS_BYTES_MAX;
	case WORKER_FUNCTIONS:
		return FUNCTIONS_BYTES_MAX;
	case WORKER_ROWS:
		return ROWS_BYTES_MAX;
	case WORKER_PERF_MAP:
		return sizeof(struct code_file) + PERF_MAP_BYTES_MAX;
	case WORKER_SOURCE:
		return SOURCE_BYTES_MAX;
	case WORKER_LOOK:
		return LOOK_BYTES_MAX;
	case WORKER_TASKS:
		return ASYNC_BYTES_MAX;
	case WORKER_SLEEPERS:
		return SLEEPERS_BYTES_MAX;
	case WORKER_TASK_WAITS:
		return TASK_WAITS_BYTES_MAX;
	}
	return 0;
}

static bool terminated(const char *text, size_t size)
{
	return memchr(text, '\0', size);
}

static bool is_sane_container(const struct container *c)
{
	const struct cgroup *cgroup = &c->cgroup;
	const struct pod_names *names = &c->names;

	return terminated(cgroup->container_id, sizeof(cgroup->container_id)) &&
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
	if (reply->error || (reply->type != WORKER_IDENTIFY && reply->type != WORKER_CONTAINER))
		return true;
	return is_sane_container(&reply->container) &&
	       (reply->type == WORKER_CONTAINER || is_sane_identity(&reply->identity));
}

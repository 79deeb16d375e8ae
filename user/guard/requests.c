// SPDX-License-Identifier: GPL-2.0-only
/* requests.c - the kinds of requests to the worker. */
#include "guard/requests.h"

#include "base/cleanup.h"
#include "elf/functions.h"
#include "elf/rows.h"
#include "guard/reading.h"
#include "proc/perf_map.h"
#include "python/capture_remote.h"
#include "remote/look.h"
#include "remote/task_waits.h"
#include "remote/tasks.h"
#include "remote/thread_names.h"

#define SIZE_ABOUT(about)                                                                                    \
	(offsetof(struct worker_request, about) + sizeof(((struct worker_request *)0)->about))

static const struct request_row rows[] = {
#define WORKER_REQUEST(name, about, read, answer, table_max)                                                 \
	[WORKER_##name] = { SIZE_ABOUT(about), ANSWER_##answer, table_max, read },
#include "guard/requests.def"
#undef WORKER_REQUEST
};

const struct request_row *request_row(__u32 type)
{
	return type < ARRAY_SIZE(rows) && rows[type].read ? &rows[type] : NULL;
}

size_t requests_table_max(void)
{
	size_t max = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].table_max > max)
			max = rows[i].table_max;
	return max;
}

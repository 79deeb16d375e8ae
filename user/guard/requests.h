/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * requests.h - what the worker can be asked: requests.def has a row for each kind. A request has only as many
 * bytes as its kind needs, in the queue and on its way to the child. So has the reply on its way back
 * (reply.h).
 */
#ifndef PYPERF_GUARD_REQUESTS_H
#define PYPERF_GUARD_REQUESTS_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "elf/source.h"
#include "proc/code_maps.h"
#include "proc/otel_context.h"
#include "proc/source_text.h"
#include "remote/context_look.h"
#include "remote/route_look.h"
#include "remote/sleepers.h"

struct reading;

enum worker_type {
	WORKER_NONE,
#define WORKER_REQUEST(name, about, read, answer, table_max) WORKER_##name,
#include "guard/requests.def"
#undef WORKER_REQUEST
	WORKER_TYPES
};

/* --- what a request is about, besides the process: plain data, it goes through a socket ----------------- */

struct request_process {
}; /* nothing else */

struct request_identity {
	__u64 program; /* which program it is, for its turn; 0 = not known */
	__u32 tasks;   /* whether asyncio's tasks are looked for, too */
	__u32 patient; /* who asks can wait for room in the queue, and takes nobody else's place */
	__u32 again;   /* who it is is known: this waits for its turn as a question about anything else */
	__u32 pad;
};

struct request_object {
	__u64 address; /* of a code object, or of a bytes object */
	struct layout layout;
};

struct request_mapped {
	__u64 address; /* at which the process has the file mapped */
	struct code_file file;
};

struct request_functions {
	struct request_mapped mapped;
	__u32 plain; /* without a separate debug file */
	__u32 pad;
};

struct request_source {
	struct request_mapped mapped;
	struct source_question source;
};

struct request_perf_map {
	struct code_file known; /* all 0 = none */
};

struct request_source_text {
	struct source_wanted wanted;
};

struct request_threads {
	__u64 runtime; /* address of the process's runtime, and */
	__u64 asyncio; /* ... identity.asyncio */
	struct layout layout;
};

struct request_contexts {
	__u64 runtime;
	struct layout layout;
	struct context_names names;
};

struct request_routes {
	struct layout layout;
	struct routes_question question;
};

struct request_published {
	struct otel_place known;
};

struct request_sleepers {
	__u64 runtime;
	struct layout layout;
	struct sleepers_question question;
};

/* Only the first request_row(type)->size bytes count. */
struct worker_request {
	__u32 type; /* enum worker_type */
	__u32 pid;
	__u64 tag;	   /* the caller's; it comes back in the reply */
	__u64 start_ticks; /* of the process, by procfs_start_ticks(); a later one with that pid is -ESRCH */
	union {
		struct request_process process;
		struct request_identity identity;
		struct request_object object;
		struct request_mapped mapped;
		struct request_functions functions;
		struct request_source source;
		struct request_perf_map perf_map;
		struct request_source_text source_text;
		struct request_threads threads;
		struct request_contexts contexts;
		struct request_routes routes;
		struct request_published published;
		struct request_sleepers sleepers;
	};
};

/* --- the rows ------------------------------------------------------------------------------------------- */

enum answer_kind { ANSWER_IDENTITY, ANSWER_CONTAINER, ANSWER_CODE, ANSWER_TABLE };

struct request_row {
	size_t size; /* bytes of a request: the head, and what it is about */
	enum answer_kind answer;
	size_t table_max;
	int (*read)(struct reading *r); /* the child's side (reading.h): 0 or -errno */
};

/* NULL for a number that is no kind. */
const struct request_row *request_row(__u32 type);

/* The largest table_max of all rows. */
size_t requests_table_max(void);

#endif

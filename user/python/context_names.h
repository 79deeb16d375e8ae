/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context_names.h - the names of context variables that --label-var asks for, whether --trace wants the
 * current span, and what is known of those variables in one process.
 */
#ifndef PYPERF_PYTHON_CONTEXT_NAMES_H
#define PYPERF_PYTHON_CONTEXT_NAMES_H

#include <stdbool.h>

#include "bpf/abi.h"

#define CONTEXT_NAME_SIZE 64 /* bytes of a name, NUL included */

/* Of a thread's published ids: numbers of libraries, and bytes from where their variables are. */
#define THREAD_CONTEXT_MODULES 65536
#define THREAD_CONTEXT_FAR     (1LL << 30)

/* Plain data: it travels between processes. */
struct context_names {
	char name[CONTEXT_LABELS][CONTEXT_NAME_SIZE];
	__u32 count;
	__u32 trace; /* and with --trace: what leads to OpenTelemetry's current span */
};

/*
 * Parses "NAME[,NAME...]". -EINVAL if one is empty, too long or there twice, or if they are too many. *ret is
 * then as it was.
 */
int context_names_parse(const char *text, struct context_names *ret);

/* The number of this name; CONTEXT_LABELS if it was not asked for. */
__u32 context_names_find(const struct context_names *names, const char *name);

/* Whether what the worker says of a process can be so. */
bool context_vars_are_sane(const struct context_vars *v, const struct context_names *names);

/* Adds what was found now to what is known. Whether that has changed. */
bool context_vars_merge(struct context_vars *known, const struct context_vars *found);

/* Whether each name has a variable, and with --trace the SDK's spans or published ids are known. */
bool context_vars_are_all(const struct context_vars *v, const struct context_names *names);

#endif

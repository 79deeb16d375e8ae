/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_look.h - with --trace otel: where a live process has the current span of OpenTelemetry's SDK, by the
 * SDK's own modules. It reads names of modules and of attributes, and addresses, but no span.
 */
#ifndef PYPERF_REMOTE_TRACE_LOOK_H
#define PYPERF_REMOTE_TRACE_LOOK_H

#include <sys/types.h>

#include "bpf/abi.h"

/*
 * Fills in v->trace, v->keys[TRACE_KEY] and the types that were met, as far as this interpreter has loaded
 * the SDK; else leaves them as they are. v->head and v->var_hash are known.
 */
void trace_look(pid_t memory, const struct layout *layout, __u64 interpreter, struct context_vars *v);

#endif

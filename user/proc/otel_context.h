/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otel_context.h - what a process publishes about itself for whoever looks from outside: OpenTelemetry's
 * process context (OTEP 4719). It is a mapping with a name of its own: a header, which says when it was
 * published and where a protobuf message with attributes is. The process may write anything there, and may
 * change it while it is read. The worker reads it.
 */
#ifndef PYPERF_PROC_OTEL_CONTEXT_H
#define PYPERF_PROC_OTEL_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#define OTEL_TEXT_SIZE	 256	   /* of a value, with its NUL; what is longer is cut */
#define OTEL_PAYLOAD_MAX (64 << 10) /* bytes of the message */

/* Where it was, and when it was published; all 0 = it is not known. */
struct otel_place {
	__u64 header;	    /* address */
	__u64 published_at; /* ns, by the process's CLOCK_BOOTTIME */
};

/* Plain data, which goes from the worker to whoever asked. "" = the process does not say it. */
struct otel_context {
	struct otel_place place;
	char service[OTEL_TEXT_SIZE];	  /* service.name */
	char instance[OTEL_TEXT_SIZE];	  /* service.instance.id */
	char environment[OTEL_TEXT_SIZE]; /* deployment.environment.name, or .environment as it was before */
	char threads[OTEL_TEXT_SIZE]; /* threadlocal.schema_version: how its threads publish (OTEP 4947) */
};

/*
 * Reads that of process pid, through its thread tid. began_ns: when the process started, since boot; what was
 * published before is its parent's, in memory that the fork has copied. 0; -EALREADY if it is as it was at
 * the place that is known; -ENOENT if it publishes nothing; -EAGAIN if it was changed all the time;
 * -EMSGSIZE for a message that is larger than OTEL_PAYLOAD_MAX; -EBADMSG for none; another -errno.
 */
int otel_context_read(pid_t pid, pid_t tid, __u64 began_ns, const struct otel_place *known,
		      struct otel_context *ret);

/* What a message says; what it does not say stays "". 0 or -EBADMSG. */
int otel_context_parse(const void *message, size_t size, struct otel_context *ret);

/* Whether this came from a worker that keeps to the sizes. */
bool otel_context_is_sane(const struct otel_context *c);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request.h - how a receiver wants a profile: Pyroscope's PusherService.Push takes pprof with labels, as the
 * Connect protocol has it (push/v1/push.proto there), and keeps all that is measured, with its lines. One
 * without that service has /ingest, which takes pprof as it is, with who and when in the query, and keeps the
 * ticks by names of functions. Parca's /api/profiles/writeraw takes it in JSON, with labels, or its
 * ProfileStoreService.WriteRaw as gRPC-Web over HTTP/1.1 (github.com/grpc/grpc, doc/PROTOCOL-WEB.md). A
 * collector of OpenTelemetry takes OTLP, which says itself whose and when it is.
 */
#ifndef PYPERF_EXPORT_PUSH_REQUEST_H
#define PYPERF_EXPORT_PUSH_REQUEST_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/buf.h"

/* In the order of receivers.def: the choices of --push-format, and behind them other ways to these. */
enum push_format {
#define RECEIVER(NAME, name, ...) PUSH_##NAME,
#include "export/push/receivers.def"
#undef RECEIVER
	PUSH_RECEIVERS,
	PUSH_BEFORE_INSTEAD = PUSH_RECEIVERS - 1,
#define RECEIVER(NAME, name, ...)
#define INSTEAD(NAME, ...) PUSH_##NAME,
#include "export/push/receivers.def"
#undef RECEIVER
	PUSH_FORMATS
};

struct push_target {
	enum push_format format;
	const char *url; /* http:// or https://, in the text that was parsed */
};

struct push_label {
	const char *name; /* letters, digits and '_' */
	const char *value;
};

#define PUSH_LABELS_MAX 25

struct push_profile {
	const char *series;  /* what kind of profile it is: events.def; letters and '_' */
	const char *service; /* this and the labels are valid UTF-8 */
	__u64 user;	     /* whose processes these are, or some of them; not for the receiver */
	struct push_label labels[PUSH_LABELS_MAX];
	size_t label_count;
	long long start_unix_ns, duration_ns;
	bool is_otlp;	     /* else pprof */
	const void *encoded; /* compressed */
	size_t size;
};

/*
 * Takes the format from the URL, pyroscope+https://..., parca+https://... or otlp+https://..., or, if it has
 * none, from `format` (-1 = not given). -EINVAL: neither says, they contradict, or it is no URL of http or
 * https with a host. -EPERM: it has a user or a password in it, which everybody could read in the list of
 * processes.
 */
int push_target_parse(const char *url, int format, struct push_target *ret);
/* Whether others can read on the way what is sent: it is not encrypted, and leaves this machine. */
bool push_target_is_exposed(const struct push_target *t);

/* Appends where profiles go: the target's URL and its path, without a NUL. 0 or -ENOMEM. */
int push_request_place(const struct push_target *t, struct buf *url);
/* Appends the URL (NUL-terminated) and the body. Returns 0 or -ENOMEM. */
int push_request_make(const struct push_target *t, const struct push_profile *p, struct buf *url,
		      struct buf *body);

struct receiver_row {
	const char *path;     /* of a profile, behind the URL's own */
	const char *type;     /* Content-Type */
	const char *encoding; /* Content-Encoding; NULL = none */
	/* Appends to the URL who and when it is; NULL: the body says it. */
	int (*add_query)(const struct push_profile *p, struct buf *url);
	/* Appends the body; NULL: it is the encoded profile. */
	int (*make_body)(const struct push_profile *p, struct buf *body);
	enum push_format instead; /* what to try where the path is not there; 0 = nothing */
};

extern const struct receiver_row receiver_rows[PUSH_FORMATS];

extern const char push_format_choices[]; /* "pyroscope|parca": of --push-format */
extern const char push_format_urls[];	 /* "pyroscope+http[s]://HOST[:PORT] or parca+...": of --push */

#endif

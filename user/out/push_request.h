/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push_request.h - how a receiver wants a profile: Pyroscope's /ingest takes pprof as it is, with who and when in
 * the query; Parca's /api/profiles/writeraw takes it in JSON, with labels.
 */
#ifndef PYPERF_OUT_PUSH_REQUEST_H
#define PYPERF_OUT_PUSH_REQUEST_H

#include "base/buf.h"

/* In the order of --push-format's choices. */
enum push_format { PUSH_PYROSCOPE, PUSH_PARCA };

struct push_target {
	enum push_format format;
	const char *url; /* http:// or https://, in the text that was parsed */
};

struct push_profile {
	const char *service; /* valid UTF-8 */
	const char *node;    /* name of this machine */
	long long start_unix_ns, duration_ns;
	const void *pprof; /* compressed */
	size_t size;
};

/*
 * Takes the format from the URL, pyroscope+https://... or parca+https://..., or, if it has none, from `format`
 * (-1 = not given). -EINVAL: neither says, they contradict, or it is no URL of http or https with a host.
 */
int push_target_parse(const char *url, int format, struct push_target *ret);

/* Appends the URL (NUL-terminated) and the body. Returns 0 or -ENOMEM. */
int push_request_make(const struct push_target *t, const struct push_profile *p, struct buf *url, struct buf *body);
const char *push_content_type(enum push_format format);

#endif

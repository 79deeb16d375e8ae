// SPDX-License-Identifier: GPL-2.0-only
#include "http/route.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/answer.h"
#include "http/assets.h"
#include "http/health.h"
#include "http/metrics.h"
#include "http/page.h"
#include "http/profile_request.h"

static const struct route {
	const char *path;
	enum MHD_Result (*answer)(struct visit *v);
	bool metrics; /* at the second address too */
	bool waits;   /* not for HEAD: that would wait for nothing */
} routes[] = {
	{ "/", page_answer, false, false },
	{ "/page.html", page_answer, false, false },
	{ "/flamegraph.json", page_flamegraph, false, false },
	{ "/debug/pprof/", page_pprof_index, false, false },
	{ "/debug/pprof/profile", profile_request_begin, false, true },
	{ "/metrics", metrics_answer, true, false },
	{ "/healthz", health_alive, true, false },
	{ "/readyz", health_ready, true, false },
};

bool route_host_is_local(const char *host)
{
	struct in6_addr address;
	char name[64];
	size_t n;

	if (*host == '[') {
		n = strcspn(++host, "]");
		if (host[n] != ']' || (host[n + 1] && host[n + 1] != ':'))
			return false;
	} else {
		n = strcspn(host, ":");
	}
	if (n >= sizeof(name))
		return false;
	memcpy(name, host, n);
	name[n] = '\0';
	return !strcasecmp(name, "localhost") || inet_pton(AF_INET, name, &address) == 1 ||
	       inet_pton(AF_INET6, name, &address) == 1;
}

static enum MHD_Result add_key(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	(void)kind;
	return query_add(context, key, value) ? MHD_NO : MHD_YES;
}

bool route_read_query(struct visit *v)
{
	query_begin(&v->query);
	MHD_get_connection_values(v->connection, MHD_GET_ARGUMENT_KIND, add_key, &v->query);
	return !*v->query.error;
}

/*
 * A web page can make its visitor's browser ask this server under a name of the page's own that is said to be
 * 127.0.0.1, and would read the answer. Who listens for other machines has names that are not known here.
 */
static bool is_welcome(const struct visit *v)
{
	const char *host = MHD_lookup_connection_value(v->connection, MHD_HEADER_KIND, "Host");

	return !v->listener->local || !host || route_host_is_local(host);
}

static enum MHD_Result refuse_method(struct visit *v, const struct route *r)
{
	_cleanup_buf_ struct buf body = {};

	if (buf_add_string(&body, r->waits ? "only GET\n" : "only GET and HEAD\n"))
		return MHD_NO;
	return answer_buf_with(v, MHD_HTTP_METHOD_NOT_ALLOWED, TYPE_TEXT, &body, "Allow",
			       r->waits ? "GET" : "GET, HEAD");
}

static enum MHD_Result answer(struct visit *v, const char *path, const char *method)
{
	const struct asset *asset;

	if (!is_welcome(v))
		return answer_line(
			v, MHD_HTTP_FORBIDDEN,
			"this address is for localhost only; --listen ADDR:PORT opens another one");
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		const struct route *r = &routes[i];

		if (strcmp(r->path, path) || (v->listener->metrics_only && !r->metrics))
			continue;
		if (strcmp(method, "GET") && (r->waits || strcmp(method, "HEAD")))
			return refuse_method(v, r);
		return r->answer(v);
	}
	asset = v->listener->metrics_only ? NULL : asset_find(path);
	if (asset && (!strcmp(method, "GET") || !strcmp(method, "HEAD")))
		return answer_static(v, asset->type, asset->data, asset->size);
	return answer_line(
		v, MHD_HTTP_NOT_FOUND, "%s",
		v->listener->metrics_only
			? "there are /metrics, /healthz, /readyz"
			: "there are /, /debug/pprof/profile, /flamegraph.json, /metrics, /healthz, /readyz");
}

enum MHD_Result route_request(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body, size_t *body_size,
			      void **own)
{
	const struct listener *l = context;
	struct visit *v = *own;

	(void)version;
	(void)body;
	if (!v) { /* the headers; MHD calls again for the body, and at its end */
		v = calloc(1, sizeof(*v));
		if (!v)
			return MHD_NO;
		v->http = l->http;
		v->listener = l;
		v->connection = connection;
		v->http->active++;
		*own = v;
		return MHD_YES;
	}
	if (*body_size) { /* nobody wants it */
		*body_size = 0;
		return MHD_YES;
	}
	return v->stage == VISIT_NEW ? answer(v, url, method) : profile_request_end(v);
}

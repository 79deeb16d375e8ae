// SPDX-License-Identifier: GPL-2.0-only
#include "http/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "export/continuous.h"
#include "guard/worker.h"
#include "http/address.h"
#include "http/assets.h"
#include "http/connections.h"
#include "http/metrics.h"
#include "http/page.h"
#include "targets/discover.h"
#include "tree/generation.h"

/* A request. */
struct visit {
	struct client client;
	const struct entrance *entrance;
	struct profile_request *waits; /* NULL: it is answered at once */
};

/* --- what each subject reads --------------------------------------------------------------------------- */

static enum MHD_Result page(struct visit *v)
{
	const struct site *s = v->entrance->site;
	const struct page_view view = {
		.health = s->health,
		.kernel = s->source.kernel,
		.registry = s->source.registry,
		.run = s->source.run,
		.recent = s->recent.profile,
	};

	return page_answer(&view, &v->client);
}

static enum MHD_Result flamegraph(struct visit *v)
{
	return page_flamegraph(v->entrance->site->recent.profile, &v->client);
}

static enum MHD_Result pprof_index(struct visit *v)
{
	return page_pprof_index(&v->client);
}

static enum MHD_Result profile(struct visit *v)
{
	struct site *s = v->entrance->site;

	return profile_request_begin(&s->profiles, s->health, &v->client, &v->waits);
}

static enum MHD_Result metrics(struct visit *v)
{
	const struct site *s = v->entrance->site;
	const struct http_source *source = &s->source;
	const struct metrics_view view = {
		.sampling = s->health == HEALTH_SAMPLING,
		.worker = worker_pid(source->worker),
		.generations = source->generation->count,
		.questions = discover_pending(source->discover),
		.kernel = source->kernel,
		.codes = source->codes,
		.registry = source->registry,
		.run = source->run,
		.export = *source->continuous ? continuous_stats(*source->continuous) : NULL,
		.kubelet = source->kubelet,
		.answers = &s->answers,
		.profiles = &s->profiles,
	};

	return metrics_answer(&view, &v->client);
}

static enum MHD_Result alive(struct visit *v)
{
	return health_alive(&v->client);
}

static enum MHD_Result ready(struct visit *v)
{
	return health_ready(v->entrance->site->health, &v->client);
}

/* --- from an address to a subject ---------------------------------------------------------------------- */

static const struct route {
	const char *path;
	enum MHD_Result (*answer)(struct visit *v);
	bool metrics; /* at the second address too */
	bool waits;   /* not for HEAD: that would wait for nothing */
} routes[] = {
	{ "/", page, false, false },
	{ "/page.html", page, false, false },
	{ "/flamegraph.json", flamegraph, false, false },
	{ "/debug/pprof/", pprof_index, false, false },
	{ "/debug/pprof/profile", profile, false, true },
	{ "/metrics", metrics, true, false },
	{ "/healthz", alive, true, false },
	{ "/readyz", ready, true, false },
};

/*
 * A web page can make its visitor's browser ask this server under a name of the page's own that is said to be
 * 127.0.0.1, and would read the answer. Who listens for other machines has names that are not known here.
 */
static bool is_welcome(const struct visit *v)
{
	const char *host = MHD_lookup_connection_value(v->client.connection, MHD_HEADER_KIND, "Host");

	return !v->entrance->local || !host || http_host_is_local(host);
}

static enum MHD_Result refuse_method(struct visit *v, const struct route *r)
{
	_cleanup_buf_ struct buf body = {};

	if (buf_add_string(&body, r->waits ? "only GET\n" : "only GET and HEAD\n"))
		return MHD_NO;
	return answer_buf_with(&v->client, MHD_HTTP_METHOD_NOT_ALLOWED, TYPE_TEXT, &body, "Allow",
			       r->waits ? "GET" : "GET, HEAD");
}

static enum MHD_Result answer(struct visit *v, const char *path, const char *method)
{
	bool metrics_only = v->entrance->metrics_only;
	const struct asset *asset;

	if (!is_welcome(v))
		return answer_line(&v->client, MHD_HTTP_FORBIDDEN,
				   "this address is for localhost only; "
				   "--listen ADDR:PORT opens another one");
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		const struct route *r = &routes[i];

		if (strcmp(r->path, path) || (metrics_only && !r->metrics))
			continue;
		if (strcmp(method, "GET") && (r->waits || strcmp(method, "HEAD")))
			return refuse_method(v, r);
		return r->answer(v);
	}
	asset = metrics_only ? NULL : asset_find(path);
	if (asset && (!strcmp(method, "GET") || !strcmp(method, "HEAD")))
		return answer_static(&v->client, asset->type, asset->data, asset->size);
	return answer_line(&v->client, MHD_HTTP_NOT_FOUND, "%s",
			   metrics_only ? "there are /metrics, /healthz, /readyz" :
					  "there are /, /debug/pprof/profile, /flamegraph.json, /metrics, "
					  "/healthz, /readyz");
}

static struct visit *new_visit(const struct entrance *e, struct MHD_Connection *connection)
{
	struct visit *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->client = (struct client){ connection, &e->site->answers };
	v->entrance = e;
	e->site->active++;
	return v;
}

enum MHD_Result route_request(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body, size_t *body_size,
			      void **own)
{
	struct visit *v = *own;

	(void)version;
	(void)body;
	if (!v) { /* the headers; MHD calls again for the body, and at its end */
		*own = new_visit(context, connection);
		return *own ? MHD_YES : MHD_NO;
	}
	if (*body_size) { /* nobody wants it */
		*body_size = 0;
		return MHD_YES;
	}
	return v->waits ? profile_request_end(v->waits) : answer(v, url, method);
}

void route_completed(void *context, struct MHD_Connection *connection, void **own,
		     enum MHD_RequestTerminationCode code)
{
	struct visit *v = *own;

	(void)context;
	(void)code;
	if (!v)
		return;
	connection_set_deadline(connection, clock_seconds() + CONNECTION_REQUEST_SECONDS);
	profile_request_free(v->waits);
	v->entrance->site->active--;
	*own = NULL;
	free(v);
}

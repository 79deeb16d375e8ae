// SPDX-License-Identifier: GPL-2.0-only
#include "http/route.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "export/continuous.h"
#include "guard/worker.h"
#include "http/connections.h"
#include "http/log_order.h"
#include "http/metrics.h"
#include "http/page.h"
#include "page/pieces.h"
#include "targets/discover.h"

/* A request. */
struct visit {
	struct client client;
	const struct entrance *entrance;
	struct suspended *waits; /* NULL: it has not waited, and is answered at once */
};

/* --- what each subject reads --------------------------------------------------------------------------- */

static enum MHD_Result page(struct visit *v)
{
	return page_answer(v->entrance->site, &v->client);
}

static enum MHD_Result interval(struct visit *v)
{
	struct site *s = v->entrance->site;

	return interval_request_begin(&s->intervals, &v->client, &v->waits);
}

static enum MHD_Result intervals(struct visit *v)
{
	const struct site *s = v->entrance->site;
	const struct interval_offers offers = {
		.log = s->inputs.journal && *s->inputs.journal,
		.source = s->inputs.gives_source,
		.speedscope = s->viewer,
	};

	return interval_list_answer(&s->recent.history, s->inputs.kernel, s->inputs.run, &offers, &v->client);
}

static enum MHD_Result follow(struct visit *v)
{
	return followers_answer(&v->entrance->site->followers, &v->client);
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

static enum MHD_Result stretch(struct visit *v)
{
	struct site *s = v->entrance->site;

	return profile_request_begin_log(&s->profiles, s->health, &v->client, &v->waits);
}

static enum MHD_Result write_stretch(struct visit *v)
{
	struct site *s = v->entrance->site;

	return log_order_answer(s->inputs.log_file, s->health, &v->client);
}

static enum MHD_Result stacks(struct visit *v)
{
	struct site *s = v->entrance->site;

	return stacks_request_begin(&s->stacks, s->health, &v->client, &v->waits);
}

static enum MHD_Result source(struct visit *v)
{
	struct site *s = v->entrance->site;

	return source_request_begin(&s->source, s->health, &v->client, &v->waits);
}

static enum MHD_Result metrics(struct visit *v)
{
	const struct site *s = v->entrance->site;
	const struct http_inputs *inputs = &s->inputs;
	const struct metrics_view view = {
		.site = s,
		.worker = worker_pid(inputs->worker),
		.parser = worker_parser_pid(inputs->worker),
		.worker_seconds = worker_seconds(inputs->worker),
		.questions = discover_pending(inputs->discover),
		.export = *inputs->continuous ? continuous_stats(*inputs->continuous) : NULL,
		.journal = inputs->journal ? *inputs->journal : NULL,
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
	enum MHD_Result (*post)(struct visit *v); /* NULL: it changes nothing */
	enum exposure exposure;			  /* the smallest that has it */
	bool waits;				  /* not for HEAD: that would wait for nothing */
	bool costs;				  /* not for pages of other sites */
} routes[] = {
	{ "/", page, .exposure = EXPOSURE_ALL },
	{ "/page.html", page, .exposure = EXPOSURE_ALL },
	{ "/debug/pyperf/interval", interval, .exposure = EXPOSURE_ALL, .costs = true },
	{ "/debug/pyperf/intervals", intervals, .exposure = EXPOSURE_ALL, .costs = true },
	{ "/debug/pyperf/follow", follow, .exposure = EXPOSURE_ALL, .waits = true, .costs = true },
	{ "/debug/pprof/", pprof_index, .exposure = EXPOSURE_ALL },
	{ "/debug/pprof/profile", profile, .exposure = EXPOSURE_ALL, .waits = true, .costs = true },
	{ "/debug/pyperf/log", stretch, write_stretch, .exposure = EXPOSURE_ALL, .waits = true,
	  .costs = true },
	{ "/debug/pyperf/stacks", stacks, .exposure = EXPOSURE_ALL, .waits = true, .costs = true },
	{ "/debug/pyperf/source", source, .exposure = EXPOSURE_ALL, .waits = true, .costs = true },
	{ "/metrics", metrics, .exposure = EXPOSURE_METRICS },
	{ "/healthz", alive, .exposure = EXPOSURE_HEALTH },
	{ "/readyz", ready, .exposure = EXPOSURE_HEALTH },
};

static const char *header_of(const struct visit *v, const char *name)
{
	return MHD_lookup_connection_value(v->client.connection, MHD_HEADER_KIND, name);
}

/* As "http://HOST" of Host: HOST. It is "null" of a page that hides where it is from. */
static bool is_own_origin(const struct visit *v, const char *origin)
{
	const char *authority = strstr(origin, "://"), *host = header_of(v, "Host");

	return authority && host && !strcasecmp(authority + strlen("://"), host);
}

/*
 * Every page in the web can have its visitor's browser ask here, as for a picture, though it cannot read the
 * answer. Browsers say so by Sec-Fetch-Site, but only to localhost and to what has TLS; to all others, and
 * with POST, they say by Origin where a page is from. Other programs send no such header.
 */
static bool is_of_other_site(const struct visit *v)
{
	const char *site = header_of(v, "Sec-Fetch-Site"), *origin = header_of(v, "Origin");

	return (site && strcmp(site, "same-origin") && strcmp(site, "none")) ||
	       (origin && !is_own_origin(v, origin));
}

/*
 * Whether whoever sends this POST can be no page of another site, also in a browser that says nothing about
 * sites: a form cannot have this type, and before a script sends it the browser asks whether it may.
 */
static bool is_json(const struct visit *v)
{
	static const char json[] = "application/json";
	const char *type = header_of(v, "Content-Type");

	return type && !strncasecmp(type, json, strlen(json)) &&
	       strchr("; ", type[strlen(json)]); /* or its end */
}

static bool is_health(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
		if (routes[i].exposure == EXPOSURE_HEALTH && !strcmp(routes[i].path, path))
			return true;
	return false;
}

/* Names of programs may be in the answer. */
static bool is_closed(const struct visit *v, const char *path)
{
	return v->entrance->exposure == EXPOSURE_ALL && !is_health(path);
}

/*
 * A web page can make its visitor's browser ask this server under a name of the page's own that is said to be
 * one of this machine's addresses, and would read the answer. No page has the token or the socket's file, and
 * other machines may ask for health and metrics by any name.
 */
static bool is_welcome(const struct visit *v, const char *path)
{
	const struct entrance *e = v->entrance;
	const char *host = header_of(v, "Host");

	if (!e->local && (e->is_unix || e->site->token.file || !is_closed(v, path)))
		return true;
	return !host || hosts_has(&e->site->hosts, host);
}

/* Answers with names of programs are for clients that have the token. 0 or -errno as token_check(). */
static int check_token(const struct visit *v, const char *path)
{
	return is_closed(v, path) ? token_check(&v->entrance->site->token, v->client.connection) : 0;
}

static enum MHD_Result refuse_token(struct visit *v, int err)
{
	static const struct answer_header wanted[] = {
		{ "WWW-Authenticate", "Bearer realm=\"pyperf-bpf\", Basic realm=\"pyperf-bpf\"" },
		{ 0 },
	};
	_cleanup_buf_ struct buf body = {};

	if (err != -EACCES)
		return answer_line(&v->client, MHD_HTTP_SERVICE_UNAVAILABLE, "the token cannot be read");
	if (buf_add_string(&body, "this wants a token, as Bearer or as the password of Basic\n"))
		return MHD_NO;
	/* A browser asks for a password. */
	return answer_buf_with(&v->client, MHD_HTTP_UNAUTHORIZED, TYPE_TEXT, &body, wanted);
}

static bool is_allowed(const struct route *r, const char *method)
{
	return !strcmp(method, "GET") || (!r->waits && !strcmp(method, "HEAD")) ||
	       (r->post && !strcmp(method, "POST"));
}

static enum MHD_Result refuse_method(struct visit *v, const struct route *r)
{
	const char *second = r->post ? "POST" : r->waits ? NULL : "HEAD";
	_cleanup_buf_ struct buf body = {};
	struct answer_header allowed[] = { { "Allow", "GET" }, { 0 } };
	char both[16];

	if (second) {
		snprintf(both, sizeof(both), "GET, %s", second);
		allowed[0].value = both;
	}
	if (buf_printf(&body, "only GET%s%s\n", second ? " and " : "", second ?: ""))
		return MHD_NO;
	return answer_buf_with(&v->client, MHD_HTTP_METHOD_NOT_ALLOWED, TYPE_TEXT, &body, allowed);
}

static enum MHD_Result obey(struct visit *v, const struct route *r)
{
	if (!is_json(v))
		return answer_line(&v->client, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
				   "POST wants the header Content-Type: application/json");
	return r->post(v);
}

static const char *const what_there_is[EXPOSURES] = {
	[EXPOSURE_ALL] = ("there are /, /debug/pprof/profile, /debug/pyperf/interval, "
			  "/debug/pyperf/intervals, /debug/pyperf/follow, /debug/pyperf/log, "
			  "/debug/pyperf/stacks, /debug/pyperf/source, /metrics, /healthz, /readyz"),
	[EXPOSURE_METRICS] = "there are /metrics, /healthz, /readyz",
	[EXPOSURE_HEALTH] = "there are /healthz, /readyz",
};

/* What is none of ours may be a file of the viewer. */
static enum MHD_Result answer_viewer(struct visit *v, const char *path, const char *method)
{
	const enum exposure exposure = v->entrance->exposure;
	const struct viewer_file *f =
		exposure == EXPOSURE_ALL ? viewer_files_find(v->entrance->site->viewer, path) : NULL;

	if (f && (!strcmp(method, "GET") || !strcmp(method, "HEAD")))
		return answer_static(&v->client, f->type, f->data, f->size);
	return answer_line(&v->client, MHD_HTTP_NOT_FOUND, "%s", what_there_is[exposure]);
}

static enum MHD_Result answer_visit(struct visit *v, const char *path, const char *method)
{
	enum exposure exposure = v->entrance->exposure;
	const struct page_file *file;
	int err;

	if (!is_welcome(v, path))
		return answer_line(&v->client, MHD_HTTP_FORBIDDEN,
				   "this may be asked by an IP address, as localhost or by this machine's "
				   "own name; --listen-host NAME allows another one");
	err = check_token(v, path);
	if (err)
		return refuse_token(v, err);
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		const struct route *r = &routes[i];

		if (strcmp(r->path, path) || exposure > r->exposure)
			continue;
		if (!is_allowed(r, method))
			return refuse_method(v, r);
		if (r->costs && is_of_other_site(v))
			return answer_line(&v->client, MHD_HTTP_FORBIDDEN,
					   "this is not for pages of other sites");
		return strcmp(method, "POST") ? r->answer(v) : obey(v, r);
	}
	file = exposure == EXPOSURE_ALL ? page_find_file(path) : NULL;
	if (file && (!strcmp(method, "GET") || !strcmp(method, "HEAD")))
		return answer_static(&v->client, file->type, file->piece->data, file->piece->size);
	return answer_viewer(v, path, method);
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
	return v->waits ? v->waits->end(v->waits) : answer_visit(v, url, method);
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
	if (v->waits)
		v->waits->free(v->waits);
	v->entrance->site->active--;
	*own = NULL;
	free(v);
}

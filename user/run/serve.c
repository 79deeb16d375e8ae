// SPDX-License-Identifier: GPL-2.0-only
#include "run/serve.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"

#define FINISH_MS 1000 /* for clients to take what they asked for */

static int listen_at(struct http *h, const struct http_address *a, bool metrics_only)
{
	const char *option = metrics_only ? "--listen-metrics" : "--listen";
	char text[HTTP_ADDRESS_TEXT];
	int err;

	if (!a->size)
		return 0;
	err = http_listen(h, a, metrics_only);
	http_address_text(a, text);
	if (err == -EADDRINUSE)
		log_error("%s %s: another program listens there; end it or take another port", option, text);
	else if (err == -EADDRNOTAVAIL)
		log_error("%s %s: this machine has no such address", option, text);
	else if (err)
		log_error("%s %s: %s", option, text, strerror(-err));
	else
		log_info("listening on http://%s%s", text, metrics_only ? "/metrics" : "/");
	return err;
}

static void cleanup_http(struct http **h)
{
	http_free(*h);
}

int serve_open(struct http **ret, const struct http_source *source, struct loop *loop)
{
	const struct options *o = source->run->options;
	_cleanup_(cleanup_http) struct http *h = NULL;
	int err;

	if (!o->listen && !o->listen_metrics)
		return 0;
	err = http_new(&h, source);
	if (!err)
		err = loop_add(loop, http_fd(h), LOOP_HTTP);
	if (err) {
		log_error("the HTTP server: %s", strerror(-err));
		return err;
	}
	err = listen_at(h, &o->listen_address, false) ?: listen_at(h, &o->metrics_address, true);
	if (!err)
		*ret = TAKE_PTR(h);
	return err;
}

int serve_timeout_ms(struct http *h)
{
	return h ? http_timeout_ms(h) : -1;
}

void serve_turn(struct http *h, int sources)
{
	if (h && (sources & LOOP_HTTP || !http_timeout_ms(h)))
		http_run(h);
}

int serve_start(struct http *h)
{
	int err = h ? http_ready(h) : 0;

	if (err)
		log_error("the HTTP server: %s", strerror(-err));
	return err;
}

void serve_finish(struct http *h)
{
	if (h)
		http_finish(h, FINISH_MS);
}

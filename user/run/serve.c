// SPDX-License-Identifier: GPL-2.0-only
#include "run/serve.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "http/token.h"
#include "http/viewer_files.h"

#define FINISH_MS 1000 /* for clients to take what they asked for */

static const struct {
	const char *option, *path;
} exposed[EXPOSURES] = {
	[EXPOSURE_ALL] = { "--listen", "/" },
	[EXPOSURE_METRICS] = { "--listen-metrics", "/metrics" },
	[EXPOSURE_HEALTH] = { "--listen-health", "/healthz" },
};

static int listen_at(struct http *h, const struct http_address *a, enum exposure exposure)
{
	const char *option = exposed[exposure].option;
	char text[HTTP_ADDRESS_TEXT];
	int err;

	if (!a->size)
		return 0;
	err = http_listen(h, a, exposure);
	http_address_text(a, text);
	if (err == -EADDRINUSE)
		log_error("%s %s: another program listens there; end it or take another port", option, text);
	else if (err == -EADDRNOTAVAIL)
		log_error("%s %s: this machine has no such address", option, text);
	else if (err)
		log_error("%s %s: %s", option, text, strerror(-err));
	else
		log_info("listening on %s%s%s", http_address_is_unix(a) ? "" : "http://", text,
			 http_address_is_unix(a) ? "" : exposed[exposure].path);
	return err;
}

/* Who listens for other machines may not know what those get. */
static void warn_of_all(const struct http_address *a, const char *token_file)
{
	char text[HTTP_ADDRESS_TEXT];

	if (a->size && !token_file && !http_address_is_unix(a) && !http_address_is_local(a))
		log_warning("--listen %s: whoever reaches this sees names of functions and files; "
			    "--listen-token-file FILE has them show a token",
			    http_address_text(a, text));
}

/* A token that is not there would be missed only by the first client. */
static int try_token(const char *file)
{
	_cleanup_free_ char *token = NULL;
	int err = file ? token_read(file, &token) : 0;

	if (err == -EINVAL)
		log_error("--listen-token-file %s: its first word is not a token of %d characters or more",
			  file, TOKEN_MIN);
	else if (err)
		log_error("--listen-token-file %s: %s", file, strerror(-err));
	return err;
}

/* The folder is read before rights are given up, and never again. */
static int offer_viewer(struct http *h, const char *folder)
{
	struct viewer_files *viewer;
	int err = folder ? viewer_files_load(folder, &viewer) : 0;

	if (err == -ENOENT)
		log_error("--speedscope %s: there is no index.html; it wants the folder dist/release of the "
			  "package speedscope",
			  folder);
	else if (err)
		log_error("--speedscope %s: %s", folder, strerror(-err));
	else if (folder)
		http_offer_viewer(h, viewer);
	return err;
}

static void cleanup_http(struct http **h)
{
	http_free(*h);
}

int serve_open(struct http **ret, const struct serve_addresses *addresses, const struct http_inputs *inputs)
{
	_cleanup_(cleanup_http) struct http *h = NULL;
	int err;

	if (!addresses->all.size && !addresses->metrics.size && !addresses->health.size)
		return 0;
	err = try_token(inputs->token_file);
	if (err)
		return err;
	err = log_failure(http_new(&h, inputs), "the HTTP server");
	if (err)
		return err;
	err = offer_viewer(h, inputs->speedscope) ?:
	      listen_at(h, &addresses->all, EXPOSURE_ALL) ?:
	      listen_at(h, &addresses->metrics, EXPOSURE_METRICS) ?:
	      listen_at(h, &addresses->health, EXPOSURE_HEALTH);
	if (err)
		return err;
	warn_of_all(&addresses->all, inputs->token_file);
	*ret = TAKE_PTR(h);
	return 0;
}

int serve_start(struct http *h)
{
	return log_failure(h ? http_ready(h) : 0, "the HTTP server");
}

int serve_watch(struct http *h, struct loop *loop)
{
	return log_failure(h ? http_watch(h, loop) : 0, "the HTTP server");
}

void serve_finish(struct http *h)
{
	if (h)
		http_finish(h, FINISH_MS);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "run/served.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/client.h"
#include "http/token.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "recorded/unpacked.h"

#define HTTP		"http://"
#define UNIX		"unix:/"
#define ADDRESS_MAX	256
#define SAMPLE_SECONDS	10 /* where the URL does not say it */
#define PATIENCE	60 /* seconds, beyond those that the URL asks for */
#define PATIENCE_MAX	90000
#define PROOF_SECONDS	5 /* until whoever listens has said that it is a profiler */
#define INTERVALS	"/debug/pyperf/intervals"
#define INTERVAL	"/debug/pyperf/interval"
#define INTERVALS_MAX	1000
#define SOURCE		"/debug/pyperf/source"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool served_is_source(const char *text)
{
	return begins(text, HTTP) || begins(text, UNIX);
}

/* Into address and path, which points into url or is "". */
static int parse(const char *url, struct http_address *address, const char **ret_path)
{
	const char *host = url + strlen(HTTP), *path;
	char text[ADDRESS_MAX];

	*ret_path = "";
	if (begins(url, UNIX))
		return http_address_parse(url, address);
	path = host + strcspn(host, "/");
	if (path - host >= ADDRESS_MAX)
		return -EINVAL;
	snprintf(text, sizeof(text), "%.*s", (int)(path - host), host);
	*ret_path = path[0] && path[1] ? path : "";
	/* It would end the request's first line. */
	return path[strcspn(path, " \r\n\t")] ? -EINVAL : http_address_parse(text, address);
}

/* Rows that only a log tells apart, sample by sample. */
static bool is_by_span(const struct options *o)
{
	static const char *const rows[] = { "trace", "route", "label:trace_id", "label:span_id",
					    "label:route" };

	for (size_t i = 0; o->by && i < ARRAY_SIZE(rows); i++)
		if (!strcmp(o->by, rows[i]))
			return true;
	return false;
}

static bool is_of_log(const struct options *o)
{
	return o->from_ns || o->to_ns || o->trace_id || is_by_span(o);
}

/*
 * What is asked for where the URL has no path. Of a trace all that there is, with its times; of all of them
 * all that the log has.
 */
static void find_path(const struct options *o, char *path, size_t size)
{
	const char *between = "?";
	size_t used;

	if (!is_of_log(o)) {
		snprintf(path, size, "/debug/pprof/profile?seconds=%d", SAMPLE_SECONDS);
		return;
	}
	used = snprintf(path, size, "/debug/pyperf/log");
	if (o->trace_id) {
		used += snprintf(path + used, size - used, "?trace=%s&format=otlp", o->trace_digits);
		between = "&";
	} else if (is_by_span(o)) {
		used += snprintf(path + used, size - used, "?trace=each");
		between = "&";
	}
	if (o->from_ns || o->to_ns)
		snprintf(path + used, size - used, "%sfrom=%.3f&to=%.3f", between, (double)o->from_ns / 1e9,
			 (double)(o->to_ns ?: (long long)clock_ns_of(CLOCK_REALTIME)) / 1e9);
}

static double patience_for(const char *path)
{
	const char *seconds = strstr(path, "seconds=");
	const double asked = seconds ? atof(seconds + strlen("seconds=")) : 0;

	return PATIENCE + (asked > 0 && asked < PATIENCE_MAX ? asked : 0);
}

int served_refuse(const char *source)
{
	log_error("%s: no profile can be had there, nor from a profiler; the command without --wary says why",
		  source);
	return -EACCES;
}

static int say_why_not_served(const char *url, int err, const char *why)
{
	if (err == -EACCES)
		log_error("%s wants a token: name its file by --token-file", url);
	else if (*why)
		log_error("%s says: %s", url, why);
	else if (err == -EPROTO)
		log_error("%s gives no answer that is HTTP", url);
	else if (err == -EFBIG)
		log_error("%s: the answer has more than %zu MiB", url, UNPACKED_MAX >> 20);
	else
		log_error("%s: %s", url, strerror(-err));
	return err;
}

/* A token whose file is named; *ret stays NULL without one. */
static int take_token(const struct options *o, char **ret)
{
	return o->token_file ? log_failure(token_read(o->token_file, ret), o->token_file) : 0;
}

/* asked: the path; NULL = that of the URL, or what options say. */
static int fetch(const struct options *o, const char *url, const char *asked, struct buf *body)
{
	_cleanup_free_ char *token = NULL;
	_cleanup_close_ int pin = -1;
	struct http_address address;
	char path[192], why[256];
	const char *own;
	int err = parse(url, &address, &own);

	if (err) {
		log_error("%s: name an address, such as http://127.0.0.1:7070 or unix:/run/pyperf.sock", url);
		return err;
	}
	if (o->wary && (http_address_pin(&address, &pin) || !client_is_profiler(&address, PROOF_SECONDS)))
		return served_refuse(url);
	err = take_token(o, &token);
	if (err)
		return err;
	find_path(o, path, sizeof(path));
	if (!asked && !*own && !is_of_log(o))
		log_info("sampling for %d s (--from and --to ask for what was)", SAMPLE_SECONDS);
	if (!asked)
		asked = *own ? own : path;
	err = client_get(&address, asked, token, patience_for(asked), body, why, sizeof(why));
	return err ? say_why_not_served(url, err, why) : 0;
}

static int read_one(const struct options *o, const char *url, const char *asked, struct recorded *r)
{
	_cleanup_buf_ struct buf body = { .size_max = UNPACKED_MAX };
	const char *why;
	int err = fetch(o, url, asked, &body);

	if (err)
		return err;
	if (o->trace_id) /* all that the profiler has of it */
		r->from_ns = r->to_ns = 0;
	err = read_pprof(r, body.data, body.size, &why);
	if (err)
		log_error("%s: %s", url, err == -ENOMEM ? "out of memory" : why);
	return err;
}

static double number_of(const struct json_object *interval, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(interval, key, &value) ? json_object_get_double(value) : 0;
}

/* Those that touch a stretch are given: only this one touches that part of it. */
static int read_interval(const struct options *o, const char *url, const struct json_object *interval,
			 struct recorded *r)
{
	const double start = number_of(interval, "start"), seconds = number_of(interval, "seconds");
	char asked[160];

	snprintf(asked, sizeof(asked), INTERVAL "?from=%.3f&to=%.3f&format=pprof", start + seconds / 4,
		 start + seconds * 3 / 4);
	return seconds > 0 ? read_one(o, url, asked, r) : 0;
}

/* Each interval that is kept, by the list of them (http/interval_list.h). */
static int read_intervals(const struct options *o, const char *url, struct recorded *r)
{
	_cleanup_buf_ struct buf text = { .size_max = UNPACKED_MAX };
	struct json_object *list, *all = NULL;
	int err = fetch(o, url, NULL, &text) ?: buf_add(&text, "", 1);

	if (err)
		return err;
	list = json_tokener_parse(text.data);
	if (!json_object_object_get_ex(list, "intervals", &all) || !json_object_is_type(all, json_type_array))
		err = say_why_not_served(url, -EPROTO, "");
	for (size_t i = 0; !err && i < json_object_array_length(all) && i < INTERVALS_MAX; i++)
		err = read_interval(o, url, json_object_array_get_idx(all, i), r);
	json_object_put(list);
	return err;
}

int served_read(const struct options *o, const char *url, struct recorded *r)
{
	const size_t n = strlen(url);
	const bool is_list = n > strlen(INTERVALS) && !strcmp(url + n - strlen(INTERVALS), INTERVALS);

	return is_list ? read_intervals(o, url, r) : read_one(o, url, NULL, r);
}

/* --- the text of lines ---------------------------------------------------------------------------------- */

static int add_key(struct buf *path, const char *key, const char *text)
{
	int err = buf_printf(path, "&%s=", key);

	for (; *text && !err; text++)
		err = buf_printf(path, "%%%02x", (unsigned char)*text);
	return err;
}

static int make_question(const struct line_wanted *w, struct buf *path)
{
	return buf_printf(path, SOURCE "?pid=%lld&line=%lld&from=%lld&to=%lld", w->pid, w->begins, w->from,
			  w->to) ?:
	       add_key(path, "name", w->name) ?: add_key(path, "file", w->file) ?: buf_add(path, "", 1);
}

/* Whoever serves may say anything: a line feed in a line would put all behind it under another number. */
static int take_lines(const struct json_object *answer, const struct line_wanted *w, struct buf *text)
{
	struct json_object *lines = NULL, *from = NULL;
	int err = 0;

	if (!json_object_object_get_ex(answer, "lines", &lines) ||
	    !json_object_is_type(lines, json_type_array) ||
	    !json_object_object_get_ex(answer, "from", &from) || json_object_get_int64(from) != w->from)
		return -EPROTO;
	for (size_t i = 0; i < json_object_array_length(lines) && i < LINE_WANTED_MAX && !err; i++) {
		const char *line = json_object_get_string(json_object_array_get_idx(lines, i)) ?: "";

		err = strchr(line, '\n') ? -EPROTO : buf_printf(text, "%s\n", line);
	}
	return err;
}

int served_ask_lines(void *served_lines, const struct line_wanted *wanted, struct buf *text)
{
	const struct served_lines *s = served_lines;
	_cleanup_buf_ struct buf path = { 0 }, body = { .size_max = LINE_TEXT_BYTES_MAX };
	_cleanup_free_ char *token = NULL;
	struct http_address address;
	struct json_object *answer;
	const char *own;
	char why[256];
	int err = parse(s->url, &address, &own) ?: take_token(s->options, &token) ?:
		  make_question(wanted, &path);

	err = err ?: client_get(&address, path.data, token, PATIENCE, &body, why, sizeof(why)) ?:
	      buf_add(&body, "", 1);
	if (err)
		return err;
	answer = json_tokener_parse(body.data);
	err = take_lines(answer, wanted, text);
	json_object_put(answer);
	return err;
}

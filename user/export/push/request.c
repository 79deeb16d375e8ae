// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/request.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/protobuf.h"
#include "formats/otlp_wire.h"

static const char *const names[] = {
#define RECEIVER(NAME, name, ...) [PUSH_##NAME] = name,
#include "export/push/receivers.def"
#undef RECEIVER
};

const char push_format_choices[] =
#define FIRST_RECEIVER(NAME, name, ...) name
#define RECEIVER(NAME, name, ...)	"|" name
#include "export/push/receivers.def"
#undef RECEIVER
	;

const char push_format_urls[] =
#define FIRST_RECEIVER(NAME, name, ...) name "+http[s]://HOST[:PORT]"
#define RECEIVER(NAME, name, ...)	" or " name "+..."
#include "export/push/receivers.def"
#undef RECEIVER
	;

static bool starts_with(const char *s, const char *start)
{
	return !strncmp(s, start, strlen(start));
}

static const char *skip(const char *s, const char *start)
{
	return starts_with(s, start) ? s + strlen(start) : s;
}

int push_target_parse(const char *url, int format, struct push_target *ret)
{
	const char *host;

	for (int i = 0; i < PUSH_RECEIVERS; i++) {
		const size_t n = strlen(names[i]);

		if (!starts_with(url, names[i]) || url[n] != '+')
			continue;
		if (format >= 0 && format != i)
			return -EINVAL;
		format = i;
		url += n + 1;
		break;
	}
	host = skip(skip(url, "https://"), "http://");
	/* The command line of a process is there for everybody to read. */
	if (memchr(host, '@', strcspn(host, "/")))
		return -EPERM;
	/* A query of its own would get in the way of ours. */
	if (format < 0 || host == url || !*host || strchr("/:?#@", *host) || strpbrk(host, " ?#"))
		return -EINVAL;
	for (const char *c = host; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return -EINVAL;
	*ret = (struct push_target){ .format = (enum push_format)format, .url = url };
	return 0;
}

static bool is_loopback(const char *host)
{
	size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");

	return (n == 9 && !strncasecmp(host, "localhost", 9)) || (n == 5 && !strncmp(host, "[::1]", 5)) ||
	       (starts_with(host, "127.") && strspn(host, "0123456789.") == n);
}

bool push_target_is_exposed(const struct push_target *t)
{
	return starts_with(t->url, "http://") && !is_loopback(t->url + strlen("http://"));
}

/* Pyroscope takes letters, digits, '-', '_' and '.' for a name. What is added needs no escaping in a URL. */
static int add_name(struct buf *b, const char *name)
{
	int err = 0;

	if (!*name)
		return buf_add_string(b, "unknown");
	for (; !err && *name; name++) {
		char c = *name;
		bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
			     c == '-' || c == '_' || c == '.';

		err = buf_add(b, plain ? &c : "_", 1);
	}
	return err;
}

/* "service{name=value,...}", escaped */
static int add_series(const struct push_profile *p, struct buf *b)
{
	int err = add_name(b, p->service) ?: buf_add_string(b, "%7B");

	for (size_t i = 0; !err && i < p->label_count; i++) {
		err = buf_printf(b, "%s%s%%3D", i ? "%2C" : "", p->labels[i].name);
		if (!err)
			err = add_name(b, p->labels[i].value);
	}
	return err ?: buf_add_string(b, "%7D");
}

/* Whole seconds that hold the time: neither of them would be the other when it is short. */
static int add_query(const struct push_profile *p, struct buf *b)
{
	long long from = p->start_unix_ns / 1000000000;
	long long until = (p->start_unix_ns + p->duration_ns + 999999999) / 1000000000;
	int err = buf_add_string(b, "?name=") ?: add_series(p, b);

	return err ?: buf_printf(b, "&from=%lld&until=%lld&format=pprof&spyName=pyperf-bpf", from, until);
}

/* Of RawProfileSeries.labels: LabelPair.name, .value */
static int add_pair(struct buf *series, const char *name, const char *value)
{
	_cleanup_buf_ struct buf plain = {}, pair = {};
	int err = add_name(&plain, value);

	err = err ?: protobuf_add_text(&pair, 1, name) ?:
	      protobuf_add_bytes(&pair, 2, plain.data, plain.size);
	return err ?: protobuf_add_bytes(series, 1, pair.data, pair.size);
}

/*
 * PushRequest.series, RawProfileSeries.labels, .samples, RawSample.raw_profile. Without __delta__ what grew
 * would be taken for what there is, of which only differences count.
 */
static int make_push(const struct push_profile *p, struct buf *b)
{
	_cleanup_buf_ struct buf series = {}, sample = {};
	int err = add_pair(&series, "__name__", p->series) ?: add_pair(&series, "__delta__", "false") ?:
		  add_pair(&series, "pyroscope_spy", "pyperf-bpf");

	for (size_t i = 0; !err && i < p->label_count; i++)
		err = add_pair(&series, p->labels[i].name, p->labels[i].value);
	err = err ?: add_pair(&series, "service_name", p->service);
	err = err ?: protobuf_add_bytes(&sample, 1, p->encoded, p->size);
	err = err ?: protobuf_add_bytes(&series, 2, sample.data, sample.size);
	return err ?: protobuf_add_bytes(b, 1, series.data, series.size);
}

static int add_json_label(struct buf *b, const char *name, const char *value, bool last)
{
	int err = buf_printf(b, "{\"name\":\"%s\",\"value\":", name);

	if (!err)
		err = buf_add_json(b, value);
	return err ?: buf_add_string(b, last ? "}" : "},");
}

/* parca.profilestore.v1alpha1.WriteRawRequest as its gRPC gateway reads it. */
static int make_json(const struct push_profile *p, struct buf *b)
{
	int err = buf_add_string(b, "{\"normalized\":true,\"series\":[{\"labels\":{\"labels\":[");

	if (!err)
		err = add_json_label(b, "__name__", p->series, false);
	for (size_t i = 0; !err && i < p->label_count; i++)
		err = add_json_label(b, p->labels[i].name, p->labels[i].value, false);
	if (!err)
		err = add_json_label(b, "service_name", *p->service ? p->service : "unknown", true);
	if (!err)
		err = buf_add_string(b, "]},\"samples\":[{\"rawProfile\":\"");
	if (!err)
		err = buf_add_base64(b, p->encoded, p->size);
	return err ?: buf_add_string(b, "\"}]}]}");
}

/* --- the same as protobuf ----------------------------------------------------------------------------- */

/* Of LabelSet.labels: Label.name, .value */
static int add_label(struct buf *set, const char *name, const char *value)
{
	_cleanup_buf_ struct buf label = {};
	int err = protobuf_add_bytes(&label, 1, name, strlen(name)) ?:
		  protobuf_add_bytes(&label, 2, value, strlen(value));

	return err ?: protobuf_add_bytes(set, 1, label.data, label.size);
}

/* RawProfileSeries.labels, .samples; RawSample.raw_profile */
static int make_series(const struct push_profile *p, struct buf *series)
{
	_cleanup_buf_ struct buf labels = {}, sample = {};
	int err = add_label(&labels, "__name__", p->series);

	for (size_t i = 0; !err && i < p->label_count; i++)
		err = add_label(&labels, p->labels[i].name, p->labels[i].value);
	if (!err)
		err = add_label(&labels, "service_name", *p->service ? p->service : "unknown");
	if (!err)
		err = protobuf_add_bytes(&sample, 1, p->encoded, p->size);
	if (!err)
		err = protobuf_add_bytes(series, 1, labels.data, labels.size);
	return err ?: protobuf_add_bytes(series, 2, sample.data, sample.size);
}

/* WriteRawRequest.series, .normalized = true */
static int make_grpc(const struct push_profile *p, struct buf *b)
{
	_cleanup_buf_ struct buf series = {}, request = {};
	int err = make_series(p, &series);

	if (!err)
		err = protobuf_add_bytes(&request, 2, series.data, series.size) ?:
		      buf_add(&request, "\x18\x01", 2);
	return err ?: protobuf_add_grpc_frame(b, &request);
}

/* --- all of them -------------------------------------------------------------------------------------- */

const struct receiver_row receiver_rows[PUSH_FORMATS] = {
#define RECEIVER(NAME, name, ...) [PUSH_##NAME] = { __VA_ARGS__ },
#define INSTEAD(NAME, ...)	  [PUSH_##NAME] = { __VA_ARGS__ },
#include "export/push/receivers.def"
#undef RECEIVER
};

int push_request_place(const struct push_target *t, struct buf *b)
{
	size_t length = strlen(t->url);

	while (length && t->url[length - 1] == '/')
		length--;
	return buf_add(b, t->url, length) ?: buf_add_string(b, receiver_rows[t->format].path);
}

int push_request_make(const struct push_target *t, const struct push_profile *p, struct buf *url,
		      struct buf *body)
{
	const struct receiver_row *r = &receiver_rows[t->format];
	int err = push_request_place(t, url) ?: (r->add_query ? r->add_query(p, url) : 0) ?:
		  buf_add(url, "", 1);

	if (err)
		return err;
	return r->make_body ? r->make_body(p, body) : buf_add(body, p->encoded, p->size);
}

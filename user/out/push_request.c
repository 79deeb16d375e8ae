// SPDX-License-Identifier: GPL-2.0-only
#include "out/push_request.h"

#include <errno.h>
#include <string.h>

#include "base/base64.h"

static const char *const prefixes[] = { [PUSH_PYROSCOPE] = "pyroscope+", [PUSH_PARCA] = "parca+" };

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

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!starts_with(url, prefixes[i]))
			continue;
		if (format >= 0 && format != (int)i)
			return -EINVAL;
		format = (int)i;
		url += strlen(prefixes[i]);
		break;
	}
	host = skip(skip(url, "https://"), "http://");
	/* A query of its own would get in the way of ours. */
	if (format < 0 || host == url || !*host || strchr("/:?#@", *host) || strpbrk(host, " ?#"))
		return -EINVAL;
	for (const char *c = host; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return -EINVAL;
	*ret = (struct push_target){ .format = (enum push_format)format, .url = url };
	return 0;
}

const char *push_content_type(enum push_format format)
{
	return format == PUSH_PARCA ? "application/json" : "application/octet-stream";
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

/* Whole seconds that hold the time: neither of them would be the other when it is short. */
static int add_query(const struct push_profile *p, struct buf *b)
{
	long long from = p->start_unix_ns / 1000000000;
	long long until = (p->start_unix_ns + p->duration_ns + 999999999) / 1000000000;
	int err = buf_add_string(b, "?name=");

	if (!err)
		err = add_name(b, p->service);
	if (!err)
		err = buf_add_string(b, "%7Bnode%3D"); /* {node= */
	if (!err)
		err = add_name(b, p->node);
	return err ?: buf_printf(b, "%%7D&from=%lld&until=%lld&format=pprof&spyName=pyperf-bpf", from, until);
}

static int make_url(const struct push_target *t, const struct push_profile *p, struct buf *b)
{
	size_t length = strlen(t->url);
	int err;

	while (length && t->url[length - 1] == '/')
		length--;
	err = buf_add(b, t->url, length);
	if (!err && t->format == PUSH_PARCA)
		err = buf_add_string(b, "/api/profiles/writeraw");
	else if (!err)
		err = buf_add_string(b, "/ingest") ?: add_query(p, b);
	return err ?: buf_add(b, "", 1);
}

static int add_json_string(struct buf *b, const char *s)
{
	int err = buf_add_string(b, "\"");

	for (; !err && *s; s++) {
		if (*s == '"' || *s == '\\')
			err = buf_printf(b, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			err = buf_printf(b, "\\u%04x", *s);
		else
			err = buf_add(b, s, 1);
	}
	return err ?: buf_add_string(b, "\"");
}

static int add_label(struct buf *b, const char *name, const char *value, bool last)
{
	int err = buf_printf(b, "{\"name\":\"%s\",\"value\":", name);

	if (!err)
		err = add_json_string(b, value);
	return err ?: buf_add_string(b, last ? "}" : "},");
}

/* parca.profilestore.v1alpha1.WriteRawRequest as its gRPC gateway reads it. */
static int make_json(const struct push_profile *p, struct buf *b)
{
	int err = buf_add_string(b, "{\"normalized\":true,\"series\":[{\"labels\":{\"labels\":[");

	if (!err)
		err = add_label(b, "__name__", "process_cpu", false);
	if (!err)
		err = add_label(b, "node", p->node, false);
	if (!err)
		err = add_label(b, "service_name", *p->service ? p->service : "unknown", true);
	if (!err)
		err = buf_add_string(b, "]},\"samples\":[{\"rawProfile\":\"");
	if (!err)
		err = buf_add_base64(b, p->pprof, p->size);
	return err ?: buf_add_string(b, "\"}]}]}");
}

int push_request_make(const struct push_target *t, const struct push_profile *p, struct buf *url, struct buf *body)
{
	int err = make_url(t, p, url);

	if (err)
		return err;
	return t->format == PUSH_PARCA ? make_json(p, body) : buf_add(body, p->pprof, p->size);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "proc/otel_context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wire.h"
#include "proc/procfs.h"
#include "proc/remote.h"

#define SIGNATURE  "OTEL_CTX"
#define VERSION	   2
#define TRIES	   4 /* reads of one that changes meanwhile */
#define PLACES_MAX 8 /* mappings of that name that are looked at */

/* OTEP 4719: "Header Structure" */
struct context_header {
	char signature[8]; /* without a NUL */
	__u32 version;
	__u32 payload_size;
	__u64 published_at; /* 0 = it is being changed */
	__u64 payload;	    /* address */
};

_Static_assert(sizeof(struct context_header) == 32, "a header has no padding");

/* --- the message ---------------------------------------------------------------------------------------- */

/* opentelemetry-proto: processcontext, resource.proto, common.proto. */
enum {
	CONTEXT_RESOURCE = 1,
	CONTEXT_ATTRIBUTES = 2,
	RESOURCE_ATTRIBUTES = 1,
	KEY_VALUE_KEY = 1,
	KEY_VALUE_VALUE = 2,
	ANY_VALUE_STRING = 1,
};

/* The next field. False at the end, or with *err set where no field is. */
static bool next(struct wire *w, struct wire_field *ret, int *err)
{
	const int more = *err ? 0 : wire_next(w, ret);

	if (more < 0)
		*err = more;
	return more > 0;
}

static bool is_text(struct wire w, const char *text)
{
	const size_t size = w.end - w.at;

	return size == strlen(text) && !memcmp(w.at, text, size);
}

/* Cut in front of the character that does not fit, and at a NUL. */
static void copy_text(struct wire w, char ret[OTEL_TEXT_SIZE])
{
	const char *text = (const char *)w.at;
	size_t n = strnlen(text, w.end - w.at);

	if (n >= OTEL_TEXT_SIZE)
		for (n = OTEL_TEXT_SIZE - 1; n && (text[n] & 0xc0) == 0x80;)
			n--;
	memcpy(ret, text, n);
	ret[n] = '\0';
}

/* The text that an attribute has; of other types it has none. */
static int parse_value(struct wire value, char ret[OTEL_TEXT_SIZE])
{
	struct wire_field f;
	int err = 0;

	while (next(&value, &f, &err))
		if (f.number == ANY_VALUE_STRING && f.type == WIRE_BYTES)
			copy_text(f.bytes, ret);
	return err;
}

/* Which member this attribute is; NULL: none. The first of two with one key counts, and the newer key. */
static char *member_of(struct wire key, struct otel_context *c, bool *newer)
{
	if (is_text(key, "service.name"))
		return *c->service ? NULL : c->service;
	if (is_text(key, "service.instance.id"))
		return *c->instance ? NULL : c->instance;
	if (is_text(key, "deployment.environment.name") && !*newer) {
		*newer = true;
		return c->environment;
	}
	return is_text(key, "deployment.environment") && !*c->environment ? c->environment : NULL;
}

static int parse_pair(struct wire attribute, struct wire *ret_key, struct wire *ret_value)
{
	struct wire_field f;
	int err = 0;

	while (next(&attribute, &f, &err)) {
		if (f.number == KEY_VALUE_KEY && f.type == WIRE_BYTES)
			*ret_key = f.bytes;
		if (f.number == KEY_VALUE_VALUE && f.type == WIRE_BYTES)
			*ret_value = f.bytes;
	}
	return err;
}

static int parse_attribute(struct wire attribute, struct otel_context *c, bool *newer)
{
	struct wire key = {}, value = {};
	int err = parse_pair(attribute, &key, &value);
	char *member = !err && key.at && value.at ? member_of(key, c, newer) : NULL;

	return member ? parse_value(value, member) : err;
}

/* Of the context itself. What is no attribute there says nothing, and spoils nothing. */
static void parse_own_attribute(struct wire attribute, struct otel_context *c)
{
	struct wire key = {}, value = {};

	if (!parse_pair(attribute, &key, &value) && key.at && value.at &&
	    is_text(key, "threadlocal.schema_version") && !*c->threads && parse_value(value, c->threads))
		*c->threads = '\0';
}

static int parse_resource(struct wire resource, struct otel_context *c, bool *newer)
{
	struct wire_field f;
	int err = 0;

	while (next(&resource, &f, &err))
		if (f.number == RESOURCE_ATTRIBUTES && f.type == WIRE_BYTES)
			err = parse_attribute(f.bytes, c, newer);
	return err;
}

int otel_context_parse(const void *message, size_t size, struct otel_context *ret)
{
	struct wire w = wire_of(message, size);
	struct otel_context c = *ret;
	struct wire_field f;
	bool newer = false;
	int err = 0;

	while (next(&w, &f, &err)) {
		if (f.number == CONTEXT_RESOURCE && f.type == WIRE_BYTES)
			err = parse_resource(f.bytes, &c, &newer);
		if (f.number == CONTEXT_ATTRIBUTES && f.type == WIRE_BYTES)
			parse_own_attribute(f.bytes, &c);
	}
	if (!err)
		*ret = c;
	return err;
}

/* --- where it is ---------------------------------------------------------------------------------------- */

struct context_places {
	__u64 address[PLACES_MAX];
	int count;
};

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static int visit(const struct procfs_map *map, void *context)
{
	struct context_places *p = context;

	if (!map->read || map->end - map->start < sizeof(struct context_header))
		return 0;
	if (!begins_with(map->path, "[anon_shmem:" SIGNATURE) &&
	    !begins_with(map->path, "[anon:" SIGNATURE) && !begins_with(map->path, "/memfd:" SIGNATURE))
		return 0;
	p->address[p->count++] = map->start;
	return p->count == PLACES_MAX;
}

/* -ENOENT if there is no header there that can be read. */
static int read_header(pid_t tid, __u64 address, struct context_header *ret)
{
	int err = remote_read(tid, address, ret, sizeof(*ret));

	if (err)
		return err == -EFAULT ? -ENOENT : err;
	if (memcmp(ret->signature, SIGNATURE, sizeof(ret->signature)) || ret->version != VERSION)
		return -ENOENT;
	return 0;
}

static int find_header(pid_t tid, __u64 *ret_address, struct context_header *ret)
{
	struct context_places places = {};
	int err = procfs_maps(tid, visit, &places);

	if (err < 0)
		return err;
	err = -ENOENT;
	for (int i = 0; i < places.count && err == -ENOENT; i++) {
		err = read_header(tid, places.address[i], ret);
		*ret_address = places.address[i];
	}
	return err;
}

/* --- reading it ----------------------------------------------------------------------------------------- */

/* In a time namespace a process has another CLOCK_BOOTTIME. Where that cannot be seen it has ours. */
static bool has_our_clock(pid_t pid)
{
	char path[64];
	struct stat ours, its;

	snprintf(path, sizeof(path), "/proc/%d/ns/time", (int)pid);
	return stat("/proc/self/ns/time", &ours) || stat(path, &its) || ours.st_ino == its.st_ino;
}

static int read_payload(pid_t tid, const struct context_header *h, void **ret)
{
	_cleanup_free_ void *payload = NULL;
	int err;

	if (h->payload_size > OTEL_PAYLOAD_MAX)
		return -EMSGSIZE;
	payload = malloc((size_t)h->payload_size + 1);
	if (!payload)
		return -ENOMEM;
	err = h->payload_size ? remote_read(tid, h->payload, payload, h->payload_size) : 0;
	if (!err)
		*ret = TAKE_PTR(payload);
	return err;
}

/* -EAGAIN: it has been changed since the header was read. */
static int check_again(pid_t tid, __u64 address, const struct context_header *before)
{
	struct context_header now;
	int err = read_header(tid, address, &now);

	return err ?: now.published_at == before->published_at ? 0 : -EAGAIN;
}

/* One try. */
static int read_once(pid_t tid, __u64 address, const struct context_header *h, struct otel_context *ret)
{
	_cleanup_free_ void *payload = NULL;
	int err = h->published_at ? read_payload(tid, h, &payload) : -EAGAIN;
	const int changed = err == -EAGAIN ? 0 : check_again(tid, address, h);

	if (changed) /* then whatever was read, or not, means nothing */
		return changed;
	return err ?: otel_context_parse(payload, h->payload_size, ret);
}

int otel_context_read(pid_t pid, pid_t tid, __u64 began_ns, const struct otel_place *known,
		      struct otel_context *ret)
{
	struct otel_context c = { .place.header = known->header };
	struct context_header h;
	int err = known->header ? read_header(tid, known->header, &h) : -ENOENT;

	if (err == -ENOENT)
		err = find_header(tid, &c.place.header, &h);
	for (int i = 0; !err && i < TRIES; i++) {
		if (h.published_at && h.published_at == known->published_at &&
		    c.place.header == known->header)
			return -EALREADY;
		if (h.published_at && h.published_at < began_ns && has_our_clock(pid))
			return -ENOENT;
		err = read_once(tid, c.place.header, &h, &c);
		if (err != -EAGAIN) {
			c.place.published_at = h.published_at;
			if (!err)
				*ret = c;
			return err;
		}
		err = i + 1 < TRIES ? read_header(tid, c.place.header, &h) : -EAGAIN;
	}
	return err;
}

static bool is_terminated(const char text[OTEL_TEXT_SIZE])
{
	return memchr(text, '\0', OTEL_TEXT_SIZE);
}

bool otel_context_is_sane(const struct otel_context *c)
{
	return c->place.header && c->place.published_at && is_terminated(c->service) &&
	       is_terminated(c->instance) && is_terminated(c->environment) && is_terminated(c->threads);
}

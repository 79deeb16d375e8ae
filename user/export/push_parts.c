// SPDX-License-Identifier: GPL-2.0-only
#include "export/push_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "formats/otlp.h"
#include "formats/pprof.h"
#include "formats/pprof_carried.h"
#include "profile/filter.h"
#include "profile/split.h"

/*
 * Pyroscope's defaults, uncompressed: validation.max-profile-stacktrace-samples, and, as a larger one never
 * passes the limit of its rate, distributor.ingestion-burst-size-mb, in which the labels are. The books of a
 * part are samples, too.
 */
#define LABELS_BYTES (32 << 10)
static const struct split_limits limits = {
	.samples = 16000 - CARRIED_MAX,
	.bytes = (2 << 20) - PPROF_CARRIED_BYTES - LABELS_BYTES,
	.services = PUSH_SERIES_MAX,
};
/*
 * A collector takes 20 MiB by default, which parts of that size stay far below (test_push_parts.c). A tick
 * with its time takes 21 bytes in both of its types.
 */
static const struct split_limits otlp_limits = {
	.samples = 16000, .bytes = 4 << 20, .services = PUSH_SERIES_MAX,
	.moments = 128 << 10, .keeps_labels = true
};

/* Labels of a series beside those of pods; receivers keep names with two underscores to themselves. */
static bool is_taken(const struct push_series *s, size_t before, const char *name)
{
	static const char *const own[] = { "node", "service_name", "job", "instance" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(own[i], name))
			return true;
	for (int i = 0; i < LABEL_COUNT; i++)
		if (label_rows[i].outputs & IN_SERIES && !strcmp(label_rows[i].key, name))
			return true;
	for (size_t i = 0; i < before; i++)
		if (!strcmp(s->label_names[i], name))
			return true;
	return !strncmp(name, "__", 2) || (*name >= '0' && *name <= '9');
}

/* Receivers take letters, digits and '_': app.kubernetes.io/name is app_kubernetes_io_name. */
static void name_labels(struct push_series *s, const struct pod_label_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		char *name = s->label_names[i];

		strcpy(name, names->name[i]);
		for (char *c = name; *c; c++)
			if (strchr("./-", *c))
				*c = '_';
		if (!is_taken(s, i, name))
			continue;
		memmove(name + strlen("label_"), name, strlen(name) + 1);
		memcpy(name, "label_", strlen("label_"));
		if (is_taken(s, i, name))
			*name = '\0';
	}
}

void push_series_make(const struct pod_label_names *names, struct push_series *ret)
{
	struct utsname u;

	*ret = (struct push_series){};
	snprintf(ret->node, sizeof(ret->node), "%s", uname(&u) ? "" : u.nodename);
	name_labels(ret, names);
}

struct parts {
	const struct push_series *series;
	const bool *stop;
	struct push_list *list;
	struct series_names *names;
};

static int split_by_service(struct parts *parts, const struct profile *p, const struct split_limits *by,
			    int (*fn)(void *context, const struct split_service *service,
				      const struct profile *part))
{
	struct split_limits own = *by;

	own.names = parts->names;
	return profile_split(p, &own, fn, parts);
}

static bool is_stopped(const struct parts *parts)
{
	return __atomic_load_n(parts->stop, __ATOMIC_RELAXED);
}

/* There is room for all that can be asked for: test_push_parts.c. */
static void add_label(struct push_profile *p, const char *name, const char *value)
{
	if (*value && p->label_count < PUSH_LABELS_MAX)
		p->labels[p->label_count++] = (struct push_label){ name, value };
}

/* Without its bytes. */
static struct push_profile push_of(const struct split_service *service, const struct profile *part)
{
	const struct profile_info *info = profile_get_info(part);

	return (struct push_profile){
		.series = event_rows[profile_shown(part)].series,
		.service = service->name,
		.user = service->user,
		.start_unix_ns = info->start_unix_ns,
		.duration_ns = info->duration_ns,
	};
}

static int add_part(void *context, const struct split_service *service, const struct profile *part)
{
	struct parts *parts = context;
	const struct push_series *series = parts->series;
	struct push_profile p = push_of(service, part);
	_cleanup_buf_ struct buf b = {};
	int err = is_stopped(parts) ? -ECANCELED : pprof_encode_carrying(part, &b);

	if (err)
		return err;
	add_label(&p, "node", series->node);
	for (int i = LABEL_COUNT; i-- > 0;)
		add_label(&p, label_rows[i].key, service->label[i]);
	for (size_t i = 0; i < PROFILE_EXTRA_MAX && service->extra[i]; i++)
		if (*series->label_names[i])
			add_label(&p, series->label_names[i], service->extra[i]);
	p.encoded = b.data;
	p.size = b.size;
	return push_list_add(parts->list, &p);
}

/* Receivers name what they get once for all of it, so each kind of event is a profile of its own. */
static int add_kind(struct parts *parts, const struct profile *p, enum event_kind kind)
{
	_cleanup_profile_ struct profile *part = NULL;
	struct profile_filter only = { .events = EVENT_BIT(kind) };
	int err;

	if (profile_get_info(p)->events == only.events)
		return split_by_service(parts, p, &limits, add_part);
	err = profile_filter_apply(&only, p, &part);
	return err ?: split_by_service(parts, part, &limits, add_part);
}

static int add_otlp(void *context, const struct split_service *service, const struct profile *part)
{
	struct parts *parts = context;
	struct push_profile p = push_of(service, part);
	_cleanup_buf_ struct buf b = {};
	int err = is_stopped(parts) ? -ECANCELED : otlp_encode_of_host(part, parts->series->node, &b);

	p.is_otlp = true;
	p.encoded = b.data;
	p.size = b.size;
	return err ?: push_list_add(parts->list, &p);
}

int push_parts_make(const struct push_series *series, enum push_format format, const struct profile *p,
		    struct series_names *series_names, const bool *stop, struct push_list *list)
{
	struct parts parts = { series, stop, list, series_names };
	int err = 0;

	if (format == PUSH_OTLP)
		return split_by_service(&parts, p, &otlp_limits, add_otlp);
	for (int kind = 0; !err && kind < EVENT_KINDS; kind++)
		if (profile_get_info(p)->events & EVENT_BIT(kind))
			err = add_kind(&parts, p, kind);
	return err;
}

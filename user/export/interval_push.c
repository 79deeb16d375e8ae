// SPDX-License-Identifier: GPL-2.0-only
#include "export/interval_push.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "profile/filter.h"
#include "profile/pprof.h"
#include "profile/split.h"

/*
 * Pyroscope's defaults: validation.max-profile-stacktrace-samples and max-profile-size-bytes,
 * uncompressed.
 */
static const struct split_limits limits = { .samples = 16000, .bytes = 4 << 20 };

/* Labels of a series beside those of pods; receivers keep names with two underscores to themselves. */
static bool is_taken(const struct interval_push *f, size_t before, const char *name)
{
	static const char *const own[] = { "node", "service_name", "job", "instance" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(own[i], name))
			return true;
	for (int i = 0; i < LABEL_COUNT; i++)
		if (label_rows[i].places & IN_SERIES && !strcmp(label_rows[i].key, name))
			return true;
	for (size_t i = 0; i < before; i++)
		if (!strcmp(f->label_names[i], name))
			return true;
	return !strncmp(name, "__", 2) || (*name >= '0' && *name <= '9');
}

/* Receivers take letters, digits and '_': app.kubernetes.io/name is app_kubernetes_io_name. */
static void name_labels(struct interval_push *f, const struct pod_label_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		char *name = f->label_names[i];

		strcpy(name, names->name[i]);
		for (char *c = name; *c; c++)
			if (strchr("./-", *c))
				*c = '_';
		if (!is_taken(f, i, name))
			continue;
		memmove(name + strlen("label_"), name, strlen(name) + 1);
		memcpy(name, "label_", strlen("label_"));
		if (is_taken(f, i, name))
			*name = '\0';
	}
}

int interval_push_open(struct interval_push *f, const struct push_options *o,
		       const struct pod_label_names *names, struct windows *windows)
{
	struct utsname u;
	int err = window_open(windows, &f->window) ?: push_open(&f->push, o);

	if (err) {
		log_error("profiles cannot be pushed: %s", strerror(-err));
		return err;
	}
	snprintf(f->node, sizeof(f->node), "%s", uname(&u) ? "" : u.nodename);
	name_labels(f, names);
	return 0;
}

void interval_push_close(struct interval_push *f)
{
	window_close(f->window);
	push_close(f->push);
}

int interval_push_set(struct interval_push *f, const struct push_options *o)
{
	return push_set_options(f->push, o);
}

_Static_assert(PUSH_LABELS_MAX >= 1 + LABELS_IN_SERIES + PROFILE_EXTRA_MAX,
	       "a pushed profile has too few labels");

static void add_label(struct push_profile *p, const char *name, const char *value)
{
	if (*value)
		p->labels[p->label_count++] = (struct push_label){ name, value };
}

static int add_part(void *context, const struct split_service *service, const struct profile *part)
{
	const struct profile_info *info = profile_get_info(part);
	struct interval_push *f = context;
	_cleanup_buf_ struct buf b = {};
	struct push_profile p = {
		.series = event_rows[profile_shown(part)].series,
		.service = service->name,
		.start_unix_ns = info->start_unix_ns,
		.duration_ns = info->duration_ns,
	};
	int err = pprof_encode(part, &b);

	if (err)
		return err;
	add_label(&p, "node", f->node);
	for (int i = LABEL_COUNT; i-- > 0;)
		add_label(&p, label_rows[i].key, service->label[i]);
	for (size_t i = 0; i < PROFILE_EXTRA_MAX && service->extra[i]; i++)
		if (*f->label_names[i])
			add_label(&p, f->label_names[i], service->extra[i]);
	p.pprof = b.data;
	p.size = b.size;
	return push_add(f->push, &p);
}

/* Receivers name what they get once for all of it, so each kind of event is a profile of its own. */
static int add_kind(struct interval_push *f, const struct profile *p, enum event_kind kind)
{
	_cleanup_profile_ struct profile *part = NULL;
	struct profile_filter only = { .events = EVENT_BIT(kind) };
	int err;

	if (profile_get_info(p)->events == only.events)
		return profile_split(p, &limits, add_part, f);
	err = profile_filter_apply(&only, p, &part);
	return err ?: profile_split(part, &limits, add_part, f);
}

static int add_profile(struct interval_push *f, const struct profile *p)
{
	int err = 0;

	for (int kind = 0; !err && kind < EVENT_KINDS; kind++)
		if (profile_get_info(p)->events & EVENT_BIT(kind))
			err = add_kind(f, p, kind);
	return err;
}

int interval_push_take(struct interval_push *f)
{
	_cleanup_profile_ struct profile *p = NULL;
	struct harvest_stats stats;
	int err = window_take(f->window, &p, &stats);

	if (!err) {
		harvest_stats_add(&f->taken, &stats);
		err = add_profile(f, p);
	}
	if (err)
		log_warning("a profile cannot be pushed: %s", strerror(-err));
	interval_push_run(f);
	return err;
}

static void say(struct interval_push *f)
{
	const char *trouble = push_trouble(f->push);

	if (*trouble)
		complain(&f->trouble, "profiles cannot be pushed: %s; each is tried %d times", trouble,
			 PUSH_ATTEMPTS);
	else
		complaint_over(&f->trouble, "profiles are pushed again");
	if (push_is_exposed(f->push))
		complain(&f->exposed,
			 "the header file has credentials, and --push sends them over http, where others can "
			 "read them; use https");
	else
		complaint_over(&f->exposed, NULL);
}

void interval_push_run(struct interval_push *f)
{
	const struct push_stats *s = push_get_stats(f->push);

	push_run(f->push);
	f->stats->pushed = s->delivered;
	f->stats->push_failures = s->failures;
	f->stats->push_dropped = s->dropped;
	say(f);
}

void interval_push_finish(struct interval_push *f, double seconds)
{
	struct pollfd waiting = { .fd = push_fd(f->push), .events = POLLIN };
	double now, end = 0;

	push_hurry(f->push);
	for (;;) {
		int next;

		interval_push_run(f);
		now = clock_seconds();
		end = end > 0 ? end : now + seconds;
		if (!push_waiting(f->push) || now >= end)
			break;
		next = push_timeout_ms(f->push);
		poll(&waiting, 1, next >= 0 && next < 50 ? next : 50);
	}
	if (push_waiting(f->push))
		log_warning("%zu profiles are not pushed: the receiver takes too long",
			    push_waiting(f->push));
	push_drop_all(f->push);
	interval_push_run(f);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "tree/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct window {
	struct windows *all;
	struct window *next;
	struct profile *profile; /* of what was taken out of the tables already; NULL = nothing */
	struct harvest_stats stats;
	struct timespec start, start_real;
	struct timespec end, end_real; /* of the mark, or of what is in profile */
	__u64 *mark;		       /* the counts then, by node; NULL = none */
	__u64 since[];		       /* by node */
};

static void clock_now(const struct windows *all, struct timespec *ret, struct timespec *ret_real)
{
	*ret = all->stop;
	if (!ret->tv_sec)
		clock_gettime(CLOCK_MONOTONIC, ret);
	clock_gettime(CLOCK_REALTIME, ret_real);
}

double window_seconds(const struct window *w)
{
	struct timespec end = w->end, real;

	if (!w->mark)
		clock_now(w->all, &end, &real);
	return end.tv_sec - w->start.tv_sec + (end.tv_nsec - w->start.tv_nsec) / 1e9;
}

static void read_counts(const struct kernel_tables *t, __u64 *counts)
{
	for (__u32 i = 0; i < t->node_count; i++)
		counts[i] = __atomic_load_n(&t->nodes[i].count, __ATOMIC_RELAXED);
}

static struct profile_info info_of(const struct window *w)
{
	struct profile_info info = {
		.period_ns = 1000000000LL / w->all->frequency,
		.start_unix_ns = w->start_real.tv_sec * 1000000000LL + w->start_real.tv_nsec,
		.duration_ns = window_seconds(w) * 1e9,
		.frequency = w->all->frequency,
	};

	harvest_label_names(&w->all->source, &info);
	return info;
}

int window_open(struct windows *all, struct window **ret)
{
	const struct kernel_tables *t = all->source.tables;
	struct window *w = malloc(sizeof(*w) + t->node_count * sizeof(w->since[0]));

	if (!w)
		return -ENOMEM;
	*w = (struct window){ .all = all, .next = all->first };
	read_counts(t, w->since);
	clock_gettime(CLOCK_MONOTONIC, &w->start);
	clock_gettime(CLOCK_REALTIME, &w->start_real);
	all->first = w;
	*ret = w;
	return 0;
}

void window_close(struct window *w)
{
	if (!w)
		return;
	for (struct window **at = &w->all->first; *at; at = &(*at)->next) {
		if (*at != w)
			continue;
		*at = w->next;
		break;
	}
	profile_free(w->profile);
	free(w->mark);
	free(w);
}

int window_mark(struct window *w)
{
	const struct kernel_tables *t = w->all->source.tables;

	if (!w->mark)
		w->mark = malloc(t->node_count * sizeof(w->mark[0]));
	if (!w->mark)
		return -ENOMEM;
	read_counts(t, w->mark);
	clock_now(w->all, &w->end, &w->end_real);
	return 0;
}

/* Moves what these nodes have counted for this window, up to these counts or now, into its profile. */
static int absorb(struct window *w, struct kernel_range nodes, const __u64 *until)
{
	struct harvest_span span = { .nodes = nodes, .since = w->since, .until = until, .ret = w->since };
	struct profile_info info = info_of(w);
	struct harvest_stats stats;
	int err = 0;

	if (!w->profile)
		err = profile_new(&info, &w->profile);
	if (!err)
		err = harvest(&w->all->source, &span, w->profile, &stats);
	if (err)
		return err;
	w->stats.samples = profile_total(w->profile); /* with what an attempt without memory had put there */
	w->stats.nodes = stats.nodes;
	w->stats.locations += stats.locations;
	return 0;
}

int window_look(struct window *w, const struct profile **ret, struct harvest_stats *ret_stats)
{
	struct profile_info info;
	int err = absorb(w, (struct kernel_range){}, w->mark);

	if (err)
		return err;
	info = info_of(w);
	err = profile_set_info(w->profile, &info);
	if (err)
		return err;
	if (!w->mark)
		clock_now(w->all, &w->end, &w->end_real);
	free(TAKE_PTR(w->mark));
	*ret_stats = w->stats;
	*ret = w->profile;
	return 0;
}

void window_done(struct window *w)
{
	profile_free(TAKE_PTR(w->profile));
	w->stats = (struct harvest_stats){};
	w->start = w->end;
	w->start_real = w->end_real;
}

int window_take(struct window *w, struct profile **ret, struct harvest_stats *ret_stats)
{
	const struct profile *profile;
	int err = window_look(w, &profile, ret_stats);

	if (err)
		return err;
	*ret = TAKE_PTR(w->profile);
	window_done(w);
	return 0;
}

void windows_move_marks(struct windows *all)
{
	for (struct window *w = all->first; w; w = w->next)
		if (w->mark)
			window_mark(w);
}

int windows_absorb(struct windows *all, struct kernel_range nodes)
{
	int result = 0;

	for (struct window *w = all->first; w; w = w->next)
		result = absorb(w, nodes, NULL) ?: result;
	return result;
}

static void forget(__u64 *counts, struct kernel_range nodes)
{
	memset(counts + nodes.first, 0, (nodes.end - nodes.first) * sizeof(counts[0]));
}

void windows_forget(struct windows *all, struct kernel_range nodes)
{
	for (struct window *w = all->first; w; w = w->next) {
		forget(w->since, nodes);
		if (w->mark)
			forget(w->mark, nodes);
	}
}

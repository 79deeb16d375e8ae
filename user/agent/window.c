// SPDX-License-Identifier: GPL-2.0-only
#include "agent/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct window {
	struct windows *all;
	struct window *next;
	struct profile *profile; /* of what was counted before the tables were emptied last; NULL = nothing */
	struct harvest_stats stats;
	struct timespec start, start_real;
	__u64 since[]; /* by node */
};

double window_seconds(const struct window *w)
{
	struct timespec now = w->all->stop;

	if (!now.tv_sec)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - w->start.tv_sec + (now.tv_nsec - w->start.tv_nsec) / 1e9;
}

static void begin(struct window *w)
{
	clock_gettime(CLOCK_MONOTONIC, &w->start);
	clock_gettime(CLOCK_REALTIME, &w->start_real);
	w->stats = (struct harvest_stats){};
}

static struct profile_info info_of(const struct window *w)
{
	return (struct profile_info){
		.period_ns = 1000000000LL / w->all->frequency,
		.start_unix_ns = w->start_real.tv_sec * 1000000000LL + w->start_real.tv_nsec,
		.duration_ns = window_seconds(w) * 1e9,
		.frequency = w->all->frequency,
	};
}

int window_open(struct windows *all, struct window **ret)
{
	const struct kernel_tables *t = all->source.tables;
	struct window *w = malloc(sizeof(*w) + t->node_count * sizeof(w->since[0]));

	if (!w)
		return -ENOMEM;
	*w = (struct window){ .all = all, .next = all->first };
	for (__u32 i = 0; i < t->node_count; i++)
		w->since[i] = __atomic_load_n(&t->nodes[i].count, __ATOMIC_RELAXED);
	begin(w);
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
	free(w);
}

/* Moves what the tables have counted for this window into its profile. */
static int absorb(struct window *w)
{
	struct profile_info info = info_of(w);
	struct harvest_stats stats;
	int err = 0;

	if (!w->profile)
		err = profile_new(&info, &w->profile);
	if (!err)
		err = harvest(&w->all->source, w->since, w->since, w->profile, &stats);
	if (err)
		return err;
	w->stats.samples = profile_total(w->profile); /* with what an attempt without memory had put there */
	w->stats.nodes = stats.nodes;
	w->stats.locations += stats.locations;
	return 0;
}

int window_take(struct window *w, struct profile **ret, struct harvest_stats *ret_stats)
{
	struct profile_info info = info_of(w);
	int err = absorb(w);

	if (err)
		return err;
	err = profile_set_info(w->profile, &info);
	if (err)
		return err;
	*ret_stats = w->stats;
	*ret = TAKE_PTR(w->profile);
	begin(w);
	return 0;
}

int windows_rotate(struct windows *all, bool now_empty)
{
	int result = 0;

	for (struct window *w = all->first; w; w = w->next) {
		int err = now_empty ? 0 : absorb(w);

		if (now_empty)
			memset(w->since, 0, all->source.tables->node_count * sizeof(w->since[0]));
		if (err)
			result = err;
	}
	return result;
}

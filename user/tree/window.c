// SPDX-License-Identifier: GPL-2.0-only
#include "tree/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/loop.h"
#include "profile/profile.h"
#include "targets/quotas.h"
#include "targets/registry.h"
#include "targets/unlooked.h"

/* One moment on three clocks. Lengths are taken from the first, dates from the second, both in ns. */
struct clock_snapshot {
	__u64 monotonic, date;
	struct tick_counts ticks;
};

struct window {
	struct windows *all;
	struct window *next;
	struct profile *profile; /* what was taken out of the tables already; NULL = nothing */
	struct harvest_stats stats;
	struct clock_snapshot start;
	struct clock_snapshot end; /* when the mark was set or, without a mark, when `profile` ends */
	__u64 *mark;		   /* the counts when the mark was set, by node; NULL = no mark */
	/* How far parts were taken: of all nodes up to the mark, and of a bank that is to be cleared. */
	struct harvest_progress look, bank;
	struct quotas_mark quotas, quotas_end; /* when it began, and when its facts were last asked for */
	__u64 since[];			       /* by node */
};

static struct clock_snapshot moment_now(const struct windows *all)
{
	struct clock_snapshot now = { .monotonic = clock_ns(), .date = clock_unix_ns() };

	if (all->count_ticks)
		all->count_ticks(all->context, &now.ticks);
	return now;
}

/* Now, or when the ticks stopped, since nothing was counted after that. */
static struct clock_snapshot end_now(const struct windows *all)
{
	struct clock_snapshot now = moment_now(all);

	if (all->stop_ns)
		now.monotonic = all->stop_ns;
	return now;
}

/* Waits that go on are counted up to now, so that a window has all that happens between its two ends. */
static void settle(const struct windows *all)
{
	if (all->settle && !all->stop_ns)
		all->settle(all->context);
}

_Static_assert(sizeof((struct profile_info){}.whose_unlooked) == UNLOOKED_WHOSE_SIZE, "the text is copied");

static void read_counts(const struct kernel_tables *t, __u64 *counts)
{
	for (__u32 i = 0; i < t->node_count; i++)
		counts[i] = __atomic_load_n(&t->nodes[i].count, __ATOMIC_RELAXED);
}

/* The facts of the time since the window was opened or last taken, up to its mark if it has one. */
static struct profile_info info_of(struct window *w)
{
	const struct quotas *quotas = registry_quotas(w->all->inputs.registry);
	const struct clock_snapshot end = w->mark ? w->end : end_now(w->all);
	struct profile_info info = {
		.events = w->all->events,
		.start_unix_ns = w->start.date,
		.duration_ns = end.monotonic - w->start.monotonic,
		.boot_unix_ns = clock_boot_unix_ns(),
		.timed = w->all->timed,
		.bare_natives = w->all->bare_natives,
		.outside = w->all->outside,
	};

	info.unlooked = registry_whose_unlooked(w->all->inputs.registry, info.whose_unlooked);
	quotas_set_mark(quotas, &w->quotas_end);
	quotas_between(quotas, &w->quotas, &w->quotas_end, &info);
	weight_set(&info, w->all->frequency, &w->start.ticks, &end.ticks);
	harvest_label_names(&w->all->inputs, &info);
	return info;
}

void windows_begin_turn(struct windows *all)
{
	all->pause_ns = clock_ns() + WINDOW_PART_NS;
}

static void windows_on_turn(void *windows, unsigned int ready)
{
	(void)ready;
	windows_begin_turn(windows);
}

int windows_watch(struct windows *all, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ .fd = -1, .run = windows_on_turn, .context = all });
}

void windows_end_turns(struct windows *all)
{
	all->pause_ns = 0;
}

int window_open(struct windows *all, struct window **ret)
{
	const struct kernel_tables *t = all->inputs.tables;
	struct window *w = malloc(sizeof(*w) + t->node_count * sizeof(w->since[0]));

	if (!w)
		return -ENOMEM;
	*w = (struct window){ .all = all, .next = all->first };
	settle(all);
	read_counts(t, w->since);
	quotas_set_mark(registry_quotas(all->inputs.registry), &w->quotas);
	w->start = moment_now(all);
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
	harvest_end(&w->look);
	harvest_end(&w->bank);
	free(w);
}

int window_mark(struct window *w)
{
	const struct kernel_tables *t = w->all->inputs.tables;

	if (!w->mark)
		w->mark = malloc(t->node_count * sizeof(w->mark[0]));
	if (!w->mark)
		return -ENOMEM;
	harvest_again(&w->look);
	settle(w->all);
	read_counts(t, w->mark);
	w->end = end_now(w->all);
	return 0;
}

static int new_profile(struct window *w)
{
	struct profile_info info = info_of(w);

	return profile_new(&info, &w->profile);
}

static void note_more_endpoints(struct windows *all, __u64 stacks)
{
	all->more_endpoints += stacks;
	if (stacks)
		complain(&all->endpoints_full,
			 "a profile has names for %d endpoints, those with most samples, and one user has at "
			 "most half of these: %llu stacks are of " ENDPOINTS_MORE,
			 ENDPOINTS_MAX, stacks);
}

/*
 * Moves what these nodes have counted for this window into its profile: up to the counts in span->until, or
 * up to now if that is NULL. -EAGAIN if it has paused.
 */
static int absorb(struct window *w, struct harvest_span *span)
{
	struct harvest_stats stats;
	int err = 0;

	span->since = span->ret = w->since;
	if (!w->profile)
		err = new_profile(w);
	if (!err)
		err = harvest(&w->all->inputs, span, w->profile, &stats);
	if (err)
		return err;
	for (int kind = 0; kind < EVENT_KINDS; kind++) /* those of a failed attempt are in it */
		w->stats.samples[kind] = profile_booked(w->profile, kind);
	w->stats.nodes = stats.nodes;
	w->stats.locations += stats.locations;
	w->stats.dropped += stats.dropped;
	note_more_endpoints(w->all, stats.more_endpoints);
	return 0;
}

/*
 * Up to the mark. Without memory the mark goes: what comes after it belongs to the next profile then, which
 * may be the last, and would lack it otherwise.
 */
static int absorb_marked(struct window *w, __u64 pause_ns)
{
	struct harvest_span span = { .until = w->mark, .progress = &w->look, .pause_ns = pause_ns };
	int err = absorb(w, &span);

	if (err && err != -EAGAIN)
		free(TAKE_PTR(w->mark));
	return err;
}

int window_prepare(struct window *w)
{
	return w->mark ? absorb_marked(w, w->all->pause_ns) : 0;
}

int window_look(struct window *w, const struct profile **ret, struct harvest_stats *ret_stats)
{
	struct profile_info info;
	int err;

	if (!w->mark)
		settle(w->all);
	err = absorb_marked(w, 0);
	if (err)
		return err;
	info = info_of(w);
	err = profile_set_info(w->profile, &info);
	if (err)
		return err;
	if (!w->mark)
		w->end = end_now(w->all);
	free(TAKE_PTR(w->mark));
	*ret_stats = w->stats;
	*ret = w->profile;
	return 0;
}

void window_done(struct window *w)
{
	profile_free(TAKE_PTR(w->profile));
	harvest_end(&w->bank);
	w->stats = (struct harvest_stats){};
	w->start = w->end;
	w->quotas = w->quotas_end;
}

__u32 window_stacks(const struct window *w)
{
	return w->profile ? profile_count(w->profile, PROFILE_SAMPLE) : 0;
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

	for (struct window *w = all->first; w; w = w->next) {
		struct harvest_span span = { .nodes = nodes, .progress = &w->bank,
					     .pause_ns = all->pause_ns };
		int err = absorb(w, &span);

		result = result && result != -EAGAIN ? result : err ?: result;
	}
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
		harvest_forget(&w->look, nodes);
		harvest_end(&w->bank);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
#include "findings/grows.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "findings/scene.h"

#define INTERVALS_MIN 5	   /* besides the first one: fewer tell nothing of how it goes on */
#define GREW_PART     0.8  /* of the intervals: a sawtooth grows in fewer, or gives back what it took */
#define LATE_PART     0.35 /* steady growth has half of it in the later half, a cache that is full nothing */

/* at: which one it is in the order of time. */
struct growth_stretch {
	__s64 start_ns, end_ns;
	__u32 profile, at;
};

struct change {
	__s64 pid, grown, shrunk;
	__u32 at, unused;
};

struct growth_history {
	struct growth_stretch *stretches;
	struct change *changes;
	size_t stretch_count, change_count;
};

static void free_history(struct growth_history *h)
{
	free(h->stretches);
	free(h->changes);
}

static __s64 net_of(__s64 grown, __s64 shrunk)
{
	return grown - (shrunk < grown ? shrunk : grown);
}

/* Threads are sorted by their processes. */
struct growth grows_most(const struct scene *s)
{
	struct growth most = { 0 };

	for (size_t i = 0; i < s->thread_count;) {
		struct growth g = { .pid = s->threads[i].pid };
		__s64 shrunk = 0;

		for (; i < s->thread_count && s->threads[i].pid == g.pid; i++) {
			g.grown = recorded_sum(g.grown, s->threads[i].grown);
			shrunk = recorded_sum(shrunk, s->threads[i].given_back);
		}
		g.net = net_of(g.grown, shrunk);
		if (g.net > most.net)
			most = g;
	}
	return most;
}

__s64 grows_by(const struct scene *s, __s64 pid)
{
	__s64 grown = 0;

	for (size_t i = 0; i < s->thread_count; i++)
		if (s->threads[i].pid == pid)
			grown = recorded_sum(grown, s->threads[i].grown);
	return grown;
}

static int by_time(const void *a, const void *b)
{
	const struct growth_stretch *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_process(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void sort_stretches(const struct recorded_growths *g, struct growth_history *h)
{
	const struct recorded_stretch *from = (const struct recorded_stretch *)g->profiles.data;

	for (size_t i = 0; i < h->stretch_count; i++)
		h->stretches[i] = (struct growth_stretch){
			.start_ns = from[i].start_ns,
			.end_ns = recorded_sum(from[i].start_ns, from[i].duration_ns),
			.profile = (__u32)i,
		};
	qsort(h->stretches, h->stretch_count, sizeof(*h->stretches), by_time);
	/* From here on `at` says of profile i, not of stretch i, which one it is. */
	for (size_t i = 0; i < h->stretch_count; i++)
		h->stretches[h->stretches[i].profile].at = (__u32)i;
}

static int make_history(const struct recorded_growths *g, struct growth_history *h)
{
	const struct recorded_growth *from = (const struct recorded_growth *)g->rows.data;

	h->stretch_count = recorded_growths_profiles(g);
	h->change_count = recorded_growths_rows(g);
	h->stretches = calloc(h->stretch_count + 1, sizeof(*h->stretches));
	h->changes = calloc(h->change_count + 1, sizeof(*h->changes));
	if (!h->stretches || !h->changes)
		return -ENOMEM;
	sort_stretches(g, h);
	for (size_t i = 0; i < h->change_count; i++)
		h->changes[i] = (struct change){ from[i].pid, from[i].grown, from[i].shrunk,
						 h->stretches[from[i].profile].at, 0 };
	qsort(h->changes, h->change_count, sizeof(*h->changes), by_process);
	return 0;
}

/* Adds one interval; those in which nothing is said of the process it did not grow. */
static void add_change(const struct growth_stretch *stretch, const struct change *c, __s64 begin,
		       struct growth_over_time *g, __s64 *ret_late)
{
	const __s64 change = recorded_sum(c->grown, c->shrunk > 0 ? -c->shrunk : 0);
	const __s64 middle = stretch->start_ns / 2 + stretch->end_ns / 2;

	g->grown = recorded_sum(g->grown, c->grown);
	g->grew += change > 0;
	g->net = recorded_sum(g->net, change);
	if (middle - begin > g->ns / 2)
		*ret_late = recorded_sum(*ret_late, change);
}

/* All changes of one process. */
static struct growth_over_time look(const struct growth_history *h, const struct change *changes, size_t n)
{
	const struct growth_stretch *last = &h->stretches[h->stretch_count - 1];
	struct growth_over_time g = { .pid = changes[0].pid };
	__s64 begin, late = 0;

	g.intervals = h->stretch_count - 1 - changes[0].at;
	begin = h->stretches[changes[0].at].end_ns;
	if (g.intervals < INTERVALS_MIN || begin <= 0 || last->end_ns <= begin)
		return g;
	g.is_known = true;
	g.ns = last->end_ns - begin;
	for (size_t i = 0; i < n; i++)
		if (changes[i].at != changes[0].at)
			add_change(&h->stretches[changes[i].at], &changes[i], begin, &g, &late);
	g.net = g.net > 0 ? g.net : 0;
	g.late_share = g.net ? (double)late / (double)g.net : 0;
	g.goes_on = g.net && (double)g.grew >= GREW_PART * (double)g.intervals && g.late_share >= LATE_PART;
	return g;
}

static bool is_worse(const struct growth_over_time *a, const struct growth_over_time *b)
{
	return a->goes_on != b->goes_on ? a->goes_on : a->net > b->net;
}

int grows_over_time(const struct scene *s, struct growth_over_time *ret)
{
	_cleanup_(free_history) struct growth_history h = { 0 };
	int err = make_history(&s->recorded->growths, &h);

	*ret = (struct growth_over_time){ .is_known = false };
	for (size_t i = 0, n; i < h.change_count && !err; i += n) {
		struct growth_over_time g;

		for (n = 1; i + n < h.change_count && h.changes[i + n].pid == h.changes[i].pid;)
			n++;
		g = look(&h, &h.changes[i], n);
		if (g.is_known && (!ret->is_known || is_worse(&g, ret)))
			*ret = g;
	}
	return err;
}

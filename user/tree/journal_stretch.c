// SPDX-License-Identifier: GPL-2.0-only
/*
 * journal_stretch.c - see journal_stretch.h. Chunk by chunk: sums up what each stack has in the stretch,
 * makes samples of these, and then notes when each was counted. When a chunk was closed meanwhile, or a block
 * has gone, all of it is done anew.
 */
#include "tree/journal_stretch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "profile/copy.h"
#include "profile/events.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/trace_ids.h"
#include "tree/journal.h"
#include "tree/window.h"

struct journal_span {
	struct trace_ids ids;
	UT_hash_handle hh;
};

/* A stack of the chunk at hand, in a span if those are told apart. */
struct sum {
	const struct journal_span *span; /* NULL: in none */
	__u32 next;   /* of the same stack in another span: its index plus one; 0 = there is none */
	__u32 stack;  /* a node, or a sample of the chunk's profile */
	__u32 sample; /* of the profile that is made; 0 = not made yet */
	__u64 of[EVENT_KINDS];
};

struct journal_stretch {
	struct journal *journal;
	__u64 from, to;
	__u64 changes; /* of the journal, when it was begun */
	struct profile *profile;
	struct journal_stacks nodes; /* of chunks that are open */
	int done;		     /* chunks: those that are open first */
	__u32 *index_of;	     /* by stack: of its first sum, plus one */
	struct sum *sums;
	struct moments pending; /* of the chunk at hand; in place of a sample they have the index of a sum */
	__u32 count, capacity, at; /* sums, and the next one to be made a sample */
	bool summed;
	struct trace_wanted wanted;
	struct journal_span *spans;
	__u64 unlabelled;
	__u64 ticks, spanless; /* of the stretch, if one trace is wanted, and those that are in no span */
};

/* --- one chunk ----------------------------------------------------------------------------------------- */

/* The span with these ids; *ret is NULL for none, or if there are too many. 0 or -ENOMEM. */
static int find_span(struct journal_stretch *s, const struct trace_ids *ids, const struct journal_span **ret)
{
	struct journal_span *span = NULL;

	*ret = NULL;
	if (!s->wanted.each || !ids->span)
		return 0;
	HASH_FIND(hh, s->spans, ids, sizeof(*ids), span);
	if (!span && HASH_COUNT(s->spans) == JOURNAL_STRETCH_SPANS) {
		s->unlabelled++;
		return 0;
	}
	if (!span) {
		span = calloc(1, sizeof(*span));
		if (!span)
			return -ENOMEM;
		span->ids = *ids;
		HASH_ADD(hh, s->spans, ids, sizeof(*ids), span);
		if (!span->hh.tbl) {
			free(span);
			return -ENOMEM;
		}
	}
	*ret = span;
	return 0;
}

static int grow_sums(struct journal_stretch *s)
{
	const __u32 capacity = s->capacity ? 2 * s->capacity : 1024;
	struct sum *grown = reallocarray(s->sums, capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->sums = grown;
	s->capacity = capacity;
	return 0;
}

/* The index of the sum of a stack in a span. It becomes the stack's first: it is likely asked for again. */
static int find_sum(struct journal_stretch *s, __u32 stack, const struct journal_span *span, __u32 *ret)
{
	__u32 *first = &s->index_of[stack];
	int err;

	for (__u32 *at = first; *at; at = &s->sums[*at - 1].next) {
		const __u32 index = *at;

		if (s->sums[index - 1].span != span)
			continue;
		*at = s->sums[index - 1].next;
		s->sums[index - 1].next = *first;
		*first = index;
		*ret = index - 1;
		return 0;
	}
	err = s->count == s->capacity ? grow_sums(s) : 0;
	if (err)
		return err;
	s->sums[s->count++] = (struct sum){ .stack = stack, .span = span, .next = *first };
	*first = s->count;
	*ret = s->count - 1;
	return 0;
}

static int add_sum(struct journal_stretch *s, const struct journal_entry *e, const struct trace_ids *ids,
		   const struct journal_part *p)
{
	const struct journal_span *span;
	__u32 index;
	int err = find_span(s, ids, &span) ?: find_sum(s, e->stack, span, &index);

	if (err)
		return err;
	s->sums[index].of[e->kind] += p->amount;
	return moments_add(&s->pending, &(struct moment){
		.begin = p->begin - s->from,
		.end = p->end - s->from,
		.amount = p->amount,
		.sample = index,
		.kind = e->kind,
	});
}

static int note_moments(struct journal_stretch *s)
{
	int err = 0;

	for (size_t i = 0; i < s->pending.count && !err; i++) {
		struct moment m = s->pending.list[i];

		m.sample = s->sums[m.sample].sample;
		err = profile_moment(s->profile, &m);
	}
	return err;
}

static void forget_sums(struct journal_stretch *s)
{
	free(s->index_of);
	s->index_of = NULL;
	s->pending.count = 0;
	s->count = s->at = 0;
	s->summed = false;
}

/* In a closed chunk an entry without a stack is of one that could not be had. */
static int add_parts(struct journal_stretch *s, const struct journal_block *b, bool is_closed)
{
	int err = 0;

	for (__u32 i = 0; i < b->count && !err; i++) {
		const struct journal_entry *e = &b->entries[i];
		const struct journal_part p = journal_part_of(b, e, s->from, s->to);
		const struct trace_ids ids = journal_entry_ids(b, e);

		if (s->wanted.one && event_rows[e->kind].unit == UNIT_COUNT) {
			s->ticks += p.amount;
			s->spanless += ids.span ? 0 : p.amount;
		}
		if (p.amount && (e->stack || !is_closed) && trace_is_wanted(&s->wanted, &ids))
			err = add_sum(s, e, &ids, &p);
	}
	return err;
}

static int sum_up(struct journal_stretch *s, const struct journal_chunk *c)
{
	const __u32 stacks = c->stacks ? profile_count(c->stacks, PROFILE_SAMPLE) + 1 :
					 s->journal->windows->inputs.tables->node_count;
	int err;

	s->index_of = calloc(stacks, sizeof(*s->index_of));
	err = s->index_of ? 0 : -ENOMEM;
	for (const struct journal_block *b = c->blocks.first; b && !err; b = b->next)
		if (b->last >= s->from && b->first < s->to)
			err = add_parts(s, b, c->stacks);
	s->summed = !err;
	return err;
}

/* Of a generation that goes on. */
static int make_of_nodes(struct journal_stretch *s)
{
	for (; s->at < s->count; s->at++) {
		struct sum *sum = &s->sums[s->at];

		if (journal_stacks_time_is_up(&s->nodes))
			return -EAGAIN;
		s->nodes.ids = sum->span ? &sum->span->ids : NULL;
		for (int kind = 0; kind < EVENT_KINDS; kind++) {
			int err = sum->of[kind] ? journal_stacks_add(&s->nodes, sum->stack, kind,
								     sum->of[kind]) : 0;

			if (err)
				return err;
			sum->of[kind] = 0; /* it may pause before the next kind */
		}
		sum->sample = s->nodes.id_of[sum->stack];
	}
	return 0;
}

/* Of one that is over, whose stacks are a profile of their own. */
static int make_of_samples(struct journal_stretch *s, const struct journal_chunk *c)
{
	_cleanup_copier_ struct copier *copier = NULL;
	int err = copier_new(&copier, c->stacks);

	if (err)
		return err;
	copier_begin(copier, s->profile);
	for (; s->at < s->count && !err; s->at++) {
		struct sum *sum = &s->sums[s->at];
		struct profile_stack stack = profile_get_sample(c->stacks, sum->stack);
		struct profile_labels labels = profile_get_labels(c->stacks, stack.owner);
		struct journal_span_labels texts;

		journal_span_labels(&labels, sum->span ? &sum->span->ids : NULL, s->journal->routes, &texts);
		stack.counts = sum->of;
		err = copier_add(copier, &stack, &labels);
		sum->sample = profile_last_sample(s->profile);
	}
	return err;
}

static int do_chunk(struct journal_stretch *s, const struct journal_chunk *c)
{
	int err = s->summed ? 0 : sum_up(s, c);

	if (!err)
		err = c->stacks ? make_of_samples(s, c) : make_of_nodes(s);
	err = err ?: note_moments(s);
	if (!err)
		forget_sums(s);
	return err;
}

/* --- all of them --------------------------------------------------------------------------------------- */

/* The n-th chunk, or NULL. */
static const struct journal_chunk *chunk_of(const struct journal *j, int n)
{
	const struct journal_chunk *c = j->closed;

	if (n < BANKS)
		return &j->open[n];
	for (n -= BANKS; c && n; n--)
		c = c->next;
	return c;
}

static void forget_spans(struct journal_stretch *s)
{
	struct journal_span *span, *next;

	HASH_ITER(hh, s->spans, span, next) {
		HASH_DEL(s->spans, span);
		free(span);
	}
	s->unlabelled = s->ticks = s->spanless = 0;
}

static void end(struct journal_stretch *s)
{
	forget_spans(s);
	journal_stacks_close(&s->nodes);
	profile_free(s->profile);
	s->profile = NULL;
	s->done = 0;
	forget_sums(s);
}

static void note_losses(const struct journal_stretch *s, struct profile_info *info)
{
	const __u64 ahead = clock_unix_ahead_ns();
	struct journal_gap gaps[PROFILE_LOSSES_MAX];

	info->loss_count = journal_losses(s->journal, s->from, s->to, gaps, PROFILE_LOSSES_MAX);
	for (__u32 i = 0; i < info->loss_count; i++)
		info->losses[i] = (struct profile_loss){
			.from_unix_ns = gaps[i].from + ahead,
			.to_unix_ns = gaps[i].to + ahead,
			.samples = gaps[i].lost,
		};
}

static int begin_stretch(struct journal_stretch *s)
{
	const struct windows *w = s->journal->windows;
	struct profile_info info = {
		.events = event_parts(w->events),
		.period_ns = w->frequency ? NS_PER_SECOND / w->frequency : 1,
		.frequency = w->frequency,
		.start_unix_ns = s->from + clock_unix_ahead_ns(),
		.duration_ns = s->to - s->from,
		.boot_unix_ns = clock_boot_unix_ns(),
		.bare_natives = w->bare_natives,
	};
	int err;

	end(s);
	s->changes = s->journal->changes;
	harvest_label_names(&w->inputs, &info);
	note_losses(s, &info);
	err = profile_new(&info, &s->profile) ?: journal_stacks_open(&s->nodes, &w->inputs, s->profile);
	s->nodes.routes = s->journal->routes;
	return err;
}

int journal_stretch_new(struct journal_stretch **ret, struct journal *j, __u64 from, __u64 to)
{
	struct journal_stretch *s;

	if (to <= from)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	*s = (struct journal_stretch){ .journal = j, .from = from, .to = to };
	j->held++;
	*ret = s;
	return 0;
}

void journal_stretch_free(struct journal_stretch *s)
{
	if (!s)
		return;
	s->journal->held--;
	end(s);
	free(s->sums);
	moments_free(&s->pending);
	free(s);
}

void journal_stretch_spans(struct journal_stretch *s, const struct trace_wanted *wanted)
{
	s->wanted = *wanted;
}

__u64 journal_stretch_unlabelled(const struct journal_stretch *s)
{
	return s->unlabelled;
}

int journal_stretch_prepare(struct journal_stretch *s, __u64 pause_ns)
{
	const struct journal_chunk *c;
	int err = !s->profile || s->changes != s->journal->changes ? begin_stretch(s) : 0;

	if (err) {
		end(s);
		return err;
	}
	journal_stacks_begin_part(&s->nodes, pause_ns);
	while ((c = chunk_of(s->journal, s->done))) {
		err = do_chunk(s, c);
		if (err)
			break;
		s->done++;
	}
	if (err && err != -EAGAIN)
		end(s);
	return err;
}

struct profile *journal_stretch_take(struct journal_stretch *s)
{
	struct profile_info info = *profile_get_info(s->profile);

	info.log_ticks = s->ticks;
	info.log_spanless = s->spanless;
	profile_set_info(s->profile, &info);
	return TAKE_PTR(s->profile);
}

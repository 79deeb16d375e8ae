// SPDX-License-Identifier: GPL-2.0-only
#include "tree/journal_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/abi.h"
#include "kern/journal_rings.h"

#define END_MAX	  ((1ULL << 47) - 1)
#define BASE_BACK (1ULL << 45) /* ns: samples of other CPUs may be older than the first of a block */
#define NS_MAX	  ((1ULL << JOURNAL_NS_BITS) - 1)
#define TICKS_MAX ((1U << JOURNAL_TICKS_BITS) - 1)

_Static_assert(EVENT_KINDS <= 1 << 4, "an entry has four bits for its kind");
_Static_assert(NODE_BITS <= 24, "... and 24 for its node");

static bool is_same_span(const struct trace_ids *a, const struct trace_ids *b)
{
	return a->span == b->span && a->low == b->low && a->high == b->high;
}

struct trace_ids journal_entry_ids(const struct journal_block *b, const struct journal_entry *e)
{
	const __u32 number = b->spans ? b->spans->of[e - b->entries] : 0;

	return number ? b->spans->list[number - 1] : (struct trace_ids){};
}

/* Which span of the block that is, the last first: its number; 0 for none; -ENOSPC, -ENOMEM. */
static int span_number(struct journal_block *b, const struct trace_ids *ids)
{
	struct journal_spans *s = b->spans;

	if (!ids->span)
		return 0;
	for (__u32 i = s ? s->count : 0; i; i--)
		if (is_same_span(&s->list[i - 1], ids))
			return (int)i;
	if (!s)
		s = b->spans = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	if (s->count == JOURNAL_BLOCK_SPANS)
		return -ENOSPC;
	s->list[s->count] = *ids;
	return (int)++s->count;
}

static bool is_counted(__u32 kind)
{
	return event_rows[kind].unit == UNIT_COUNT;
}

static __u64 end_of(const struct journal_block *b, const struct journal_entry *e)
{
	return b->base + e->end;
}

static bool fits(const struct journal_block *b, __u64 ns)
{
	return ns >= b->base && ns - b->base <= END_MAX;
}

/* How long a span is, or a run of ticks; else 0. */
static __u64 length_of(const struct journal_entry *e)
{
	return e->is_span || is_counted(e->kind) ? e->ns : 0;
}

static void note_times(struct journal_block *b, const struct journal_entry *e)
{
	const __u64 end = end_of(b, e), begin = end - length_of(e);

	if (b->count == 1 || begin < b->first)
		b->first = begin;
	if (b->count == 1 || end > b->last)
		b->last = end;
}

static struct journal_block *new_block(struct journal_blocks *all, __u64 ns, int *added)
{
	struct journal_block *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	b->next = NULL;
	b->spans = NULL;
	b->base = ns > BASE_BACK ? ns - BASE_BACK : 0;
	b->first = b->last = ns;
	b->count = 0;
	if (all->last)
		all->last->next = b;
	else
		all->first = b;
	all->last = b;
	++*added;
	return b;
}

/*
 * A block with room for an entry of this time and span, whose number there goes to *ret_span. *added grows by
 * 1 if it is new. NULL: no memory.
 */
static struct journal_block *block_for(struct journal_blocks *all, __u64 ns, const struct trace_ids *ids,
				       int *ret_span, int *added)
{
	struct journal_block *b = all->last;

	if (!b || b->count == JOURNAL_BLOCK_ENTRIES || !fits(b, ns))
		b = new_block(all, ns, added);
	*ret_span = b ? span_number(b, ids) : -ENOMEM;
	if (*ret_span == -ENOSPC) {
		b = new_block(all, ns, added);
		*ret_span = b ? span_number(b, ids) : -ENOMEM;
	}
	return *ret_span < 0 ? NULL : b;
}

/* Whether a sample was made one with the entry, of the same node, kind and span, before it. */
static bool merge(struct journal_block *b, struct journal_entry *e, const struct journal_sample *s,
		  __u64 together_ns, __u64 cut_ns)
{
	const __u64 end = end_of(b, e), passed = s->ns - end;
	const struct trace_ids ids = journal_entry_ids(b, e);

	if (!is_same_span(&ids, &s->ids) || e->stack != s->node || e->kind != s->kind ||
	    e->is_span != s->is_span || s->ns < end || !fits(b, s->ns) || passed > NS_MAX - e->ns)
		return false;
	if (is_counted(s->kind)) {
		if (passed > together_ns || (end < cut_ns && s->ns >= cut_ns) ||
		    s->amount > TICKS_MAX - e->ticks)
			return false;
		e->ticks += s->amount;
	} else if (!s->is_span || passed != s->amount) {
		return false;
	}
	e->ns += passed;
	e->end += passed;
	note_times(b, e);
	return true;
}

static int add_entry(struct journal_blocks *all, struct journal_recent *recent,
		     const struct journal_sample *s, __u64 amount, __u64 ns, int *added)
{
	int span;
	struct journal_block *b = block_for(all, ns, &s->ids, &span, added);
	struct journal_entry *e;

	if (!b)
		return -ENOMEM;
	if (b->spans)
		b->spans->of[b->count] = (__u16)span;
	e = &b->entries[b->count++];
	*e = (struct journal_entry){
		.end = ns - b->base,
		.kind = s->kind,
		.is_span = s->is_span,
		.ticks = is_counted(s->kind) ? amount : 0,
		.stack = s->node,
		.ns = is_counted(s->kind) ? 0 : amount,
	};
	note_times(b, e);
	recent->of[s->node % JOURNAL_RECENT].block = b;
	recent->of[s->node % JOURNAL_RECENT].entry = e;
	return 0;
}

int journal_blocks_add(struct journal_blocks *b, struct journal_recent *recent,
		       const struct journal_sample *s, __u64 together_ns, __u64 cut_ns)
{
	const __u64 most = is_counted(s->kind) ? TICKS_MAX : NS_MAX;
	struct journal_entry *last = recent->of[s->node % JOURNAL_RECENT].entry;
	__u64 left = s->amount;
	int err = 0, added = 0;

	if (last && merge(recent->of[s->node % JOURNAL_RECENT].block, last, s, together_ns, cut_ns))
		return 0;
	while (left && !err) {
		const __u64 now = left < most ? left : most, end = s->is_span ? s->amount - left + now : 0;

		err = add_entry(b, recent, s, now, s->is_span ? s->ns - s->amount + end : s->ns, &added);
		left -= now;
	}
	return err ?: added;
}

void journal_blocks_drop(struct journal_blocks *b)
{
	struct journal_block *first = b->first;

	b->first = first->next;
	if (!b->first)
		b->last = NULL;
	free(first->spans);
	free(first);
}

__u32 journal_blocks_free(struct journal_blocks *b)
{
	__u32 n = 0;

	for (; b->first; n++)
		journal_blocks_drop(b);
	return n;
}

/* Of ticks that are so far apart as each other: how many are in the stretch. */
static struct journal_part ticks_part(const struct journal_entry *e, struct journal_part p, __u64 from,
				      __u64 to)
{
	const __u64 step = e->ticks > 1 ? e->ns / (e->ticks - 1) : 0;
	__u64 skipped = 0, left;

	if (p.end < from || p.begin >= to)
		return (struct journal_part){};
	if (!step) { /* all at one moment */
		p.begin = p.end;
		p.amount = p.end >= from && p.end < to ? e->ticks : 0;
		return p;
	}
	if (p.begin < from)
		skipped = (from - p.begin + step - 1) / step;
	if (skipped >= e->ticks)
		return (struct journal_part){};
	p.begin += skipped * step;
	if (p.begin >= to)
		return (struct journal_part){};
	left = (to - 1 - p.begin) / step + 1;
	p.amount = left < e->ticks - skipped ? left : e->ticks - skipped;
	if (p.end >= to)
		p.end = p.begin + (p.amount - 1) * step;
	return p;
}

struct journal_part journal_part_of(const struct journal_block *b, const struct journal_entry *e, __u64 from,
				    __u64 to)
{
	const __u64 end = end_of(b, e);
	struct journal_part p = { .begin = end - length_of(e), .end = end };

	if (is_counted(e->kind))
		return ticks_part(e, p, from, to);
	if (!e->is_span) {
		p.amount = end >= from && end < to ? e->ns : 0;
		return p;
	}
	if (p.end <= from || p.begin >= to)
		return (struct journal_part){};
	p.begin = p.begin < from ? from : p.begin;
	p.end = p.end > to ? to : p.end;
	p.amount = p.end - p.begin;
	return p;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "tree/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "kern/banks.h"
#include "kern/journal_rings.h"
#include "profile/events.h"
#include "profile/profile.h"
#include "tree/window.h"

_Static_assert(BANKS == 2, "oldest() compares two chunks");

#define READ_MS	     1000 /* between two readings of the rings, at most, */
#define READ_MS_MIN  10	  /* ... and at least */
#define FULL_ENOUGH  0.25 /* of a ring, when it is read next */
#define STACKS_BYTES (64 << 20) /* of the stacks of all closed chunks */

int journal_new(struct journal **ret, struct kernel *k, const struct windows *w, long minutes, int cpus,
		bool traced)
{
	const __u64 bytes = (__u64)minutes * JOURNAL_MINUTE_BYTES * ((cpus + 7) / 8);
	struct journal *j = calloc(1, sizeof(*j));

	if (j)
		j->recent = calloc(1, sizeof(*j->recent));
	if (!j || !j->recent) {
		free(j);
		return -ENOMEM;
	}
	j->kernel = k;
	j->windows = w;
	j->keep_ns = minutes * 60 * NS_PER_SECOND;
	j->traced = traced;
	j->block_bytes = sizeof(struct journal_block) + (traced ? sizeof(struct journal_spans) : 0);
	j->blocks_max = bytes / j->block_bytes;
	j->begin_ns = j->read_ns = clock_ns();
	*ret = j;
	return 0;
}

/* --- what goes ----------------------------------------------------------------------------------------- */

static void changed(struct journal *j)
{
	memset(j->recent, 0, sizeof(*j->recent));
	j->changes++;
}

static void close_ends(struct journal *j)
{
	journal_stacks_close(&j->closing);
	profile_free(j->closing_stacks);
	j->closing_stacks = NULL;
	j->closing_at.block = NULL;
}

static void note_gone(struct journal *j, const struct journal_block *b)
{
	j->gone_ns = b->last > j->gone_ns ? b->last : j->gone_ns;
}

static void free_oldest_closed(struct journal *j)
{
	struct journal_chunk *c = j->closed;

	for (const struct journal_block *b = c->blocks.first; b; b = b->next)
		note_gone(j, b);
	j->closed = c->next;
	j->blocks -= journal_blocks_free(&c->blocks);
	profile_free(c->stacks);
	free(c);
	changed(j);
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	while (j->closed)
		free_oldest_closed(j);
	for (int bank = 0; bank < BANKS; bank++)
		journal_blocks_free(&j->open[bank].blocks);
	close_ends(j);
	free(j->recent);
	free(j);
}

/* The chunk with the oldest block: those that are closed are older. NULL: there is none. */
static struct journal_chunk *oldest(struct journal *j)
{
	const struct journal_block *one = j->open[0].blocks.first, *other = j->open[1].blocks.first;

	if (j->closed)
		return j->closed;
	if (one && other)
		return &j->open[one->last > other->last];
	return one ? &j->open[0] : other ? &j->open[1] : NULL;
}

static void drop_oldest(struct journal *j)
{
	struct journal_chunk *c = oldest(j);

	if (!c->stacks) /* its nodes were being asked for */
		close_ends(j);
	if (c->blocks.first) {
		note_gone(j, c->blocks.first);
		journal_blocks_drop(&c->blocks);
		j->blocks--;
		changed(j);
	}
	if (c == j->closed && !c->blocks.first)
		free_oldest_closed(j);
}

static void drop_old(struct journal *j, __u64 now)
{
	for (struct journal_chunk *c = oldest(j); c && !j->held; c = oldest(j)) {
		if (c->blocks.first && c->blocks.first->last + j->keep_ns >= now)
			return;
		drop_oldest(j);
	}
}

static size_t stacks_bytes(const struct journal *j)
{
	size_t sum = 0;

	for (const struct journal_chunk *c = j->closed; c; c = c->next)
		sum += profile_bytes(c->stacks);
	return sum;
}

/* --- what comes ---------------------------------------------------------------------------------------- */

static void add_gap(struct journal *j, __u64 from, __u64 to, __u64 lost)
{
	struct journal_gap *last = j->gap_count ? &j->gaps[j->gap_count - 1] : NULL;

	j->lost += lost;
	if (last && last->to == from) {
		last->to = to;
		last->lost += lost;
		return;
	}
	if (j->gap_count == JOURNAL_GAPS) {
		j->gaps[1].from = j->gaps[0].from;
		j->gaps[1].lost += j->gaps[0].lost;
		memmove(j->gaps, j->gaps + 1, --j->gap_count * sizeof(j->gaps[0]));
	}
	j->gaps[j->gap_count++] = (struct journal_gap){ from, to, lost };
}

/* Entries of kinds that nobody asked for, which are measured for a sum, are there as well: event_parts(). */
static bool is_kept(const struct journal *j, const struct journal_sample *s)
{
	return s->kind < EVENT_KINDS && event_parts(j->windows->events) & EVENT_BIT(s->kind) &&
	       s->node < j->windows->inputs.tables->node_count;
}

/* One and a half times what passes between two ticks: those that follow each other. */
static __u64 together_ns(const struct journal *j)
{
	return NS_PER_SECOND * 3 / 2 / (j->windows->frequency ?: 1);
}

void journal_add(struct journal *j, const struct journal_sample *s)
{
	const __u32 bank = s->node >= j->windows->inputs.tables->node_count / BANKS;
	int added;

	if (!is_kept(j, s))
		return;
	added = journal_blocks_add(&j->open[bank].blocks, j->recent, s, together_ns(j), j->cut_ns);
	if (added < 0) {
		add_gap(j, s->ns, s->ns, 1);
		return;
	}
	j->samples++;
	j->blocks += added;
	while (j->blocks > j->blocks_max)
		drop_oldest(j);
}

static int take(void *journal, const struct journal_sample *s)
{
	journal_add(journal, s);
	return 0;
}

void journal_read(struct journal *j)
{
	const __u64 now = clock_ns();
	const __s64 lost = kernel_read_journal(j->kernel, take, j);

	if (lost > 0)
		add_gap(j, j->read_ns, now, lost);
	j->read_ns = now;
	drop_old(j, now);
}

void journal_cut(struct journal *j, __u64 ns)
{
	j->cut_ns = ns;
	journal_read(j);
}

/* The sooner the faster the rings fill. */
static int journal_due_ms(void *journal)
{
	const struct journal *j = journal;
	const double full = kernel_journal_fullness(j->kernel);
	const __u64 passed = (clock_ns() - j->read_ns) / NS_PER_MS;
	double left = READ_MS - (double)passed;

	if (full > 0 && passed * (FULL_ENOUGH / full - 1) < left)
		left = passed * (FULL_ENOUGH / full - 1);
	if (full >= FULL_ENOUGH)
		return 0;
	return left > READ_MS_MIN ? (int)left : READ_MS_MIN;
}

static void journal_on_turn(void *journal, unsigned int ready)
{
	struct journal *j = journal;

	if (ready & LOOP_SECOND || clock_ns() - j->read_ns >= READ_MS * NS_PER_MS ||
	    kernel_journal_fullness(j->kernel) >= FULL_ENOUGH)
		journal_read(j);
}

int journal_watch(struct journal *j, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, journal_due_ms, journal_on_turn, j });
}

/* --- the end of a generation ------------------------------------------------------------------------- */

static int close_begin(struct journal *j, unsigned int bank)
{
	struct profile_info info = {
		.events = event_parts(j->windows->events),
		.period_ns = 1,
		.bare_natives = j->windows->bare_natives,
	};
	int err;

	harvest_label_names(&j->windows->inputs, &info);
	err = profile_new(&info, &j->closing_stacks) ?:
	      journal_stacks_open(&j->closing, &j->windows->inputs, j->closing_stacks);
	j->closing_at.block = j->open[bank].blocks.first;
	j->closing_at.entry = 0;
	return err;
}

/* Asks for the stack of each node that was noted. */
static int close_look(struct journal *j, __u64 pause_ns)
{
	journal_stacks_begin_part(&j->closing, pause_ns);
	while (j->closing_at.block) {
		const struct journal_block *b = j->closing_at.block;

		for (; j->closing_at.entry < b->count; j->closing_at.entry++) {
			const struct journal_entry *e = &b->entries[j->closing_at.entry];
			int err;

			if (j->closing.id_of[e->stack])
				continue;
			if (journal_stacks_time_is_up(&j->closing))
				return -EAGAIN;
			err = journal_stacks_add(&j->closing, e->stack, e->kind, 1);
			if (err)
				return err;
		}
		j->closing_at.block = b->next;
		j->closing_at.entry = 0;
	}
	return 0;
}

/* From nodes to samples of the profile. What was noted since the look began, of reserved nodes, has none. */
static void name_stacks(const struct journal *j, struct journal_blocks *blocks)
{
	for (struct journal_block *b = blocks->first; b; b = b->next)
		for (__u32 i = 0; i < b->count; i++)
			b->entries[i].stack = j->closing.id_of[b->entries[i].stack];
}

static int close_end(struct journal *j, unsigned int bank)
{
	struct journal_chunk *c = calloc(1, sizeof(*c)), **at = &j->closed;

	if (!c)
		return -ENOMEM;
	name_stacks(j, &j->open[bank].blocks);
	c->blocks = j->open[bank].blocks;
	c->stacks = j->closing_stacks;
	j->closing_stacks = NULL;
	j->open[bank].blocks = (struct journal_blocks){};
	close_ends(j);
	while (*at)
		at = &(*at)->next;
	*at = c;
	changed(j);
	while (j->closed->next && stacks_bytes(j) > STACKS_BYTES)
		free_oldest_closed(j);
	return 0;
}

/* Without memory for the stacks their entries mean nothing. */
static void lose(struct journal *j, unsigned int bank)
{
	struct journal_blocks *blocks = &j->open[bank].blocks;

	for (const struct journal_block *b = blocks->first; b; b = b->next)
		add_gap(j, b->first, b->last, b->count);
	j->blocks -= journal_blocks_free(blocks);
	close_ends(j);
	changed(j);
}

int journal_close(struct journal *j, unsigned int bank)
{
	int err = 0;

	if (!j->open[bank].blocks.first)
		return 0;
	if (!j->closing_stacks)
		err = close_begin(j, bank);
	err = err ?: close_look(j, j->windows->pause_ns);
	err = err ?: close_end(j, bank);
	if (err && err != -EAGAIN) {
		log_debug("the log of a generation is lost: %s", strerror(-err));
		lose(j, bank);
		return 0;
	}
	return err;
}

/* --- what is told -------------------------------------------------------------------------------------- */

bool journal_has_all(const struct journal *j, __u64 from, __u64 to)
{
	for (int i = 0; i < j->gap_count; i++)
		if (j->gaps[i].to >= from && j->gaps[i].from < to && j->gaps[i].lost)
			return false;
	return from >= j->begin_ns && from > j->gone_ns;
}

__u32 journal_losses(const struct journal *j, __u64 from, __u64 to, struct journal_gap *ret, __u32 most)
{
	__u32 n = 0;

	for (int i = 0; i < j->gap_count; i++) {
		struct journal_gap g = j->gaps[i];

		if (g.to < from || g.from >= to)
			continue;
		g.from = g.from < from ? from : g.from;
		g.to = g.to > to ? to : g.to;
		if (n < most) {
			ret[n++] = g;
			continue;
		}
		ret[most - 1].to = g.to;
		ret[most - 1].lost += g.lost;
	}
	return n;
}

__u64 journal_oldest(const struct journal *j)
{
	const struct journal_chunk *c = oldest((struct journal *)j);
	const __u64 kept = j->read_ns - j->keep_ns;
	__u64 from = j->begin_ns;

	if (j->changes && c && c->blocks.first && c->blocks.first->first > from)
		from = c->blocks.first->first;
	return j->read_ns > j->keep_ns && kept > from ? kept : from;
}

size_t journal_bytes(const struct journal *j)
{
	return (size_t)j->blocks * j->block_bytes + stacks_bytes(j);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_journal.c - the journal over forged tables: stretches of generations that go on and of those that are
 * over, what goes for its age or for want of room, and what is told of what is missing.
 */
#include "tests/forge/tables.h"

#include <errno.h>

#include "base/clock.h"
#include "kern/journal_rings.h"
#include "profile/moments.h"
#include "profile/trace_ids.h"
#include "tree/journal.h"
#include "tree/journal_stretch.h"
#include "tree/window.h"
#include "tests/forge/test.h"

static struct windows all;
static struct journal *journal;
static __u64 t0;

/* Nodes 27 (inner below outer) and 26 (outer) of the first bank, and 5027 of the second one. */
static int setup_journal(void **state)
{
	if (setup(state))
		return -1;
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	set_node(27, 26, 101, 4, 0);
	set_root(5025, 1, 0);
	set_node(5027, 5025, 101, 4, 0);
	all = (struct windows){ .inputs = forged_inputs,
				.events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU),
				.frequency = 100 };
	t0 = clock_ns();
	return journal_new(&journal, NULL, &all, 1, 1, false);
}

static int teardown_journal(void **state)
{
	journal_free(journal);
	return teardown(state);
}

static void add(__u64 after_ns, __u32 node, enum event_kind kind, __u64 amount)
{
	journal_add(journal, &(struct journal_sample){ t0 + after_ns, amount, node, kind,
						       kind == EVENT_OFFCPU, { 0 } });
}

/* The stretch as shown(), and its moments, "begin-end sample kind amount;". */
static const char *stretch(__u64 from, __u64 to)
{
	static char text[9000];
	struct journal_stretch *s;
	size_t used;

	assert_int_equal(journal_stretch_new(&s, journal, t0 + from, t0 + to), 0);
	assert_int_equal(journal_stretch_prepare(s, 0), 0);
	profile_free(profile);
	profile = journal_stretch_take(s);
	journal_stretch_free(s);
	used = snprintf(text, sizeof(text), "%s", shown());
	for (size_t i = 0; i < profile_moments(profile)->count; i++) {
		const struct moment *m = &profile_moments(profile)->list[i];

		used += snprintf(text + used, sizeof(text) - used, "%llu-%llu %u %u %llu;", m->begin, m->end,
				 m->sample, m->kind, m->amount);
	}
	return text;
}

#define WORKS "100/100 main-now/main-now: inner:23 < outer:11 = "

TEST(a_generation_that_goes_on)
{
	add(10, 27, EVENT_CPU, 1);
	add(20, 27, EVENT_CPU, 1);
	add(40, 26, EVENT_CPU, 3);
	assert_string_equal(stretch(0, 30), WORKS "2\n"
						  "10-20 1 0 2;");
	assert_string_equal(stretch(15, 50), WORKS "1\n100/100 main-now/main-now: outer:11 = 3\n"
						   "5-5 1 0 1;25-25 2 0 3;");
	assert_string_equal(stretch(50, 60), "");
}

/* The nodes are then cleared, and mean something else. */
TEST(a_generation_that_is_over)
{
	add(10, 27, EVENT_CPU, 2);
	add(90, 27, EVENT_OFFCPU, 30);
	add(30, 5027, EVENT_CPU, 1);
	assert_int_equal(journal_close(journal, 0), 0);
	memset(nodes + EVENT_KINDS, 0, (NODES / 2 - EVENT_KINDS) * sizeof(*nodes));
	assert_string_equal(stretch(0, 100), "100/101 python3/worker: inner:23 = 1\n" WORKS "2\n"
					     "30-30 1 0 1;10-10 2 0 2;60-90 2 1 30;");
	add(70, 5027, EVENT_CPU, 1);
	assert_int_equal(journal_close(journal, 1), 0);
	assert_string_equal(stretch(0, 20), WORKS "2\n10-10 1 0 2;");
	assert_int_equal(journal_close(journal, 0), 0);
	assert_string_equal(stretch(60, 100), WORKS "0\n100/101 python3/worker: inner:23 = 1\n"
						    "0-30 1 1 30;10-10 2 0 1;");
}

TEST(unknown_samples_are_left_out)
{
	add(10, NODES, EVENT_CPU, 1);
	add(10, 27, EVENT_MEMORY, 1);
	add(10, 27, EVENT_KINDS, 1);
	assert_string_equal(stretch(0, 100), "");
	assert_int_equal(journal->samples, 0);
	add(10, 0, EVENT_CPU, 1); /* no room for a stack */
	assert_string_equal(stretch(0, 100), "0/0 /: [table full]:0 = 1\n10-10 1 0 1;");
}

TEST(a_stretch_has_an_end)
{
	struct journal_stretch *s;

	assert_int_equal(journal_stretch_new(&s, journal, t0 + 2, t0 + 2), -EINVAL);
	assert_int_equal(journal_stretch_new(&s, journal, t0 + 2, t0 + 1), -EINVAL);
	assert_int_equal(journal->held, 0);
}

/* In parts, with a generation that ends between them. */
TEST(parts)
{
	struct journal_stretch *s;
	int pauses = 0;

	add(10, 27, EVENT_CPU, 1);
	add(40, 26, EVENT_CPU, 3);
	assert_int_equal(journal_stretch_new(&s, journal, t0, t0 + 100), 0);
	while (journal_stretch_prepare(s, 1) == -EAGAIN)
		if (!pauses++)
			while (journal_close(journal, 0) == -EAGAIN)
				continue;
	assert_true(pauses > 0);
	profile = journal_stretch_take(s);
	journal_stretch_free(s);
	assert_string_equal(shown(), WORKS "1\n100/100 main-now/main-now: outer:11 = 3\n");
}

TEST(room_has_a_bound)
{
	for (__u32 i = 0; i < journal->blocks_max * JOURNAL_BLOCK_ENTRIES * 2; i++)
		add(20000000ULL * i, 26 + i % 2, EVENT_CPU, 1);
	assert_int_equal(journal->blocks, journal->blocks_max);
	assert_true(journal_oldest(journal) > t0 + 20000000);
	assert_true(journal_bytes(journal) <= JOURNAL_MINUTE_BYTES);
}

TEST(what_is_complete)
{
	const __u64 begin = journal->begin_ns;

	assert_true(journal_has_all(journal, begin, begin + 100));
	assert_false(journal_has_all(journal, begin - 1, begin + 100));
	journal->gaps[journal->gap_count++] = (struct journal_gap){ begin + 50, begin + 60, 1 };
	assert_false(journal_has_all(journal, begin, begin + 100));
	assert_true(journal_has_all(journal, begin, begin + 50));
	assert_true(journal_has_all(journal, begin + 61, begin + 100));
	for (__u32 i = 0; i < journal->blocks_max * JOURNAL_BLOCK_ENTRIES * 2; i++)
		add(20000000ULL * i, 26 + i % 2, EVENT_CPU, 1);
	assert_true(journal->gone_ns > t0);
	assert_false(journal_has_all(journal, journal->gone_ns, journal->gone_ns + 100));
	assert_true(journal_has_all(journal, journal->gone_ns + 1, journal->gone_ns + 100));
}

/* Spans are cut to the stretch; those that are too many for who asks are part of the last one. */
TEST(losses)
{
	struct journal_gap found[2];

	assert_int_equal(journal_losses(journal, t0, t0 + 100, found, 2), 0);
	for (int i = 0; i < 3; i++)
		journal->gaps[journal->gap_count++] =
			(struct journal_gap){ t0 + 20 * i, t0 + 20 * i + 10, 5 + i };
	assert_int_equal(journal_losses(journal, t0 + 11, t0 + 20, found, 2), 0);
	assert_int_equal(journal_losses(journal, t0 + 5, t0 + 25, found, 2), 2);
	assert_true(found[0].from == t0 + 5 && found[0].to == t0 + 10 && found[0].lost == 5);
	assert_true(found[1].from == t0 + 20 && found[1].to == t0 + 25 && found[1].lost == 6);
	assert_int_equal(journal_losses(journal, t0, t0 + 100, found, 2), 2);
	assert_true(found[1].from == t0 + 20 && found[1].to == t0 + 50 && found[1].lost == 13);
	add(60, 27, EVENT_CPU, 1);
	stretch(0, 100);
	assert_int_equal(profile_get_info(profile)->loss_count, 3);
	assert_int_equal(profile_get_info(profile)->losses[2].samples, 7);
}

/*
 * What eight threads that never rest take of a minute at 99 Hz: a tick of each after the other, whatever they
 * do. It is 16 bytes for each tick at worst, and half of the mebibyte that a minute has.
 */
TEST(a_minute_of_eight_threads)
{
	const __u64 period = NS_PER_SECOND / 99;
	const __u32 ticks = 60 * 99;
	__u32 entries = 0, blocks;

	for (__u32 tick = 0; tick < ticks; tick++)
		for (__u32 thread = 0; thread < 8; thread++)
			add(tick * period + thread, 26 + (tick + thread) % 2 * 5001, EVENT_CPU, 1);
	assert_int_equal(journal->samples, 8 * ticks);
	for (int bank = 0; bank < BANKS; bank++)
		for (const struct journal_block *b = journal->open[bank].blocks.first; b; b = b->next)
			entries += b->count;
	assert_true(entries <= 8 * ticks); /* those that follow each other at one node are one */
	assert_int_equal(sizeof(struct journal_entry), 16);
	blocks = (8 * ticks + JOURNAL_BLOCK_ENTRIES - 1) / JOURNAL_BLOCK_ENTRIES + BANKS;
	assert_true(journal_bytes(journal) <= blocks * sizeof(struct journal_block));
	assert_true(journal_bytes(journal) <= JOURNAL_MINUTE_BYTES);
	assert_int_equal(journal_oldest(journal), journal->begin_ns); /* nothing has gone */
}

static void add_of(__u64 after_ns, __u32 node, __u64 low, __u64 span)
{
	journal_add(journal, &(struct journal_sample){ t0 + after_ns, 1, node, EVENT_CPU, false,
						       { 0, low, span } });
}

/* "trace span amount;" of each sample of a stretch, the last digits of its ids. */
static const char *spans(const char *wanted, __u64 *ret_unlabelled)
{
	static char text[1000];
	struct trace_wanted w;
	struct journal_stretch *s;
	size_t used = 0;

	assert_int_equal(trace_wanted_parse(wanted, &w), 0);
	assert_int_equal(journal_stretch_new(&s, journal, t0, t0 + NS_PER_SECOND), 0);
	journal_stretch_spans(s, &w);
	assert_int_equal(journal_stretch_prepare(s, 0), 0);
	*ret_unlabelled = journal_stretch_unlabelled(s);
	profile_free(profile);
	profile = journal_stretch_take(s);
	journal_stretch_free(s);
	*text = '\0';
	for (__u32 id = 1; id <= profile_count(profile, PROFILE_SAMPLE) && used < sizeof(text); id++) {
		const struct profile_stack stack = profile_get_sample(profile, id);
		const struct profile_labels l = profile_get_labels(profile, stack.owner);

		used += snprintf(text + used, sizeof(text) - used, "%s %s %llu;",
				 *l.trace_id ? l.trace_id + TRACE_TEXT - 2 : "-",
				 *l.span_id ? l.span_id + SPAN_TEXT - 2 : "-", stack.counts[EVENT_CPU]);
	}
	return text;
}

#define TRACE_1 "00000000000000000000000000000001"

TEST(spans_are_told_apart_if_asked)
{
	__u64 unlabelled;

	add_of(10, 27, 1, 5);
	add_of(20, 27, 1, 6);
	add_of(30, 27, 2, 5);
	add_of(40, 27, 0, 0);
	add_of(50, 27, 1, 5);
	add_of(60, 26, 1, 5);
	assert_string_equal(spans("each", &unlabelled), "1 5 2;1 6 1;2 5 1;- - 1;1 5 1;");
	assert_string_equal(spans(TRACE_1, &unlabelled), "1 5 2;1 6 1;1 5 1;");
	assert_int_equal(profile_moments(profile)->count, 4);
	assert_int_equal(unlabelled, 0);
	assert_int_equal(journal_close(journal, 0), 0);
	assert_string_equal(spans(TRACE_1, &unlabelled), "1 5 2;1 6 1;1 5 1;");
}

TEST(too_many_spans_are_counted)
{
	__u64 unlabelled;

	for (__u64 i = 1; i <= JOURNAL_STRETCH_SPANS + 3; i++)
		add_of(i, 27, 1, i);
	spans("each", &unlabelled);
	assert_int_equal(unlabelled, 3);
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), JOURNAL_STRETCH_SPANS + 1);
}

AROUND_EACH(setup_journal, teardown_journal);

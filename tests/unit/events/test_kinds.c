// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kinds.c - three kinds of events in one call tree, the same frames below a root of each: what is
 * counted for one is nowhere in another, in the profile, in pprof and in the texts.
 */
#include "tests/forge/tables.h"

#include <errno.h>

#include "profile/filter.h"
#include "views/graph.h"
#include "formats/folded.h"
#include "views/summary.h"
#include "tests/forge/decode.h"
#include "tests/forge/test.h"
#include "tests/unit/events/counts.h"
#include "tree/window.h"

/*
 * The same thread has an owner and a root for each kind, below which its frames are found again. WALL is the
 * sum of others, and nothing is counted below a root of its own.
 */
static void grow_trees(void)
{
	for (__u32 kind = 0; kind < EVENT_KINDS; kind++) {
		const __u32 root = 100 * (kind + 1);

		if (kind == EVENT_WALL)
			continue;
		set_owner_of(8 + kind, kind, 1, 100, "main-now");
		set_root(root, 8 + kind, 0);
		set_node(root + 1, root, 100, 1, of_outer[kind]);
		set_node(root + 2, root + 1, 101, 4, of_inner[kind]);
	}
}

static void harvest_kinds(__u32 events)
{
	const struct profile_info info = { .events = events, .period_ns = PERIOD_NS, .frequency = 100 };

	profile_free(TAKE_PTR(profile));
	assert_int_equal(profile_new(&info, &profile), 0);
	assert_int_equal(harvest(&forged_inputs, &(struct harvest_span){}, profile, &stats), 0);
}

TEST(stacks_are_one_and_counts_are_apart)
{
	grow_trees();
	harvest_kinds(EVENTS_ALL);
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 2);
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		assert_int_equal(profile_get_sample(profile, 1).counts[kind], of_outer[kind]);
		assert_int_equal(profile_get_sample(profile, 2).counts[kind], of_inner[kind]);
		assert_int_equal(profile_total_of(profile, kind), total_of(kind));
		assert_int_equal(stats.samples[kind], total_of(kind));
	}
	assert_int_equal(profile_shown(profile), EVENT_CPU);
	assert_int_equal(profile_total(profile), total_of(EVENT_CPU));
}

TEST(only_what_is_asked_for)
{
	grow_trees();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		harvest_kinds(EVENT_BIT(kind));
		assert_int_equal(profile_shown(profile), kind);
		assert_int_equal(profile_count(profile, PROFILE_SAMPLE), !!of_outer[kind] + !!of_inner[kind]);
		for (int other = 0; other < EVENT_KINDS; other++) {
			const __u64 n = other == kind ? total_of(kind) : 0;

			assert_int_equal(stats.samples[other], n);
			assert_int_equal(profile_total_of(profile, other), n);
		}
	}
}

/* What found no room is counted by kind, too. */
TEST(overflow)
{
	__u64 found[EVENT_KINDS] = { 0 };

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (kind != EVENT_WALL)
			found[kind] = nodes[kind].count = 10 + kind;
	found[EVENT_WALL] = wall_of(found);
	harvest_kinds(EVENTS_ALL);
	assert_string_equal(shown(), "0/0 /: [table full]:0 = 10\n");
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		assert_int_equal(profile_get_sample(profile, 1).counts[kind], found[kind]);
	assert_int_equal(stats.nodes, 0);
}

/* Below the roots of OFFCPU the leaf says whether the thread slept or waited for a CPU. */
TEST(waits_by_their_leaf)
{
	set_owner_of(8, EVENT_OFFCPU, 1, 100, "main-now");
	set_owner_of(9, EVENT_CPU, 1, 100, "main-now");
	for (__u32 i = 0; i < 2; i++) {
		const __u32 root = 100 * (i + 1);

		set_root(root, 8 + i, 0);
		set_node(root + 1, root, 100, 1, 3);
		set_node(root + 2, root + 1, CODE_WAITS + WAIT_IO, INSTR_UNKNOWN, 50);
		set_node(root + 3, root + 1, CODE_WAITS + WAIT_PREEMPTED, INSTR_UNKNOWN, 700);
		set_node(root + 4, root + 1, CODE_WAITS + WAIT_WOKEN, INSTR_UNKNOWN, 9000);
	}
	harvest_kinds(EVENTS_ALL);
	assert_int_equal(stats.samples[EVENT_OFFCPU], 53);
	assert_int_equal(stats.samples[EVENT_RUNQUEUE], 9700);
	assert_int_equal(stats.samples[EVENT_CPU], 9753);
}

/* Shrinkage is below the roots of MEMORY, and what tells it apart there is no frame of its own. */
TEST(shrinkage_by_its_leaf)
{
	set_owner_of(8, EVENT_MEMORY, 1, 100, "main-now");
	set_owner_of(9, EVENT_OFFCPU, 1, 100, "main-now");
	for (__u32 i = 0; i < 2; i++) {
		const __u32 root = 100 * (i + 1);

		set_root(root, 8 + i, 0);
		set_node(root + 1, root, 100, 1, 4096);
		set_node(root + 2, root + 1, CODE_WAITS + WAIT_RETURNED, INSTR_UNKNOWN, 8192);
		set_node(root + 3, root + 1, CODE_WAITS + WAIT_WOKEN, INSTR_UNKNOWN, 100);
	}
	harvest_kinds(EVENT_BIT(EVENT_MEMORY) | EVENT_BIT(EVENT_SHRINKAGE));
	assert_int_equal(stats.samples[EVENT_MEMORY], 4196);
	assert_int_equal(stats.samples[EVENT_SHRINKAGE], 8192);
	assert_int_equal(profile_get_sample(profile, 1).counts[EVENT_MEMORY], 4096);
	assert_int_equal(profile_get_sample(profile, 1).counts[EVENT_SHRINKAGE], 8192);
	harvest_kinds(EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_RUNQUEUE));
	assert_int_equal(stats.samples[EVENT_OFFCPU], 4096 + 8192);
	assert_int_equal(stats.samples[EVENT_RUNQUEUE], 100);
}

TEST(no_such_kind)
{
	grow_trees();
	owners[8 + EVENT_CPU].key = owner_key(EVENT_KINDS, 100);
	owners[8 + EVENT_WAIT].key = ~0ULL;
	harvest_kinds(EVENTS_ALL);
	assert_int_equal(stats.samples[EVENT_CPU] + stats.samples[EVENT_WAIT], 0);
	assert_int_equal(stats.samples[EVENT_GROWTH], GROWTH_BYTES);
}

/* A sample type, "type/unit". */
static const char *type_of(const Pyperf__Profile *d, const Pyperf__ValueType *type)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s/%s", string(d, type->type), string(d, type->unit));
	return text;
}

/* Sample type number i, and its values: those of the kind, each counted so often. */
static void assert_type(const Pyperf__Profile *d, size_t i, const char *type, const char *unit, int kind,
			__u64 times)
{
	assert_true(i < d->n_sample_type);
	assert_string_equal(string(d, d->sample_type[i]->type), type);
	assert_string_equal(string(d, d->sample_type[i]->unit), unit);
	assert_int_equal(d->sample[0]->value[i], of_outer[kind] * times);
	assert_int_equal(d->sample[1]->value[i], of_inner[kind] * times);
}

TEST(sample_types)
{
	Pyperf__Profile *d;
	size_t n = 0;

	grow_trees();
	harvest_kinds(EVENTS_ALL);
	d = encode_and_decode(profile);
	assert_int_equal(d->n_sample, 2);
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];

		assert_type(d, n++, e->type, event_unit_name(e->unit), kind, 1);
		if (*e->period)
			assert_type(d, n++, e->period, "nanoseconds", kind, PERIOD_NS);
	}
	assert_int_equal(d->n_sample_type, n);
	assert_int_equal(d->sample[0]->n_value, n);
	assert_string_equal(string(d, d->default_sample_type), "cpu");
	assert_string_equal(type_of(d, d->period_type), "cpu/nanoseconds");
	assert_int_equal(d->period, PERIOD_NS);
	pyperf__profile__free_unpacked(d, NULL);
}

TEST(kinds_without_a_period)
{
	Pyperf__Profile *d;

	grow_trees();
	harvest_kinds(EVENT_BIT(EVENT_WAIT) | EVENT_BIT(EVENT_GROWTH));
	d = encode_and_decode(profile);
	assert_int_equal(d->n_sample_type, 2);
	assert_string_equal(type_of(d, d->sample_type[0]), "wait/nanoseconds");
	assert_string_equal(type_of(d, d->sample_type[1]), "growth/bytes");
	assert_string_equal(string(d, d->default_sample_type), "wait");
	assert_null(d->period_type);
	assert_int_equal(d->period, 0);
	pyperf__profile__free_unpacked(d, NULL);
}

/* Taken out of one profile, each kind is as if it had been alone. */
TEST(a_profile_for_each)
{
	grow_trees();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct profile_filter only = { .events = EVENT_BIT(kind) };
		_cleanup_buf_ struct buf alone = {}, taken = {};
		_cleanup_profile_ struct profile *part = NULL;

		harvest_kinds(EVENTS_ALL);
		assert_false(profile_filter_is_empty(&only));
		assert_int_equal(profile_filter_apply(&only, profile, &part), 0);
		assert_int_equal(pprof_encode(part, &taken), 0);
		harvest_kinds(EVENT_BIT(kind));
		assert_int_equal(pprof_encode(profile, &alone), 0);
		assert_int_equal(taken.size, alone.size);
		assert_memory_equal(taken.data, alone.data, alone.size);
	}
}

TEST(a_kind_that_is_not_there)
{
	const struct profile_filter only = { .events = EVENT_BIT(EVENT_GROWTH) };
	const struct profile_labels nobody = {};
	struct profile *part = NULL;
	__u32 frame = 1;

	harvest_kinds(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_WAIT));
	assert_int_equal(profile_filter_apply(&only, profile, &part), -EINVAL);
	assert_null(part);
	assert_int_equal(profile_sample(profile, EVENT_GROWTH, &frame, 1, &nobody, 1), -EINVAL);
}

static void assert_folded(const char *expected)
{
	_cleanup_buf_ struct buf out = {};

	assert_int_equal(folded_encode(profile, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	assert_string_equal(out.data, expected);
}

#define THREAD "main-now (pid 100);main-now (tid 100);"

/* With several kinds each stack says its kind first, and its number is the time that it stands for. */
TEST(folded)
{
	grow_trees();
	harvest_kinds(EVENT_BIT(EVENT_CPU));
	assert_folded(THREAD "outer (a.py:11) 7\n" THREAD "outer (a.py:11);inner (b.py:23) 1\n");
	harvest_kinds(EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_WAIT));
	assert_folded("cpu;" THREAD "outer (a.py:11) 70000000\n"
		      "cpu;" THREAD "outer (a.py:11);inner (b.py:23) 10000000\n"
		      "wait;" THREAD "outer (a.py:11) 2500000000\n");
	harvest_kinds(EVENT_BIT(EVENT_WAIT) | EVENT_BIT(EVENT_GROWTH));
	assert_folded("wait;" THREAD "outer (a.py:11) 2500000000\n"
		      "growth;" THREAD "outer (a.py:11);inner (b.py:23) 3145728\n");
	harvest_kinds(EVENT_BIT(EVENT_GROWTH));
	assert_folded(THREAD "outer (a.py:11);inner (b.py:23) 3145728\n");
}

TEST(graph)
{
	grow_trees();
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *row = &event_rows[kind];
		_cleanup_buf_ struct buf out = {};
		char wanted[192];

		harvest_kinds(EVENTS_ALL & ~(EVENT_BIT(kind) - 1)); /* it and those behind it: it is shown */
		assert_int_equal(graph_encode_until(profile, NULL, &out), 0);
		assert_int_equal(buf_add(&out, "", 1), 0);
		snprintf(wanted, sizeof(wanted),
			 "\"event\":\"%s\",\"type\":\"%s\",\"unit\":\"%s\",\"total\":%llu,", row->key,
			 row->type, row->unit == UNIT_COUNT ? "count" : event_unit_name(row->unit),
			 total_of(kind));
		assert_has(out.data, wanted);
	}
}

static void assert_summary(__u32 events, const char *first, const char *row)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	harvest_kinds(events);
	summary_print(profile, f, false, 10);
	assert_int_equal(fclose(f), 0);
	assert_memory_equal(text, first, strlen(first));
	assert_has(text, row);
}

TEST(summary)
{
	grow_trees();
	assert_summary(EVENTS_ALL, "8 samples, 0.08 s of CPU",
		       "\n  share          CPU         pid  name\n 100.0%       0.08 s  ");
	assert_summary(EVENT_BIT(EVENT_WAIT), "2.50 s of waiting\n",
		       "\n  share      waiting         pid  name\n100.00%       2.50 s  ");
	assert_summary(EVENT_BIT(EVENT_GROWTH), "3.00 MiB of growth\n",
		       "\n  share       growth         pid  name\n100.00%       3.00 MiB");
}

/* Windows of different kinds of one tree, one of them while a bank is cleared. */
TEST(windows)
{
	struct windows all = { .inputs = forged_inputs, .events = EVENTS_ALL, .frequency = 100 };
	const struct kernel_range bank = { EVENT_KINDS, NODES / 2 };
	struct window *w;

	assert_int_equal(window_open(&all, &w), 0);
	grow_trees();
	nodes[EVENT_WAIT].count = 5;
	assert_int_equal(windows_absorb(&all, bank), 0);
	memset(nodes + bank.first, 0, (bank.end - bank.first) * sizeof(*nodes));
	windows_forget(&all, bank);
	grow_trees();
	profile_free(TAKE_PTR(profile));
	assert_int_equal(window_take(w, &profile, &stats), 0);
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		assert_int_equal(stats.samples[kind], 2 * total_of(kind) + (kind == EVENT_WAIT ? 5 : 0));
		assert_int_equal(profile_total_of(profile, kind), stats.samples[kind]);
	}
	window_close(w);
}

static int begin(void **state)
{
	(void)state;
	set_others();
	return 0;
}

AROUND_EACH(setup, teardown);
AROUND_ALL(begin, NULL);

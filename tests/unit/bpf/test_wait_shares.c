// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wait_shares.c - what waits whose stacks were taken stand for (bpf/events/wait.h): all time of a thread
 * is counted, and each line of it has its share, within three standard deviations of what chance does.
 */

#define HOSTED_NODES (1U << 13)
#define HOSTED_CODES (1U << 10)

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "bpf/events/wait.h"
#include "tests/forge/test.h"

/* Lines in which a thread waits: how often, and for how long, at least and at most. */
static const struct line {
	unsigned int parts;
	__u64 least, most;
} lines[] = {
	{ 50, 200000, 300000 }, { 30, 500000, 1500000 }, { 15, 1000000, 9000000 }, { 5, 10000, 40000000 },
};

#define LINES	   (sizeof(lines) / sizeof(*lines))
#define PARTS	   100
#define FIRST_NODE 5000

static struct wait w;
static __u64 now = 1000000000000ULL;
static __u64 waited[LINES], squares[LINES]; /* of each line: ns, and us * us */
static __u64 random_state = 7;

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	memset(&w, 0, sizeof(w));
	memset(waited, 0, sizeof(waited));
	memset(squares, 0, sizeof(squares));
	w.process = w.tid = 77;
	return hosted_begin();
}

/* Not the numbers by which the sampler decides. */
static __u32 random_below(__u32 limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % limit;
}

static size_t choose_line(void)
{
	__u32 part = random_below(PARTS);
	size_t line = 0;

	while (part >= lines[line].parts)
		part -= lines[line++].parts;
	return line;
}

/* One wait, of whose likes one of 2^shift has its stack taken. It may be counted in two steps. */
static void wait_once(__u32 shift, bool in_steps)
{
	const size_t line = choose_line();
	const __u64 ns = lines[line].least + random_below(lines[line].most - lines[line].least);
	const __u32 weight = chance_next(shift);

	w.begin = now;
	w.stack[WAIT_OWN] = (struct wait_stack){
		.outcome = weight ? OUTCOME_WHOLE : OUTCOME_UNSEEN, .queue_outcome = OUTCOME_UNSEEN,
		.node = weight ? FIRST_NODE + line : 0, .weight = weight,
	};
	w.since = since_make(now, WAIT_OWN, 0);
	if (in_steps) {
		wait_move(&w, now + ns / 3, WAIT_SETTLES);
		wait_flush(&w);
	}
	now += ns;
	wait_move(&w, now, WAIT_ENDS);
	waited[line] += ns;
	squares[line] += (ns / 1000) * (ns / 1000);
}

static __u64 all_waited(void)
{
	__u64 sum = 0;

	for (size_t i = 0; i < LINES; i++)
		sum += waited[i];
	return sum;
}

static __u64 all_counted(void)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < HOSTED_NODES; i++)
		sum += hosted.nodes[i].count;
	return sum;
}

/*
 * So many waits, of which one of 2^shift is looked at. All time is there, and each line has its part: what
 * chance does to it has a known size, and three times that is the bound.
 */
static void shares_are_right(__u32 shift, unsigned int times, unsigned int interval)
{
	double all_squares = 0;

	for (unsigned int i = 0; i < times; i++)
		wait_once(shift, interval && i % interval == 0);
	wait_flush(&w);
	assert_int_equal(all_counted(), all_waited());
	assert_int_equal(hosted.stats.offcpu_ns, all_waited());
	for (size_t i = 0; i < LINES; i++)
		all_squares += (double)squares[i];
	for (size_t i = 0; i < LINES; i++) {
		/* What is claimed for the line, and its part of what is claimed in all. */
		const double share = (double)waited[i] / all_waited(), others = all_squares - squares[i];
		const double chance = 1e6 * ((1 << shift) - 1) *
				      (squares[i] * (1 - share) * (1 - share) + others * share * share);
		const double off = (double)hosted.nodes[FIRST_NODE + i].count - waited[i];

		assert_true(off * off <= 3 * 3 * chance);
	}
	/* What is left at the end of an interval is what a few looks stand for. */
	if (!interval)
		assert_true(hosted.stats.outcome[EVENT_OFFCPU][OUTCOME_UNSEEN] < 0.01 * all_waited());
}

TEST(one_of_two)
{
	shares_are_right(1, 100000, 0);
}

TEST(one_of_sixteen)
{
	shares_are_right(4, 100000, 0);
}

TEST(one_of_thousand)
{
	shares_are_right(10, 400000, 0);
}

/* Intervals end in the middle of waits. */
TEST(counted_in_intervals)
{
	shares_are_right(5, 100000, 1000);
}

/* However short an interval is, it has all of its time, and no more. */
TEST(short_intervals)
{
	for (int n = 0; n < 1000; n++) {
		for (int i = 0; i < 20; i++)
			wait_once(4, false);
		wait_flush(&w);
		assert_int_equal(all_counted(), all_waited());
	}
}

/* Nobody was looked at: the time has a marker. */
TEST(without_a_look)
{
	w.begin = now;
	w.stack[WAIT_OWN] = (struct wait_stack){ .outcome = OUTCOME_UNSEEN, .queue_outcome = OUTCOME_UNSEEN };
	w.since = since_make(now, WAIT_OWN, 0);
	now += 5000000;
	wait_move(&w, now, WAIT_ENDS);
	assert_int_equal(all_counted(), 0);
	wait_flush(&w);
	assert_int_equal(all_counted(), 5000000);
	assert_int_equal(hosted.stats.outcome[EVENT_OFFCPU][OUTCOME_UNSEEN], 5000000);
}

/* The tree was emptied after the look: its node is another's by now. */
TEST(an_heir_of_a_tree_that_is_gone)
{
	wait_once(0, false);
	w.shares[WAIT_ASLEEP].heir = heir_make(tree_generation + 2, OUTCOME_WHOLE, FIRST_NODE);
	w.shares[WAIT_ASLEEP].balance = 1000;
	wait_flush(&w);
	assert_int_equal(hosted.stats.outcome[EVENT_OFFCPU][OUTCOME_UNSEEN], 1000);
}

AROUND_EACH(setup, hosted_teardown);

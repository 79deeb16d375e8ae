// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_thinned.c - what --budget leaves out against a run that leaves out nothing: the same waits of three
 * threads, and the same changes of memory of three processes, by a forged clock, without a budget and with
 * one that is far too small. The sums of waits are equal, and each line has what it had, within three
 * standard deviations of what chance does.
 */

#include "bpf/base/loop.h"
#include "tests/forge/test.h"

static __u64 forged_now;

static __u64 forged_clock(void)
{
	return forged_now;
}

#define bpf_ktime_get_ns() forged_clock()

#define HOSTED_NODES  (1U << 13)
#define HOSTED_CODES  (1U << 10)
#define HOSTED_BUDGET rates.budget

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"

static __u64 min_wait;
#define opt_min_wait min_wait

#include "bpf/events/memory_turn.h"
#include "bpf/events/wait_turn.h"

#define SMALL	   ((1 << COST_SHIFT) / 1000)
#define FIRST_NODE 5000
#define SOURCES	   3
#define LINES	   4
#define EVENTS	   40000 /* of each source */
#define RUNS	   40

/* What a source has in a line: so many parts of its events, of so much, at least and at most. */
static const struct line {
	unsigned int parts;
	__u64 least, most;
} lines[LINES] = { { 50, 200000, 300000 }, { 30, 500000, 1500000 }, { 15, 1000000, 9000000 },
		   { 5, 10000, 20000000 } };

/* ns of a look, and between two events, of each source. */
static const __u64 look_ns[SOURCES] = { 5000, 20000, 60000 };
static const __u64 pause_ns[SOURCES] = { 100000, 1000000, 3000000 };

/* What one run has counted, and what chance could do to it: the sum of (weight - 1) * amount^2. */
struct counted {
	double of[SOURCES][LINES], squares[SOURCES][LINES];
	__u64 all, thinned;
	bool is_shared; /* of a sum that is exact */
};

static struct source {
	struct wait wait;
	struct memory memory;
	__u64 random, next;
	unsigned int left;
} sources[SOURCES];

static int setup(void **state)
{
	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	return hosted_begin();
}

/* Not the numbers by which the sampler decides, and the same in each run. */
static __u64 random_below(struct source *f, __u64 limit)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return (f->random >> 11) % limit;
}

static unsigned int choose_line(struct source *f)
{
	unsigned int part = random_below(f, 100), line = 0;

	while (part >= lines[line].parts)
		part -= lines[line++].parts;
	return line;
}

static __u64 choose_amount(struct source *f, unsigned int line)
{
	return lines[line].least + random_below(f, lines[line].most - lines[line].least);
}

/* Of how many events one is looked at, as it is before that is asked. */
static double stands_for(const struct pace *p, __u64 now)
{
	return 1U << pace_shift(p->cycle, p->cost, cost_level(&hosted.scratch->cost.all, now, COST_LEVELS));
}

/* One wait. Returns how long it was. */
static __u64 wait_once(struct counted *c, unsigned int i)
{
	struct scratch *s = hosted.scratch;
	struct wait *w = &sources[i].wait;
	const unsigned int line = choose_line(&sources[i]);
	const __u64 ns = choose_amount(&sources[i], line), begin = forged_now;
	__u32 weight;

	wait_pass(w, begin);
	w->begin = begin;
	c->squares[i][line] += (stands_for(&w->pace, begin) - 1) * ns * ns;
	weight = wait_turn(w, s, &hosted.stats);
	w->stack[WAIT_OWN] = (struct wait_stack){
		.outcome = weight ? OUTCOME_WHOLE : OUTCOME_UNSEEN, .queue_outcome = OUTCOME_UNSEEN,
		.node = weight ? FIRST_NODE + i * LINES + line : 0, .weight = weight,
	};
	w->since = since_make(begin, WAIT_OWN, 0);
	if (weight && rates.budget) {
		s->cost.look = forged_now;
		forged_now += look_ns[i];
		wait_charge(w, s, &hosted.stats);
	}
	wait_move(w, begin + ns, WAIT_ENDS);
	return ns;
}

/* One step of growth, or of shrinkage. */
static __u64 change_once(struct counted *c, unsigned int i)
{
	struct scratch *s = hosted.scratch;
	struct memory *m = &sources[i].memory;
	const unsigned int line = choose_line(&sources[i]);
	const __u64 bytes = choose_amount(&sources[i], line), begin = forged_now;
	__u32 weight = 1;

	if (rates.budget) {
		/* By what memory_turn() is about to learn. */
		struct pace p = m->pace;

		if (m->last && begin > m->last)
			pace_pass(&p, begin - m->last);
		c->squares[i][line] += (stands_for(&p, begin) - 1) * bytes * bytes;
		weight = memory_turn(s, &hosted.stats, m, begin);
	}
	if (!weight)
		return 0;
	c->of[i][line] += (double)weight * bytes;
	c->all += weight * bytes;
	if (rates.budget) {
		forged_now += look_ns[i];
		memory_charge(s, &hosted.stats, m, begin);
	}
	return 0;
}

/* All events of all sources, each at its time, or when it can after those before it. */
static void run(struct counted *c, __u32 with_budget, __u64 (*event)(struct counted *, unsigned int))
{
	unsigned int left = SOURCES * EVENTS;

	assert_int_equal(hosted_teardown(NULL), 0);
	assert_int_equal(setup(NULL), 0);
	memset(c, 0, sizeof(*c));
	c->is_shared = event == wait_once;
	memset(sources, 0, sizeof(sources));
	rates = (struct rates){ .budget = with_budget, .budget_free = 20 };
	forged_now = 1000000000000ULL;
	for (unsigned int i = 0; i < SOURCES; i++) {
		sources[i] = (struct source){ .random = 77 + i, .next = forged_now, .left = EVENTS };
		sources[i].wait.process = sources[i].wait.tid = 77 + i;
	}
	while (left--) {
		struct source *first = NULL;
		__u64 passed;

		for (unsigned int i = 0; i < SOURCES; i++)
			if (sources[i].left && (!first || sources[i].next < first->next))
				first = &sources[i];
		forged_now = first->next > forged_now ? first->next : forged_now;
		first->left--;
		passed = forged_now;
		passed += event(c, first - sources);
		first->next = passed + pause_ns[first - sources];
	}
	for (unsigned int i = 0; i < SOURCES; i++)
		wait_flush(&sources[i].wait);
	for (__u32 i = 0; i < HOSTED_NODES; i++)
		c->all += hosted.nodes[i].count;
	for (unsigned int i = 0; i < SOURCES * LINES; i++)
		c->of[i / LINES][i % LINES] += hosted.nodes[FIRST_NODE + i].count;
	c->thinned = hosted.stats.waits_thinned + hosted.stats.memory_thinned;
}

/* What many runs say of one line: the mean, and how far runs are from it. */
struct many {
	double mean, variance, by_weights; /* what the weights alone would make of it */
};

static struct counted full, thin[RUNS];

/* What the weights of a run do to a line by chance. Of waits the sum is given, so that lines share it. */
static double chance_of(const struct counted *c, unsigned int i, unsigned int line)
{
	const double own = c->squares[i][line];
	double all = 0, squares = 0, share;

	for (unsigned int n = 0; n < LINES; n++) {
		all += full.of[i][n];
		squares += c->squares[i][n];
	}
	share = c->is_shared ? full.of[i][line] / all : 0;
	return own * (1 - share) * (1 - share) + (squares - own) * share * share;
}

static struct many many_of(unsigned int i, unsigned int line)
{
	struct many m = {};

	for (unsigned int n = 0; n < RUNS; n++) {
		m.mean += thin[n].of[i][line] / RUNS;
		m.by_weights += chance_of(&thin[n], i, line) / RUNS;
	}
	for (unsigned int n = 0; n < RUNS; n++)
		m.variance += (thin[n].of[i][line] - m.mean) * (thin[n].of[i][line] - m.mean) / (RUNS - 1);
	return m;
}

/*
 * The same once in full, and often thinned, by other numbers each time. Runs are within three standard
 * deviations of the full one, but for one of fifty, and the mean of all is within three of its own. more:
 * what may come on top of what the weights alone do, as a factor of the variance.
 */
static void compare(__u64 (*event)(struct counted *, unsigned int), double more)
{
	unsigned int beyond = 0;

	run(&full, 0, event);
	assert_int_equal(full.thinned, 0);
	for (unsigned int n = 0; n < RUNS; n++) {
		run(&thin[n], SMALL, event);
		assert_true(thin[n].thinned > SOURCES * EVENTS / 2);
	}
	for (unsigned int i = 0; i < SOURCES; i++) {
		for (unsigned int line = 0; line < LINES; line++) {
			const struct many m = many_of(i, line);
			const double is = full.of[i][line];

			for (unsigned int n = 0; n < RUNS; n++) {
				const double off = thin[n].of[i][line] - is;

				beyond += off * off > 3 * 3 * m.variance;
			}
			assert_true(m.variance > 0);
			assert_true((m.mean - is) * (m.mean - is) <= 3 * 3 * m.variance / RUNS);
			assert_true(m.variance <= more * m.by_weights);
		}
	}
	assert_true(beyond <= RUNS * SOURCES * LINES / 50);
}

/* All time of each run is there. Claims that are paid later, to one of several, add to chance. */
TEST(thinned_waits)
{
	compare(wait_once, 2.5 * 2.5);
	for (unsigned int n = 0; n < RUNS; n++)
		assert_int_equal(thin[n].all, full.all);
}

TEST(thinned_growth)
{
	compare(change_once, 1.5 * 1.5);
}

#define MIN_WAIT     100000
#define PREEMPTED_NS 10000

/* On a machine that is busy a thread loses its CPU often, and briefly. Each of its sleeps is looked at. */
TEST(preemptions_do_not_hide_sleeps)
{
	struct wait w = { .average = { MIN_WAIT, MIN_WAIT } };
	unsigned int looked_at = 0;

	rates.budget = 0;
	min_wait = MIN_WAIT;
	forged_now = 1000000000000ULL;
	for (unsigned int i = 0; i < EVENTS; i++) {
		w.preempted = i % 100 != 0;
		w.begin = forged_now;
		if (wait_turn(&w, hosted.scratch, &hosted.stats))
			looked_at += w.preempted;
		else
			assert_true(w.preempted);
		forged_now += w.preempted ? PREEMPTED_NS : 10 * MIN_WAIT;
		wait_learn(&w, forged_now);
	}
	min_wait = 0;
	assert_in_range(looked_at, 1, EVENTS / 4);
}

AROUND_EACH(setup, hosted_teardown);

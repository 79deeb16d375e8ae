// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cost.c - what samples may cost (bpf/sample/cost.h), by a forged clock: a CPU is kept within the
 * budget, whatever a sample takes, and what is looked at stands for exactly what is not.
 */

#include "bpf/base/loop.h"
#include "tests/forge/test.h"

static __u64 forged_now = 1000000000000ULL;

static __u64 forged_clock(void)
{
	return forged_now;
}

#define bpf_ktime_get_ns() forged_clock()

#include "tests/forge/interpreter.h"
#include "tests/forge/hosted.h"
#include "bpf/events/memory_turn.h"

#define SECOND	1000000000ULL
#define FREE	23 /* log2 of 8.4 ms */
#define ALLOWED 10000000ULL /* ns in a second */

const volatile __u8 opt_budget = 1;

static __u64 read_ns; /* what a tick takes */

static int mem_read(void *dst, __u32 size, __u64 address)
{
	forged_now += read_ns;
	return py_read(dst, size, address);
}

static int setup(void **state)
{
	struct py_thread *thread;

	(void)state;
	memset(&hosted, 0, sizeof(hosted));
	rates = (struct rates){ .budget = (1 << COST_SHIFT) / 100, .budget_free = FREE, .tick_levels = 3 };
	read_ns = 0;
	thread = py_begin_with_thread(0x30d);
	for (int i = 0; i < 10; i++)
		py_push(thread, py_code("work"), 3);
	hosted.layout = py.l;
	hosted.process =
		(struct process){ .runtime = py_address(py.runtime), .id = 1, .state = PROCESS_PYTHON };
	hosted_task.pid = hosted_task.tgid = 77;
	hosted_task.thread_pointer = py_self();
	return hosted_begin();
}

static struct scratch *scratch(void)
{
	return hosted.scratch;
}

/* A source of events: so many come in a second, and a look at one takes so many ns. */
struct source {
	unsigned int a_second;
	__u64 ns;
	struct pace pace;
	__u64 next, last;
	__u64 events, looks, stood, cost; /* so far */
};

#define SOURCE(rate, look) { .a_second = (rate), .ns = (look) }

static void event_of(struct source *f)
{
	const __u64 begin = forged_now;
	__u32 stands;

	pace_pass(&f->pace, begin - f->last);
	f->last = begin;
	stands = chance_next(pace_shift(f->pace.cycle, f->pace.cost,
					cost_level(&scratch()->cost.all, begin, COST_LEVELS)));
	f->events++;
	f->stood += stands;
	f->looks += !!stands;
	if (stands) {
		forged_now += f->ns;
		pace_learn(&f->pace, cost_charge(scratch(), &hosted.stats, EVENT_OFFCPU, begin));
		f->cost += f->ns;
	}
	f->next += SECOND / f->a_second;
}

/* Events of some sources for so many seconds, each in its turn; one that is late comes when it can. */
static void run(struct source *sources, size_t count, unsigned int seconds)
{
	const __u64 end = forged_now + seconds * SECOND;

	for (size_t i = 0; i < count; i++)
		sources[i].next = sources[i].last = forged_now;
	for (;;) {
		struct source *first = sources;

		for (size_t i = 1; i < count; i++)
			if (sources[i].next < first->next)
				first = &sources[i];
		if (first->next > forged_now)
			forged_now = first->next;
		if (forged_now >= end)
			return;
		event_of(first);
	}
}

/* What costs no more than the budget is all looked at. */
TEST(cheap_events_are_all_looked_at)
{
	struct source one = SOURCE(9000, 1000);

	run(&one, 1, 10);
	assert_int_equal(one.looks, one.events);
	assert_int_equal(one.stood, one.events);
}

/*
 * Any rate, any time: not more than is allowed, and twice what a CPU may owe before all levels are used. Nor
 * is less looked at than is allowed.
 */
TEST(within_the_budget)
{
	static const struct source some[] = {
		SOURCE(20000, 1000), SOURCE(200000, 2000), SOURCE(5000, 100000),
		SOURCE(9000, 100000), SOURCE(100, 300000), SOURCE(1000000, 500),
	};

	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
		struct source one = some[i];

		assert_int_equal(hosted_teardown(state), 0);
		assert_int_equal(setup(state), 0);
		run(&one, 1, 10);
		assert_true(one.cost <= 10 * ALLOWED + (2 << FREE) + one.ns);
		assert_true(one.cost >= 10 * ALLOWED * 0.9);
		assert_true(one.stood >= one.events * 0.8 && one.stood <= one.events * 1.2);
	}
}

/* Beside one that costs a hundred times of what is allowed, others that cost little are all looked at. */
TEST(who_costs_most_is_thinned_first)
{
	struct source three[] = { SOURCE(10000, 100000), SOURCE(100, 1000), SOURCE(3, 100000) };

	run(three, 3, 10);
	assert_true(three[0].cost + three[1].cost + three[2].cost <= 10 * ALLOWED + (2 << FREE) + 100000);
	assert_true(three[0].looks < three[0].events / 50);
	assert_int_equal(three[1].looks, three[1].events);
	assert_true(three[2].looks >= three[2].events * 0.9);
}

/* A quiet time is made good use of, but not for longer than a second's allowance. */
TEST(a_quiet_time_pays_what_is_owed)
{
	struct source one = SOURCE(100000, 10000);

	run(&one, 1, 5);
	assert_true(cost_level(&scratch()->cost.all, forged_now, COST_LEVELS) > 0);
	forged_now += 3 * SECOND;
	assert_int_equal(cost_level(&scratch()->cost.all, forged_now, COST_LEVELS), 0);
	assert_int_equal(scratch()->cost.all.owed, 0);
	forged_now += 3600 * SECOND; /* and no more than nothing can be owed */
	assert_int_equal(cost_level(&scratch()->cost.all, forged_now, COST_LEVELS), 0);
}

/* One of each block, and each place of it as likely as any other. */
TEST(one_of_each_block, .bare = true)
{
	unsigned int at[8] = {};
	struct turns taken = {};

	for (int block = 0; block < 8000; block++) {
		int seen = 0;

		for (int i = 0; i < 8; i++) {
			const __u32 stands = turns_next(&taken, 3);

			assert_true(!stands || stands == 8);
			seen += !!stands;
			at[i] += !!stands;
		}
		assert_int_equal(seen, 1);
	}
	for (int i = 0; i < 8; i++)
		assert_in_range(at[i], 1000 - 3 * 30, 1000 + 3 * 30);
}

/* Ticks in memory that is slow to read: so many are looked at as the budget allows, or 1 of 8. */
TEST(ticks_in_slow_memory)
{
	__u64 before = forged_now, looks;

	read_ns = 50000;
	for (int i = 0; i < 9900; i++) {
		sample_tick();
		forged_now += SECOND / 99;
	}
	looks = 9900 - hosted.stats.ticks_thinned;
	assert_in_range(looks, 9900 / 8 - 1, 9900 / 2);
	assert_true(hosted.stats.cost_ns * 100 <= (forged_now - before) * 1.2);
	/* All of them are in the books. */
	assert_in_range(hosted.stats.ticks, 9900 - 8, 9900 + 8);
}

/* Dear waits thin no ticks. */
TEST(ticks_are_thinned_for_themselves)
{
	struct source one = SOURCE(100000, 10000);

	run(&one, 1, 5);
	read_ns = 100;
	for (int i = 0; i < 100; i++) {
		sample_tick();
		forged_now += SECOND / 99;
	}
	assert_int_equal(hosted.stats.ticks, 100);
	assert_int_equal(hosted.stats.ticks_thinned, 0);
}

/*
 * What is not thinned by what it costs ends where that is too much, and events that cost little are still all
 * looked at.
 */
TEST(what_is_not_thinned_ends)
{
	struct source one = SOURCE(100, 1000);
	const __u64 begin = forged_now;
	unsigned int made = 0;

	one.next = one.last = begin;
	while (forged_now < begin + 10 * SECOND) {
		if (cost_is_spare(scratch(), forged_now)) {
			cost_flat(scratch(), &hosted.stats, forged_now, 3250);
			made++;
		}
		if (one.next <= forged_now)
			event_of(&one);
		forged_now += 10000;
	}
	assert_in_range(hosted.stats.cost_ns, 10 * ALLOWED * 0.9, 10 * ALLOWED + (2 << FREE));
	assert_int_equal(made * 3250ULL + one.cost, hosted.stats.cost_ns);
	assert_int_equal(one.looks, one.events);
}

#define CROWD 10000

/*
 * So many threads that cost little each are thinned, within the budget, and so is a neighbour's that waits as
 * often. One that waits seldom is thinned less.
 */
TEST(a_crowd_thins_those_alike)
{
	static struct source crowd[CROWD];
	struct source alike = SOURCE(10, 2000), seldom = SOURCE(1, 2000);
	__u64 looks = 0, events = 0, stood = 0;

	for (int i = 0; i < CROWD; i++) {
		crowd[i] = (struct source)SOURCE(10, 2000);
		crowd[i].last = alike.last = seldom.last = forged_now - SECOND / 10;
	}
	for (int i = 0; i < 100 * CROWD; i++) { /* ten seconds */
		event_of(&crowd[i % CROWD]);
		if (i % CROWD == CROWD / 2)
			event_of(&alike);
		if (i % (10 * CROWD) == CROWD / 3)
			event_of(&seldom);
		forged_now += SECOND / 10 / CROWD;
	}
	for (int i = 0; i < CROWD; i++) {
		looks += crowd[i].looks;
		events += crowd[i].events;
		stood += crowd[i].stood;
	}
	assert_true(looks * 2000 <= 12 * ALLOWED + (2 << FREE));
	assert_true(looks < events / 10 && alike.looks < alike.events / 2);
	assert_true(seldom.looks * alike.events > 2 * alike.looks * seldom.events);
	assert_true(stood > 0.9 * events && stood < 1.1 * events);
}

/* A process whose memory changes: when the next change comes, and what became of those so far. */
struct grower {
	struct memory memory;
	__u64 next, every, ns; /* between two; a look */
	__u64 pages, shown, looks, changes;
};

static void change_of(struct grower *g)
{
	const __u64 begin = forged_now;
	const __u32 stands = memory_turn(scratch(), &hosted.stats, &g->memory, begin);

	g->changes++;
	g->pages += 256;
	g->shown += 256ULL * stands;
	g->looks += !!stands;
	g->next += g->every;
	if (!stands)
		return;
	forged_now += g->ns;
	memory_charge(scratch(), &hosted.stats, &g->memory, begin);
}

/* One that grows and shrinks without pause thins its own steps; another one's are shown as they are. */
TEST(a_process_thins_its_own_steps)
{
	const __u64 begin = forged_now, end = begin + 20 * SECOND;
	struct grower busy = { .next = begin, .every = SECOND / 10000, .ns = 100000 };
	struct grower quiet = { .next = begin, .every = SECOND / 10, .ns = 5000 };

	while (forged_now < end) {
		struct grower *first = quiet.next < busy.next ? &quiet : &busy;

		forged_now = first->next > forged_now ? first->next : forged_now;
		change_of(first);
	}
	assert_int_equal(quiet.changes, 200);
	assert_int_equal(quiet.looks, quiet.changes);
	assert_int_equal(quiet.shown, quiet.pages);
	assert_true(busy.looks < busy.changes / 50);
	assert_true(busy.shown > busy.pages * 0.7 && busy.shown < busy.pages * 1.3);
	assert_int_equal(hosted.stats.memory_thinned, busy.changes - busy.looks);
	assert_true(hosted.stats.cost_ns <= 20 * ALLOWED + (2 << FREE) + busy.ns);
}

AROUND_EACH(setup, hosted_teardown);

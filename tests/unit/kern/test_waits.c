// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_waits.c - the programs that see threads wait, on a child that sleeps: what they count is what the
 * kernel itself says of the child (/proc/PID/schedstat), and the books add up.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/counted.h"

#include "base/clock.h"
#include "kern/waits.h"
#include "pyperf.skel.h"

static const struct kernel_options waiting = {
	.frequency = 99, .follow = true, .max_depth = 64, .needs = NEEDS_WAITS, .statistics = true
};

/* A child that sleeps again and again, half of the times for long. */
static void start_sleeper(void)
{
	child = fork();
	assert_true(child >= 0);
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		nanosleep(&(struct timespec){ .tv_nsec = 1000 }, NULL);
	}
}

static void open_waiting(__u64 min_wait_ns)
{
	struct kernel_options o = waiting;

	o.min_wait_ns = min_wait_ns;
	kernel = open_kernel(o);
	start_sleeper();
	watch(child, PROCESS_NO_LAYOUT);
	start(kernel);
}

static void wait_for(__u64 waits)
{
	while (counted().waits < waits)
		usleep(10000);
}

struct schedstat {
	__u64 run, queue;
};

/* What the kernel says of the child, ns. */
static struct schedstat schedstat_now(void)
{
	unsigned long long run, queue;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", child);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu %llu", &run, &queue), 2);
	fclose(f);
	return (struct schedstat){ run, queue };
}

TEST(books_add_up)
{
	struct cpu_stats s;

	open_waiting(1000000);
	wait_for(200);
	kernel_stop(kernel);
	s = counted();
	assert_true(s.offcpu_ns > 0);
	/* On an idle CPU who is woken runs at the same moment of the scheduler's clock (wakeup_preempt()). */
	assert_int_equal(in_books(&s, EVENT_OFFCPU), s.offcpu_ns);
	assert_int_equal(in_books(&s, EVENT_RUNQUEUE), s.runqueue_ns);
	assert_true(s.outcome[EVENT_OFFCPU][OUTCOME_NO_LAYOUT] > 0);
	assert_true(s.outcome[EVENT_OFFCPU][OUTCOME_SHORT] > 0); /* sleeps of 1 us, and some 50 of slack */
	assert_int_equal(in_tree(), s.outcome[EVENT_OFFCPU][OUTCOME_NO_LAYOUT] +
					    s.outcome[EVENT_RUNQUEUE][OUTCOME_NO_LAYOUT]);
	assert_int_equal(s.waits_full, 0);
}

/* Waits, run queue and run time are all of the child's time: the kernel's own account says the rest. */
TEST(all_of_its_time)
{
	__u64 inner, outer, ours; /* the first two bound what must be found, however late we run */
	struct schedstat before;
	struct cpu_stats s;

	open_waiting(0);
	wait_for(20);
	outer = clock_ns();
	kernel_settle(kernel);
	s = counted();
	before = schedstat_now();
	inner = clock_ns();
	wait_for(s.waits + 200);
	inner = clock_ns() - inner;
	kernel_settle(kernel);
	ours = counted().offcpu_ns + counted().runqueue_ns - s.offcpu_ns - s.runqueue_ns;
	ours += schedstat_now().run - before.run;
	outer = clock_ns() - outer;
	assert_in_range(ours, inner - inner / 50, outer + outer / 50);
}

/* A wait that goes on is counted as far as it has come, and only once. */
TEST(settled_on_the_way)
{
	struct cpu_stats s;
	__u64 before;

	open_waiting(1000000);
	wait_for(10);
	kill(child, SIGSTOP);
	for (before = ~0ULL; counted().waits != before; usleep(50000))
		before = counted().waits;
	kernel_settle(kernel);
	before = counted().offcpu_ns;
	usleep(30000);
	assert_int_equal(counted().offcpu_ns, before);
	kernel_settle(kernel);
	assert_in_range(counted().offcpu_ns - before, 30000000, ~0ULL >> 1);
	kernel_stop(kernel);
	s = counted();
	kill(child, SIGCONT);
	kernel_settle(kernel);
	usleep(20000);
	assert_int_equal(counted().offcpu_ns, s.offcpu_ns);
	assert_int_equal(in_books(&s, EVENT_OFFCPU), s.offcpu_ns);
}

/* The tree is emptied while the child is stopped: what comes after is below a marker in the new half. */
TEST(tree_renewed)
{
	struct cpu_stats s;
	__u64 before;

	open_waiting(0);
	wait_for(10);
	kill(child, SIGSTOP);
	for (before = ~0ULL; counted().waits != before; usleep(50000))
		before = counted().waits;
	kernel_flip(kernel);
	assert_int_equal(counted().outcome[EVENT_OFFCPU][OUTCOME_RENEWED], 0);
	usleep(10000);
	kernel_settle(kernel);
	s = counted();
	assert_in_range(s.outcome[EVENT_OFFCPU][OUTCOME_RENEWED], 10000000, ~0ULL >> 1);
	assert_int_equal(in_books(&s, EVENT_OFFCPU), s.offcpu_ns);
	assert_int_equal(in_tree(), s.offcpu_ns + s.runqueue_ns);
}

TEST(only_what_it_needs_is_loaded)
{
	struct kernel_options o = { .min_wait_ns = 1234, .min_turn_ns = 5678, .frequency = 100 };
	struct pyperf *s = pyperf__open();

	assert_non_null(s);
	for (int wanted = 0; wanted < 2; wanted++) {
		o.needs = wanted ? NEEDS_WAITS : NEEDS_MEMORY;
		waits_prepare(s, &o);
		assert_int_equal(bpf_program__autoload(s->progs.settle_waits), wanted);
		assert_int_equal(bpf_map__autocreate(s->maps.waits), wanted);
		assert_int_equal(bpf_map__autocreate(s->maps.wait_keys), wanted);
		assert_int_equal(s->rodata->opt_min_wait, 1234);
		assert_false(bpf_map__autocreate(s->maps.turns) || s->rodata->opt_loop);
	}
	o.needs = NEEDS_WAITS | NEEDS_LOOP;
	waits_prepare(s, &o);
	assert_false(bpf_map__autocreate(s->maps.rounds) || s->rodata->opt_loop_exact);
	o.needs |= NEEDS_POLLS;
	waits_prepare(s, &o);
	assert_true(bpf_map__autocreate(s->maps.rounds) && s->rodata->opt_loop_exact);
	assert_true(bpf_map__autocreate(s->maps.turns) && s->rodata->opt_loop);
	assert_int_equal(s->rodata->opt_min_turn, 5678);
	assert_int_equal(s->rodata->opt_tick_ns, 10000000);
	o.needs = NEEDS_GIL;
	waits_prepare(s, &o);
	assert_true(bpf_map__autocreate(s->maps.waits) && s->rodata->opt_gil && !s->rodata->opt_offcpu);
	waits_settle(s);
	waits_settle(NULL);
	pyperf__destroy(s);
}

AROUND_EACH(NULL, teardown);

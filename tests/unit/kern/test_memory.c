// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_memory.c - the program that sees processes grow, on a child that takes memory and gives it back when
 * it is told to: what is counted is what it took, and the books add up.
 */
#include "tests/unit/kern/open_kernel.h"

#include <sys/mman.h>

#include "kern/banks.h"
#include "kern/memory.h"
#include "pyperf.skel.h"

#define AREA (64ULL << 20)
#define STEP (256 * 1024)

static const struct kernel_options growing = {
	.frequency = 99, .follow = true, .max_depth = 64, .needs = NEEDS_MEMORY,
	.rss_step = STEP, .statistics = true
};

static int orders[2], answers[2];

static void obey(void)
{
	char *area = MAP_FAILED, order;

	while (read(orders[0], &order, 1) == 1) {
		if (order == '+') {
			area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (area == MAP_FAILED)
				_exit(1);
			memset(area, 1, AREA);
		} else {
			munmap(area, AREA);
		}
		if (write(answers[1], "", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void start_grower(void)
{
	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(answers), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		obey();
	}
}

static void tell(char order)
{
	char answer;

	assert_int_equal(write(orders[1], &order, 1), 1);
	assert_int_equal(read(answers[0], &answer, 1), 1);
}

static int end(void **state)
{
	for (int i = 0; i < 2 && orders[1]; i++) {
		close(orders[i]);
		close(answers[i]);
	}
	orders[1] = 0;
	return teardown(state);
}

/* A process without a layout: its threads have no stack, so all is below one marker. */
static void watch(enum process_state state)
{
	const struct record_process e = find_process(kernel, child);
	const struct process p = {
		.start_time = e.start_time, .exec_id = e.exec_id, .id = 7, .state = state
	};

	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
}

static struct cpu_stats counted(void)
{
	struct kernel_stats s;

	kernel_stats(kernel, &s);
	return s.sum;
}

static __u64 in_books(const struct cpu_stats *s, enum event_kind kind)
{
	__u64 sum = 0;

	for (int i = 0; i < OUTCOME_COUNT; i++)
		sum += s->outcome[kind][i];
	return sum;
}

static __u64 in_tree(void)
{
	const struct kernel_tables *t = kernel_tables(kernel);
	__u64 sum = 0;

	for (__u32 i = 0; i < t->node_count; i++)
		sum += t->nodes[i].count;
	return sum;
}

/* What each CPU may not have handed on, a step, and what the child has besides. */
static __u64 slack(void)
{
	const __u64 cpus = sysconf(_SC_NPROCESSORS_CONF);

	return 2 * STEP + 3 * sysconf(_SC_PAGESIZE) * cpus * (cpus > 16 ? 2 * cpus : 32);
}

static void grows_and_shrinks(void **state)
{
	struct cpu_stats s;

	(void)state;
	kernel = open_kernel(growing);
	start_grower();
	watch(PROCESS_NO_LAYOUT);
	start(kernel);
	tell('+');
	s = counted();
	assert_in_range(s.grown_bytes, AREA - slack(), AREA + slack());
	assert_in_range(s.shrunk_bytes, 0, slack());
	tell('-');
	s = counted();
	assert_in_range(s.shrunk_bytes, AREA - slack(), AREA + slack());
	/* It is over: that is no shrinkage. */
	tell('+');
	end_child();
	kernel_stop(kernel);
	s = counted();
	assert_in_range(s.grown_bytes, 2 * (AREA - slack()), 2 * (AREA + slack()));
	assert_in_range(s.shrunk_bytes, AREA - slack(), AREA + slack());
	assert_int_equal(in_books(&s, EVENT_MEMORY), s.grown_bytes);
	assert_int_equal(in_books(&s, EVENT_SHRINKAGE), s.shrunk_bytes);
	assert_int_equal(s.outcome[EVENT_MEMORY][OUTCOME_NO_LAYOUT], s.grown_bytes);
	assert_int_equal(in_tree(), s.grown_bytes + s.shrunk_bytes);
	assert_int_equal(s.memories_dropped, 0);
	assert_in_range(s.memory_seen, 1, 3 * (AREA + slack()) / STEP);
}

static void others_are_not_looked_at(void **state)
{
	struct cpu_stats s;

	(void)state;
	kernel = open_kernel(growing);
	start_grower();
	watch(PROCESS_NOT_PYTHON);
	start(kernel);
	tell('+');
	tell('-');
	kernel_stop(kernel);
	s = counted();
	assert_int_equal(s.grown_bytes, 0);
	assert_int_equal(s.shrunk_bytes, 0);
	assert_int_equal(s.memory_seen, 0);
}

static void stopped(void **state)
{
	struct cpu_stats s;

	(void)state;
	kernel = open_kernel(growing);
	start_grower();
	watch(PROCESS_NO_LAYOUT);
	start(kernel);
	tell('+');
	kernel_stop(kernel);
	s = counted();
	tell('-');
	assert_int_equal(counted().shrunk_bytes, s.shrunk_bytes);
}

static void only_what_it_needs_is_loaded(void **state)
{
	const __u64 page = sysconf(_SC_PAGESIZE);
	struct pyperf *s = pyperf__open();

	(void)state;
	assert_non_null(s);
	for (int wanted = 0; wanted < 2; wanted++) {
		memory_prepare(s, wanted ? NEEDS_MEMORY : NEEDS_WAITS, 5 * page + 1);
		assert_int_equal(bpf_map__autocreate(s->maps.memories), wanted);
		assert_int_equal(s->rodata->opt_rss_step, 6);
		assert_int_equal(s->rodata->opt_page, page);
	}
	memory_prepare(s, 0, 0);
	assert_int_equal(s->rodata->opt_rss_step, 1);
	pyperf__destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(only_what_it_needs_is_loaded, end),
		cmocka_unit_test_teardown(grows_and_shrinks, end),
		cmocka_unit_test_teardown(others_are_not_looked_at, end),
		cmocka_unit_test_teardown(stopped, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

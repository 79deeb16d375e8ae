// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_memory.c - the program that sees processes grow, on a child that takes memory and gives it back when
 * it is told to: what is counted is what it took, and the books add up.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/counted.h"

#include <sys/mman.h>

#include <bpf/libbpf.h>

#include "bpf/data/memory.h"
#include "kern/object.h"
#include "kern/tracepoints.h"
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

static void close_pipes(void)
{
	for (int i = 0; i < 2 && orders[1]; i++) {
		close(orders[i]);
		close(answers[i]);
	}
	orders[1] = 0;
}

static int end(void **state)
{
	close_pipes();
	return teardown(state);
}

/* What each CPU may not have handed on, a step, and what the child has besides. */
static __u64 slack(void)
{
	const __u64 cpus = sysconf(_SC_NPROCESSORS_CONF);

	return 2 * STEP + 3 * sysconf(_SC_PAGESIZE) * cpus * (cpus > 16 ? 2 * cpus : 32);
}

TEST(grows_and_shrinks)
{
	struct cpu_stats s;

	kernel = open_kernel(growing);
	start_grower();
	watch(child, PROCESS_NO_LAYOUT);
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

TEST(others_are_not_looked_at)
{
	struct cpu_stats s;

	kernel = open_kernel(growing);
	start_grower();
	watch(child, PROCESS_NOT_PYTHON);
	start(kernel);
	tell('+');
	tell('-');
	kernel_stop(kernel);
	s = counted();
	assert_int_equal(s.grown_bytes, 0);
	assert_int_equal(s.shrunk_bytes, 0);
	assert_int_equal(s.memory_seen, 0);
}

TEST(stopped)
{
	struct cpu_stats s;

	kernel = open_kernel(growing);
	start_grower();
	watch(child, PROCESS_NO_LAYOUT);
	start(kernel);
	tell('+');
	kernel_stop(kernel);
	s = counted();
	tell('-');
	assert_int_equal(counted().shrunk_bytes, s.shrunk_bytes);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static void get_set(__u32 index, struct memory_set *ret)
{
	assert_int_equal(bpf_map__lookup_elem(kernel->skel->maps.memories, &index, sizeof(index), ret,
					      sizeof(*ret), 0),
			 0);
}

static void put_set(__u32 index, const struct memory_set *set)
{
	assert_int_equal(bpf_map__update_elem(kernel->skel->maps.memories, &index, sizeof(index), set,
					      sizeof(*set), BPF_ANY),
			 0);
}

/* The address of memory that is nobody's. */
static __u64 forged(__u32 set, int way)
{
	return 2 + set * MEMORY_WAYS + way;
}

/* All sets are full: of one process that grew long ago, in this way, and others that did just now. */
static void fill(int known)
{
	for (__u32 i = 0; i < MEMORY_SETS; i++) {
		struct memory_set set = {};

		for (int way = 0; way < MEMORY_WAYS; way++)
			set.way[way] = (struct memory){ .mm = forged(i, way), .used = 1ULL << 40 };
		set.way[known].used = 1 | MEMORY_COUNTED;
		put_set(i, &set);
	}
}

/* How many of those that grew long ago are left, and of the others. */
static void count_forged(int known, __u32 *ret_known, __u32 *ret_others)
{
	*ret_known = *ret_others = 0;
	for (__u32 i = 0; i < MEMORY_SETS; i++) {
		struct memory_set set;

		get_set(i, &set);
		for (int way = 0; way < MEMORY_WAYS; way++)
			if (set.way[way].mm == forged(i, way))
				(*(way == known ? ret_known : ret_others))++;
	}
}

/* The only entry that is not forged, of which child is told to take memory: its set and way. */
static struct memory find_entry(__u32 *ret_set, int *ret_way)
{
	struct memory found = {};

	for (__u32 i = 0; i < MEMORY_SETS; i++) {
		struct memory_set set;

		get_set(i, &set);
		for (int way = 0; way < MEMORY_WAYS; way++) {
			if (!(set.way[way].used & MEMORY_COUNTED) || set.way[way].mm == forged(i, way))
				continue;
			assert_int_equal(found.mm, 0);
			found = set.way[way];
			*ret_set = i;
			*ret_way = way;
		}
	}
	assert_true(found.mm);
	return found;
}

/* Programs without end of which nobody knows yet what they are: those of whom that is known stay. */
TEST(newcomers_push_out_no_slow_leak)
{
	__u32 known, others;

	kernel = open_kernel(growing);
	start(kernel);
	for (int way = 0; way < MEMORY_WAYS; way++) {
		__u64 dropped;

		fill(way);
		dropped = counted().memories_dropped;
		for (int i = 0; i < 12; i++) {
			start_grower();
			watch(child, PROCESS_WANTED);
			tell('+');
			end_child();
			close_pipes();
		}
		dropped = counted().memories_dropped - dropped;
		count_forged(way, &known, &others);
		assert_true(dropped > 0);
		assert_int_equal(known, MEMORY_SETS);
		assert_in_range(others, 1, 4 * MEMORY_SETS - 1);
	}
}

/* Nor does a process that grows by less than a step stop being in use, whoever it was before it was known. */
TEST(a_slow_leak_is_in_use)
{
	struct kernel_options slow = growing;
	struct memory before;
	struct memory_set set;
	__u32 index;
	int way;

	slow.rss_step = 4 * AREA;
	kernel = open_kernel(slow);
	start_grower();
	start(kernel);
	fill(0);
	watch(child, PROCESS_WANTED);
	tell('+');
	watch(child, PROCESS_NO_LAYOUT);
	tell('-');
	before = find_entry(&index, &way);
	get_set(index, &set);
	set.way[way].used = 1 | MEMORY_COUNTED;
	put_set(index, &set);
	tell('+');
	assert_true(find_entry(&index, &way).mm == before.mm);
	get_set(index, &set);
	assert_true(set.way[way].used >= before.used);
	assert_int_equal(counted().memory_seen, 0);
}

TEST(only_what_it_needs_is_loaded)
{
	const __u64 page = sysconf(_SC_PAGESIZE);
	struct pyperf *s = pyperf__open();

	assert_non_null(s);
	for (int wanted = 0; wanted < 2; wanted++) {
		tracepoints_prepare(s, wanted ? NEEDS_MEMORY : NEEDS_WAITS, 5 * page + 1);
		assert_int_equal(bpf_map__autocreate(s->maps.memories), wanted);
		assert_int_equal(s->rodata->opt_rss_step, 6);
		assert_int_equal(s->rodata->opt_page, page);
	}
	tracepoints_prepare(s, 0, 0);
	assert_int_equal(s->rodata->opt_rss_step, 1);
	pyperf__destroy(s);
}

AROUND_EACH(NULL, end);

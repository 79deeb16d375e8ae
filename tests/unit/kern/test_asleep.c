// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_asleep.c - the programs that list threads which sleep, and take their stacks, on children that sleep:
 * each is listed once, a stack counts for the wait that was listed and for no later one, and the books add up
 * whatever happens meanwhile.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "kern/asleep.h"
#include "kern/banks.h"
#include "kern/waits.h"
#include "pyperf.skel.h"

#define FRAMES 3
#define TEXT_MAX 512
#define ID     7 /* struct process.id of the child */

static const struct kernel_options waiting = {
	.frequency = 99,
	.by_thread = true,
	.max_depth = 64,
	.needs = NEEDS_WAITS,
	.tree_size = 4096,
};

static struct buf listed;

static void nothing(int signal)
{
	(void)signal;
}

/* The letter of the child's state. */
static char state_of(pid_t pid)
{
	char path[64], text[TEXT_MAX] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strrchr(text, ')')[2];
}

static void wait_asleep(void)
{
	while (state_of(child) != 'S')
		usleep(1000);
	usleep(1000); /* it says so before it has left its CPU */
}

static void start_sleeper(void)
{
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, nothing);
		for (;;)
			pause();
	}
}

/* To the kernel side it is a Python, of a layout that leads nowhere. */
static void open_watching(void)
{
	kernel = open_kernel(waiting);
	const struct record_process e = find_process(kernel, child);
	const struct process p = {
		.start_time = e.start_time, .exec_id = e.exec_id, .id = ID, .state = PROCESS_PYTHON
	};

	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	assert_false(asleep_is_open(kernel_asleep(kernel)));
	start(kernel);
	assert_true(asleep_is_open(kernel_asleep(kernel)));
}

static struct cpu_stats counted(void)
{
	struct kernel_stats s;

	kernel_stats(kernel, &s);
	return s.sum;
}

static void books_add_up(void)
{
	const struct kernel_tables *t = kernel_tables(kernel);
	const struct cpu_stats s = counted();
	__u64 books = 0, inside = 0, tree = 0;

	for (int kind = EVENT_OFFCPU; kind <= EVENT_RUNQUEUE; kind++) {
		for (int i = 0; i < OUTCOME_COUNT; i++)
			books += s.outcome[kind][i];
		inside -= s.outcome[kind][OUTCOME_SHORT] + s.outcome[kind][OUTCOME_NESTED] +
			  s.outcome[kind][OUTCOME_NEW_PROCESS];
	}
	inside += books;
	for (__u32 i = 0; i < t->node_count; i++)
		tree += t->nodes[i].count;
	assert_int_equal(books, s.offcpu_ns + s.runqueue_ns);
	assert_int_equal(tree, inside);
}

/* How many threads of the child are listed. */
static size_t list(void)
{
	buf_clear(&listed);
	assert_int_equal(asleep_list(kernel_asleep(kernel), &listed), 0);
	assert_int_equal(listed.size % sizeof(struct asleep), 0);
	return listed.size / sizeof(struct asleep);
}

static const struct asleep *at(size_t i)
{
	return (const struct asleep *)listed.data + i;
}

static struct asleep list_one(void)
{
	assert_int_equal(list(), 1);
	return *at(0);
}

/* Gives a stack of FRAMES frames, each at its own line. The result. */
static int give(const struct asleep *a, __u32 depth)
{
	const struct asleep_programs *programs = kernel_asleep(kernel);
	struct outside_stack *g = programs->outside;

	g->asleep = *a;
	g->outcome = OUTCOME_WHOLE;
	g->depth = depth;
	for (__u32 i = 0; i < depth; i++)
		g->frames[i] = (struct outside_frame){
			.address = 0x10000 + 64 * (i % FRAMES), .fingerprint = 2 * i + 1, .instr = 1 + i
		};
	return asleep_give(programs);
}

TEST(listed_until_its_stack_is_known)
{
	struct asleep a;

	start_sleeper();
	wait_asleep();
	open_watching();
	a = list_one();
	assert_int_equal(a.pid, child);
	assert_int_equal(a.tid, child);
	assert_int_equal(a.process, ID);
	assert_int_equal(a.iowait, 0);
#ifdef SYS_pause
	assert_int_equal(a.syscall, SYS_pause);
#endif
	usleep(150000);
	assert_int_equal(list_one().begin, a.begin);
	assert_int_equal(give(&a, FRAMES), OUTSIDE_TAKEN);
	usleep(150000);
	assert_int_equal(list(), 0);
	kernel_flip(kernel);
	assert_int_equal(list_one().begin, a.begin); /* the wait is the same one, the tree is another */
	assert_int_equal(give(&a, FRAMES), OUTSIDE_TAKEN);
	assert_int_equal(list(), 0);
	kernel_settle(kernel);
	books_add_up();
}

TEST(its_time_is_below_its_stack)
{
	const struct outside_stack *g;
	struct asleep a;
	__u64 before;

	start_sleeper();
	wait_asleep();
	open_watching();
	a = list_one();
	assert_int_equal(give(&a, FRAMES), OUTSIDE_TAKEN);
	g = kernel_asleep(kernel)->outside;
	for (int i = 0; i < FRAMES; i++) {
		assert_in_range(g->frames[i].code, CODE_FIRST, kernel_tables(kernel)->code_count - 1);
		assert_int_equal(kernel_tables(kernel)->codes[g->frames[i].code].key,
				 code_key(ID, g->frames[i].address));
		assert_int_equal(g->frames[i].unnamed, 1);
	}
	assert_int_equal(give(&a, FRAMES), OUTSIDE_TAKEN);
	assert_int_equal(g->frames[0].unnamed, 0); /* the names were asked for */
	before = counted().outcome[EVENT_OFFCPU][OUTCOME_WHOLE];
	usleep(20000);
	kernel_settle(kernel);
	assert_in_range(counted().outcome[EVENT_OFFCPU][OUTCOME_WHOLE] - before, 20000000, ~0ULL >> 1);
	assert_int_equal(counted().outcome[EVENT_OFFCPU][OUTCOME_UNSEEN], 0);
	assert_int_equal(counted().waits_given, 2);
	kernel_stop(kernel);
	books_add_up();
	assert_false(asleep_is_open(kernel_asleep(kernel)));
}

TEST(who_has_run_since_is_left_alone)
{
	struct asleep a, other;

	start_sleeper();
	wait_asleep();
	open_watching();
	a = list_one();
	other = a;
	other.begin++;
	assert_int_equal(give(&other, FRAMES), OUTSIDE_GONE);
	other = a;
	other.start_time++;
	assert_int_equal(give(&other, FRAMES), OUTSIDE_GONE);
	kill(child, SIGUSR1);
	while (!counted().waits)
		usleep(1000);
	assert_int_equal(give(&a, FRAMES), OUTSIDE_GONE);
	kernel_settle(kernel);
	assert_int_equal(counted().outcome[EVENT_OFFCPU][OUTCOME_WHOLE], 0);
	books_add_up();
	end_child();
	assert_int_equal(list(), 0);
	assert_int_equal(give(&a, FRAMES), OUTSIDE_GONE);
	books_add_up();
}

/* There is no room for so many frames: the time is below [table full], and nobody looks again. */
TEST(no_room)
{
	struct asleep a;

	start_sleeper();
	wait_asleep();
	open_watching();
	a = list_one();
	assert_int_equal(give(&a, OUTSIDE_FRAMES), OUTSIDE_TAKEN);
	usleep(150000);
	assert_int_equal(list(), 0);
	kernel_settle(kernel);
	assert_true(counted().outcome[EVENT_OFFCPU][OUTCOME_TABLE_FULL] > 100000000);
	books_add_up();
}

static void *sleep_in_turns(void *seed)
{
	unsigned int random = (unsigned int)(uintptr_t)seed;

	for (;;)
		nanosleep(&(struct timespec){ .tv_nsec = 99000000 + rand_r(&random) % 8000000 }, NULL);
	return NULL;
}

/* Waits end while they are listed, looked at and given a stack; the tree is renewed all the time. */
TEST(books_are_exact_whatever_happens)
{
	size_t taken = 0, gone = 0;

	child = fork();
	assert_true(child >= 0);
	if (!child) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (uintptr_t i = 1; i < 64; i++)
			pthread_create(&thread, NULL, sleep_in_turns, (void *)i);
		sleep_in_turns(NULL);
	}
	usleep(100000);
	open_watching();
	for (int i = 0; i < 4000 && !(taken > 300 && gone); i++) {
		kernel_flip(kernel);
		for (size_t n = list(); n-- > 0;) {
			usleep(i % 8 * 100);
			if (give(at(n), FRAMES) == OUTSIDE_TAKEN)
				taken++;
			else
				gone++;
		}
		usleep(1000);
	}
	assert_true(taken > 300 && gone);
	kernel_stop(kernel);
	assert_true(counted().outcome[EVENT_OFFCPU][OUTCOME_WHOLE] > 0);
	books_add_up();
}

TEST(nothing_is_loaded_without_waits)
{
	struct kernel_options o = waiting;

	o.needs = 0;
	kernel = open_kernel(o);
	start(kernel);
	assert_false(asleep_is_open(kernel_asleep(kernel)));
	assert_null(kernel_asleep(kernel)->outside);
}

static int free_list(void **state)
{
	(void)state;
	buf_free(&listed);
	return 0;
}

AROUND_EACH(NULL, teardown);
AROUND_ALL(NULL, free_list);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wait_table.c - the table of threads that wait: whatever becomes of a thread, its entry is free in the
 * end, and where there is no room the owner who has most makes some. Entries are forged to fill a set.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/counted.h"

#include <pthread.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "bpf/data/wait.h"
#include "kern/asleep.h"
#include "kern/object.h"
#include "pyperf.skel.h"

#define EXECS	    50
#define SOMEBODY    (1ULL << 63 | 65534) /* USER_BY_UID of bpf/base/share.h, a uid */
#define NO_TID	    ((1U << 22) - 1) /* Linux gives out smaller ones */
#define SINCE_SHIFT 3 /* bpf/events/wait.h */

static const struct kernel_options waiting = {
	.frequency = 99, .follow = true, .max_depth = 64, .needs = NEEDS_WAITS
};

/* The three tables of the kernel side, and one set of each. */
struct set {
	__u64 keys[WAIT_WAYS];
	struct wait_user users[WAIT_WAYS];
	struct wait waits[WAIT_WAYS];
};

static void get(const struct bpf_map *map, __u32 index, void *value, size_t size)
{
	assert_int_equal(bpf_map__lookup_elem(map, &index, sizeof(index), value, size, 0), 0);
}

static void put(const struct bpf_map *map, __u32 index, const void *value, size_t size)
{
	assert_int_equal(bpf_map__update_elem(map, &index, sizeof(index), value, size, BPF_ANY), 0);
}

static void get_set(__u32 index, struct set *ret)
{
	const struct pyperf *s = kernel->skel;

	get(s->maps.wait_keys, index, ret->keys, sizeof(ret->keys));
	get(s->maps.wait_users, index, ret->users, sizeof(ret->users));
	for (__u32 i = 0; i < WAIT_WAYS; i++)
		get(s->maps.waits, index * WAIT_WAYS + i, &ret->waits[i], sizeof(ret->waits[i]));
}

static void put_set(__u32 index, const struct set *set)
{
	const struct pyperf *s = kernel->skel;

	for (__u32 i = 0; i < WAIT_WAYS; i++)
		put(s->maps.waits, index * WAIT_WAYS + i, &set->waits[i], sizeof(set->waits[i]));
	put(s->maps.wait_users, index, set->users, sizeof(set->users));
	put(s->maps.wait_keys, index, set->keys, sizeof(set->keys));
}

static __u32 set_of(pid_t tid)
{
	const __u32 mask = kernel->skel->rodata->opt_wait_sets_mask, row = tid & ~mask;

	return (tid ^ (__u32)(row * kernel->skel->rodata->opt_secret >> 32)) & mask;
}

static int way_of(const struct set *set, pid_t tid)
{
	for (int i = 0; i < WAIT_WAYS; i++)
		if ((set->keys[i] & NO_TID) == (__u32)tid)
			return i;
	return -1;
}

/* Entries of all sets. */
static int entries(void)
{
	const struct bpf_map *map = kernel->skel->maps.wait_keys;
	__u64 keys[WAIT_WAYS];
	int n = 0;

	for (__u32 set = 0; set < bpf_map__max_entries(map); set++) {
		get(map, set, keys, sizeof(keys));
		for (int i = 0; i < WAIT_WAYS; i++)
			n += keys[i] != 0;
	}
	return n;
}

/* A child that stops, and sleeps again and again once it goes on. */
static void open_sleeper(struct kernel_options o)
{
	kernel = open_kernel(o);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		for (;;)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	watch(child, PROCESS_NO_LAYOUT);
	start(kernel);
}

static void list(void)
{
	struct buf listed = {};

	assert_int_equal(asleep_list(kernel_asleep(kernel), &listed), 0);
	buf_free(&listed);
}

static void wait_for_wait(void)
{
	const __u64 before = counted().waits + counted().waits_full;

	kill(child, SIGCONT);
	while (counted().waits + counted().waits_full < before + 3)
		usleep(1000);
}

static void *sleep_and_exec(void *program)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	execl(program, program, (char *)NULL);
	_exit(1);
}

/* A child whose children each have a thread that sleeps, and then becomes the whole process by an exec. */
static void start_execs(void)
{
	child = fork();
	assert_true(child >= 0);
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise(SIGSTOP);
	for (int i = 0; i < EXECS; i++) {
		pid_t pid = fork();
		pthread_t thread;
		int status;

		if (!pid) {
			pthread_create(&thread, NULL, sleep_and_exec, "/bin/true");
			for (;;)
				pause();
		}
		if (waitpid(pid, &status, 0) != pid || status)
			_exit(1);
	}
	_exit(0);
}

TEST(an_exec_from_a_thread_leaves_nothing)
{
	int status;

	kernel = open_kernel(waiting);
	start_execs();
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	watch(child, PROCESS_NO_LAYOUT);
	start(kernel);
	kill(child, SIGCONT);
	assert_int_equal(waitpid(child, &status, 0), child);
	child = 0;
	assert_int_equal(status, 0);
	assert_true(counted().waits > EXECS);
	assert_int_equal(entries(), 0);
}

/* An entry of no task goes with the third list; that of one whose waits are of interest stays. */
static void swept(struct kernel_options o)
{
	struct set set = { .keys = { NO_TID | 1ULL << 22 } };
	__u32 other;

	open_sleeper(o);
	other = set_of(child) ^ 1;
	put_set(other, &set);
	if (o.needs & NEEDS_WAITS)
		wait_for_wait();
	assert_int_equal(entries(), o.needs & NEEDS_WAITS ? 2 : 1);
	for (int i = 0; i < 2; i++)
		list();
	assert_int_equal(entries(), o.needs & NEEDS_WAITS ? 2 : 1);
	list();
	get_set(other, &set);
	assert_int_equal(set.keys[0], 0);
	assert_int_equal(counted().waits_swept, 1);
	for (int i = 0; i < 5; i++)
		list();
	assert_int_equal(entries(), o.needs & NEEDS_WAITS ? 1 : 0);
	assert_int_equal(counted().waits_swept, 1);
}

TEST(what_no_task_has_is_swept)
{
	swept(waiting);
}

TEST(with_waits_for_the_gil_alone_too)
{
	struct kernel_options o = waiting;

	o.needs = NEEDS_GIL;
	swept(o);
}

TEST(what_is_of_no_interest_any_more_is_swept)
{
	open_sleeper(waiting);
	wait_for_wait();
	assert_int_equal(entries(), 1);
	watch(child, PROCESS_NOT_PYTHON);
	for (int i = 0; i < 4; i++)
		list();
	assert_int_equal(entries(), 0);
}

/* A full set of threads of this user that wait. */
static void fill(struct set *set, struct wait_user user)
{
	*set = (struct set){};
	for (int i = 0; i < WAIT_WAYS; i++) {
		set->keys[i] = (NO_TID - i) | 1ULL << 22;
		set->users[i] = user;
		set->waits[i] = (struct wait){
			.since = clock_ns() << SINCE_SHIFT, .begin = clock_ns(), .tid = NO_TID - i,
			.stack[WAIT_OWN] = { .outcome = OUTCOME_UNSEEN, .queue_outcome = OUTCOME_UNSEEN },
		};
	}
}

static struct set full;

/* The child finds this set full, and waits. Its way, -1 if it has none. */
static int meets_full_set(void)
{
	struct set set;

	put_set(set_of(child), &full);
	wait_for_wait();
	get_set(set_of(child), &set);
	return way_of(&set, child);
}

/* Some kernels have cgroup v2 and so an owner by that; others have the user. */
TEST(who_has_most_makes_room)
{
	struct set set;

	open_sleeper(waiting);
	fill(&full, (struct wait_user){ .owner = SOMEBODY });
	full.waits[0].since = 0; /* it runs */
	assert_int_equal(meets_full_set(), 1);
	get_set(set_of(child), &set);
	assert_int_equal(set.users[1].process, child);
	assert_true(set.users[1].owner && set.users[1].owner != SOMEBODY);
	for (int i = 0; i < WAIT_WAYS; i++)
		assert_true(i == 1 || set.keys[i] == full.keys[i]);
	assert_int_equal(counted().waits_full, 1);
}

/* Among entries of the child's own owner those of the largest process. */
TEST(within_an_owner_too)
{
	struct set set;
	__u64 owner;

	open_sleeper(waiting);
	wait_for_wait();
	get_set(set_of(child), &set);
	owner = set.users[way_of(&set, child)].owner;
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	fill(&full, (struct wait_user){ .owner = owner });
	for (__u32 i = 0; i < WAIT_WAYS; i++)
		full.users[i].process = NO_TID - i;
	full.users[5].process = full.users[6].process = 1;
	assert_int_equal(meets_full_set(), 5);
}

TEST(who_has_no_more_keeps_what_it_has)
{
	open_sleeper(waiting);
	fill(&full, (struct wait_user){ .owner = SOMEBODY });
	for (__u32 i = 0; i < WAIT_WAYS; i++)
		full.users[i].owner -= i;
	assert_int_equal(meets_full_set(), -1);
	assert_in_range(counted().waits_full, 3, ~0ULL >> 1);
	assert_int_equal(counted().waits, 0);
}

#define UNSEEN_NS 3000000000ULL

/*
 * The kernel has not told of this thread's return: its entry says that it still waits, for three seconds now.
 * As it leaves again, it has waited up to when it came to its CPU.
 */
TEST(a_return_that_nobody_told_of)
{
	const pid_t tid = gettid();
	struct cpu_stats before;
	__u64 first, begin, now, took;
	struct set set;
	int way;

	kernel = open_kernel(waiting);
	watch(getpid(), PROCESS_NO_LAYOUT);
	start(kernel);
	usleep(1000);
	before = counted();
	first = clock_ns();
	do { /* it may not have told in truth, either */
		begin = clock_ns();
		usleep(1000);
		get_set(set_of(tid), &set);
		way = way_of(&set, tid);
		assert_true(way >= 0);
	} while (set.waits[way].since);
	now = clock_ns();
	set.waits[way].begin = now - UNSEEN_NS;
	set.waits[way].since = set.waits[way].begin << SINCE_SHIFT;
	put(kernel->skel->maps.waits, set_of(tid) * WAIT_WAYS + way, &set.waits[way], sizeof(struct wait));
	usleep(1000);
	kernel_stop(kernel);
	took = clock_ns() - first;
	assert_true(counted().returns_unseen > before.returns_unseen);
	assert_in_range(counted().offcpu_ns - before.offcpu_ns, UNSEEN_NS - (now - begin), UNSEEN_NS + took);
}

AROUND_EACH(NULL, teardown);

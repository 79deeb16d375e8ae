// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_accounts.c - what the kernel accounts to the threads of a process is in the tree, beside the ticks: of
 * a thread that lives, of one that has ended meanwhile, and only from when its process is known.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include <pthread.h>

#include "base/clock.h"
#include "kern/accounts.h"
#include "kern/banks.h"
#include "pyperf.skel.h"

#define MS 1000000ULL

static void watch(pid_t pid)
{
	const struct record_process e = find_process(kernel, pid);
	const struct process p = { .start_time = e.start_time, .exec_id = e.exec_id, .id = 7,
				   .state = PROCESS_NO_LAYOUT, .known = clock_boot_ns() };

	assert_int_equal(kernel_set_process(kernel, pid, &p), 0);
}

static __u64 thread_ns(clockid_t clock)
{
	return clock_ns_of(clock);
}

/* Of all owners, or of the one with this tid. */
static __u64 account(bool all, __u32 tid)
{
	const struct kernel_tables *t = kernel_tables(kernel);
	__u64 sum = 0;

	for (__u32 i = 0; i < t->node_count; i++) {
		const __u64 key = t->nodes[i].key;

		if (key == KEY_RESERVED || !node_is_account(key))
			continue;
		if (all || t->owners[node_code(t->nodes[node_parent(key)].key)].tid == tid)
			sum += t->nodes[i].count;
	}
	return sum;
}

static void open_watching(void)
{
	struct kernel_options o = selected;

	o.by_thread = true;
	kernel = open_kernel(o);
	start(kernel);
	watch(getpid());
	kernel_settle(kernel);
}

/* All of what this thread runs after the process has become known, and nothing of before. */
TEST(a_thread_that_lives)
{
	__u64 begin, end, counted;

	burn(0.05);
	begin = thread_ns(CLOCK_THREAD_CPUTIME_ID);
	open_watching();
	burn(0.3);
	usleep(1000); /* off the CPU its account is brought up to date */
	kernel_settle(kernel);
	end = thread_ns(CLOCK_THREAD_CPUTIME_ID);
	counted = account(false, getpid());
	assert_in_range(counted, 290 * MS, end - begin);
	kernel_settle(kernel);
	assert_in_range(account(true, 0), counted, thread_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
}

static pid_t ended_tid;

static void *burn_and_end(void *unused)
{
	const __u64 end = thread_ns(CLOCK_THREAD_CPUTIME_ID) + 200 * MS;

	while (thread_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
	ended_tid = gettid();
	return unused;
}

/* No list has met it: its time is its process's. */
TEST(a_thread_that_ended)
{
	pthread_t thread;

	open_watching();
	assert_int_equal(account(false, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, burn_and_end, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	while (!account(false, 0)) /* it ends a moment after it is joined */
		usleep(1000);
	assert_in_range(account(false, 0), 150 * MS, 220 * MS); /* without what its last tick had not seen */
	assert_int_equal(account(false, ended_tid), 0);
}

TEST(not_of_cycles)
{
	struct pyperf *s = pyperf__open();

	assert_non_null(s);
	for (int wanted = 0; wanted < 2; wanted++) {
		accounts_prepare(s, &(struct kernel_options){ .needs = NEEDS_TICKS, .use_cycles = !wanted });
		assert_int_equal(bpf_program__autoload(s->progs.list_accounts), wanted);
		assert_int_equal(bpf_map__autocreate(s->maps.accounts), wanted);
		assert_int_equal(s->rodata->opt_account, wanted);
	}
	pyperf__destroy(s);
}

AROUND_EACH(NULL, teardown);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_notices.c - user space is asked about a process that nothing is known of, again and again but not at
 * each sample, until it has answered; and what stands in its place of the table of questions keeps it from
 * nothing. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "kern/object.h"
#include "kern/records.h"
#include "pyperf.skel.h"

#define PATIENCE_NS (20 * NS_PER_SECOND)
#define OTHER_PID   ((1U << 22) + 7) /* Linux gives out smaller ones */

static __u32 asked; /* about child */
static __u64 started;

static int on_record(void *context, void *record, size_t size)
{
	const struct record_process *p = record;

	(void)context;
	(void)size;
	asked += p->type == RECORD_PROCESS && p->pid == (__u32)child;
	return 0;
}

static void wait_until_asked(__u32 times)
{
	const __u64 begin = clock_ns();

	while (asked < times) {
		assert_true(clock_ns() < begin + PATIENCE_NS);
		usleep(1000);
		kernel_read_records(kernel);
	}
}

/* Where it stands that the child was asked about. */
static __u32 find_place(__u64 *ret)
{
	for (__u32 i = 0; i < bpf_map__max_entries(kernel->skel->maps.notices); i++) {
		if (bpf_map__lookup_elem(kernel->skel->maps.notices, &i, sizeof(i), ret, sizeof(*ret), 0))
			break;
		if (*ret >> 32 == (__u32)child)
			return i;
	}
	fail_msg("the child has no place");
	return 0;
}

static void begin(void)
{
	asked = 0;
	kernel = open_kernel(everything);
	kernel_on_record(kernel, on_record, NULL);
	start_child();
	started = clock_ns();
	start(kernel);
	wait_until_asked(1);
}

TEST(again_and_again_until_it_is_known)
{
	struct record_process e;
	struct process p = { .state = PROCESS_NOT_PYTHON };

	begin();
	wait_until_asked(12);
	assert_true(clock_ns() > started + 11 * (20ULL << 20)); /* not at each sample: NOTICE_PAUSE */
	e = find_process(kernel, child);
	p.start_time = e.start_time;
	p.exec_id = e.exec_id;
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	usleep(50000); /* what is under way */
	kernel_read_records(kernel);
	asked = 0;
	for (int i = 0; i < 50; i++) {
		usleep(10000);
		kernel_read_records(kernel);
	}
	assert_int_equal(asked, 0);
}

/*
 * Another process was asked about just now, and has the place. The child is asked about before NOTICE_PAUSE
 * is over; that we are late ourselves says nothing.
 */
TEST(one_that_shares_the_place)
{
	const __u64 begun = clock_ns();
	__u64 word, put;
	__u32 place;
	int early = 0;

	begin();
	place = find_place(&word);
	while (early < 10) {
		put = clock_ns();
		assert_true(put < begun + PATIENCE_NS);
		word = (__u64)OTHER_PID << 32 | (__u32)(put >> 20);
		assert_int_equal(bpf_map__update_elem(kernel->skel->maps.notices, &place, sizeof(place),
						      &word, sizeof(word), BPF_ANY),
				 0);
		kernel_read_records(kernel);
		asked = 0;
		usleep(5000);
		kernel_read_records(kernel);
		early += asked && clock_ns() < put + (15ULL << 20);
	}
}

AROUND_EACH(NULL, teardown);

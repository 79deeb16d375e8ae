// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ticks.c - the sampler on the running kernel: ticks that are started and stopped, and samples all the
 * way into a profile. Needs the right to load BPF.
 */

#include "kern/banks.h"
#include "names/codes.h"
#include "profile/profile.h"
#include "targets/registry.h"
#include "tree/harvest.h"
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

/* The CPUs stay as they are here; tests/guest/pod takes one away. */
TEST(cpus_stay)
{
	struct kernel_stats s, later;
	int cpus = -1;

	kernel = open_kernel(everything);
	assert_int_equal(kernel_follow_cpus(kernel, &cpus), 0); /* nothing was started */
	start(kernel);
	burn(0.1);
	assert_int_equal(kernel_follow_cpus(kernel, &cpus), 0);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_int_equal(kernel_follow_cpus(kernel, &cpus), 0);
	burn(0.1);
	kernel_stats(kernel, &later);
	assert_true(s.sum.ticks >= 5);
	assert_int_equal(later.sum.ticks, s.sum.ticks);
	assert_int_equal(cpus, -1);
}

TEST(stop_and_start_again)
{
	struct kernel_options o = everything;
	struct kernel_stats s, later;
	int fds = 0;

	o.measure = o.statistics = true;
	kernel = open_kernel(o);
	kernel_stats(kernel, &s);
	assert_int_equal(s.sum.ticks, 0);
	kernel_stop(kernel); /* of nothing */
	for (int round = 0; round < 3; round++) {
		start(kernel);
		burn(0.1);
		kernel_stop(kernel);
		kernel_stats(kernel, &s);
		burn(0.05);
		kernel_stats(kernel, &later);
		assert_int_equal(later.sum.ticks, s.sum.ticks);
		assert_int_equal(outcome_sum(&later), later.sum.ticks);
		assert_true(s.sum.ticks >= 5U * (round + 1));
		if (round)
			assert_int_equal(count_fds(), fds);
		fds = count_fds();
	}
}

TEST(cycles_or_a_reason)
{
	struct kernel_options o = everything;
	int err;

	kernel_close(open_kernel(o)); /* skips */
	o.use_cycles = true;
	err = kernel_open(&kernel, &o);
	if (!err)
		start(kernel);
	else
		assert_non_null(strstr(kernel_reason(kernel), "use --event cpu"));
}

/* Samples of a process whose layout is unknown: from the tick through the tree into a profile. */
static void into_a_profile(bool by_thread)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	_cleanup_profile_ struct profile *profile = NULL;
	struct kernel_options o = selected;
	const struct profile_owner *owner;
	struct harvest_inputs inputs;
	struct harvest_stats harvested;
	struct registry_entry entry;
	struct registry *registry;
	struct record_process listed;
	struct codes *codes;
	struct kernel_stats s;
	struct process p;

	o.by_thread = by_thread;
	kernel = open_kernel(o);
	start_child();
	listed = find_process(kernel, child);
	p = (struct process){ .start_time = listed.start_time,
			      .exec_id = listed.exec_id,
			      .state = PROCESS_NO_LAYOUT };
	p.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	start(kernel);
	for (int i = 0; i < 100; i++) {
		usleep(50000);
		kernel_stats(kernel, &s);
		if (s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT] >= 20)
			break;
	}
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_true(s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT] >= 20);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	entry = (struct registry_entry){ .id = p.id, .pid = child, .comm = "python3", .layout = -1 };
	assert_int_equal(codes_new(&codes, 0), 0);
	assert_int_equal(registry_new(&registry), 0);
	assert_int_equal(registry_add(registry, &entry), 0);
	assert_int_equal(profile_new(&info, &profile), 0);
	inputs = (struct harvest_inputs){ .tables = kernel_tables(kernel),
					  .codes = codes,
					  .registry = registry };
	assert_int_equal(harvest(&inputs, &(struct harvest_span){}, profile, &harvested), 0);
	registry_free(registry);
	codes_free(codes);
	assert_int_equal(harvested.samples[EVENT_CPU], s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT]);
	assert_int_equal(profile_total(profile), harvested.samples[EVENT_CPU]);
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 1);
	owner = profile_get_owner(profile, profile_get_sample(profile, 1).owner);
	assert_int_equal(owner->pid, child);
	assert_int_equal(owner->tid, by_thread ? child : 0);
	assert_string_equal(profile_get_string(profile, owner->comm), "burner");
	assert_string_equal(profile_get_string(profile, owner->thread), by_thread ? "burner" : "");
}

TEST(into_a_profile_by_thread)
{
	into_a_profile(true);
}

TEST(into_a_profile_by_process)
{
	into_a_profile(false);
}

AROUND_EACH(NULL, teardown);

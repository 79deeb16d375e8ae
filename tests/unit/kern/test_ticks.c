// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ticks.c - the sampler on the running kernel: ticks whose books balance, started and stopped, the
 * records of a child's life, and samples all the way into a profile. Needs the right to load BPF.
 */
#include <poll.h>

#include "names/codes.h"
#include "profile/profile.h"
#include "targets/registry.h"
#include "tree/harvest.h"
#include "tests/unit/kern/open_kernel.h"

static void books_of_everything(void **state)
{
	struct kernel_options o = everything;
	struct kernel_stats s;

	(void)state;
	o.measure = o.statistics = true;
	kernel = open_kernel(o);
	start(kernel);
	burn(1);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	/* 199 a second, at least of this CPU; one half, for a machine that takes time away. */
	assert_true(s.sum.ticks >= 99);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	/* Nobody was asked about, so nothing is Python. Our own ticks are never analysed. */
	assert_int_equal(s.sum.outcome[EVENT_CPU][OUTCOME_NOT_PYTHON] +
				 s.sum.outcome[EVENT_CPU][OUTCOME_NEW_PROCESS] +
				 s.sum.outcome[EVENT_CPU][OUTCOME_NESTED],
			 s.sum.ticks);
	assert_true(s.sum.outcome[EVENT_CPU][OUTCOME_NOT_PYTHON] >= 99);
	assert_true(s.sum.frames == 0 && s.sum.reads == 0 && s.sum.nodes_new == 0);
	assert_true(s.runs >= s.sum.ticks && s.run_time_ns > 0);
}

static void books_of_nobody(void **state)
{
	struct kernel_stats s;

	(void)state;
	kernel = open_kernel(selected);
	start(kernel);
	burn(0.5);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_true(s.sum.ticks >= 49);
	assert_int_equal(s.sum.outcome[EVENT_CPU][OUTCOME_NOT_SELECTED] +
				 s.sum.outcome[EVENT_CPU][OUTCOME_NESTED],
			 s.sum.ticks);
	assert_int_equal(s.sum.notices, 0);
}

/* The CPUs stay as they are here; tests/guest/pod takes one away. */
static void cpus_stay(void **state)
{
	struct kernel_stats s, later;
	int cpus = -1;

	(void)state;
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

static void stop_and_start_again(void **state)
{
	struct kernel_options o = everything;
	struct kernel_stats s, later;
	int fds = 0;

	(void)state;
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

static void cycles_or_a_reason(void **state)
{
	struct kernel_options o = everything;
	int err;

	(void)state;
	kernel_close(open_kernel(o)); /* skips */
	o.use_cycles = true;
	err = kernel_open(&kernel, &o);
	if (!err)
		start(kernel);
	else
		assert_non_null(strstr(kernel_reason(kernel), "--event cpu-clock"));
}

/* --- records of a child ------------------------------------------------------------------------------ */

struct seen {
	__u32 pid;
	int notices, forks, exits;
	struct record_process notice;
	struct record_fork fork;
	struct record_exit exit;
};

static int on_record(void *context, void *record, size_t size)
{
	struct seen *s = context;
	const struct record_process *p = record;

	assert_true(size >= 8);
	if (p->type == RECORD_PROCESS && p->pid == s->pid) {
		s->notices++;
		s->notice = *p;
	} else if (p->type == RECORD_FORK && ((struct record_fork *)record)->parent_id == s->fork.parent_id) {
		s->forks++;
		s->fork = *(struct record_fork *)record;
	} else if (p->type == RECORD_EXIT && p->pid == s->fork.pid) {
		s->exits++;
		s->exit = *(struct record_exit *)record;
	}
	return 0;
}

static void read_records(struct kernel *k, const int *until_positive)
{
	struct pollfd p = { .fd = kernel_records_fd(k), .events = POLLIN };

	for (int i = 0; i < 500 && !*until_positive; i++) {
		poll(&p, 1, 20);
		assert_true(kernel_read_records(k) >= 0);
	}
	assert_true(*until_positive > 0);
}

static void asks_about_strangers(void **state)
{
	struct process p = { .state = PROCESS_NOT_PYTHON };
	struct seen seen = { 0 };
	struct record_process listed;
	int notices;

	(void)state;
	kernel = open_kernel(everything);
	kernel_on_record(kernel, on_record, &seen);
	start_child();
	seen.pid = child;
	start(kernel);
	read_records(kernel, &seen.notices);
	listed = find_process(kernel, child);
	assert_true(seen.notice.start_time == listed.start_time);
	assert_true(seen.notice.exec_id == listed.exec_id);
	assert_string_equal(seen.notice.comm, "burner");
	/* Asked, answered: no more questions, until the time has come. */
	p.start_time = listed.start_time;
	p.exec_id = listed.exec_id;
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	usleep(50000);
	kernel_read_records(kernel);
	notices = seen.notices;
	usleep(200000);
	kernel_read_records(kernel);
	assert_int_equal(seen.notices, notices);
	p.check_after = 1;
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	seen.notices = 0;
	read_records(kernel, &seen.notices);
	/* An answer that is about another image of this pid is none. */
	p.check_after = 0;
	p.exec_id++;
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	usleep(50000);
	kernel_read_records(kernel);
	seen.notices = 0;
	read_records(kernel, &seen.notices);
}

/* A child of a known process is known at once, and forgotten when it ends. */
static void follows_a_child(void **state)
{
	struct record_process self;
	struct process p = { .state = PROCESS_NO_LAYOUT }, have;
	struct seen seen = { 0 };
	__u32 id;

	(void)state;
	kernel = open_kernel(selected);
	kernel_on_record(kernel, on_record, &seen);
	self = find_process(kernel, getpid());
	p.start_time = self.start_time;
	p.exec_id = self.exec_id;
	p.id = seen.fork.parent_id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &p), 0);
	for (id = p.id; id < p.id + 10; id++) /* as if they were still of use since the numbers began anew */
		kernel_hold_process_id(kernel, id, true);
	start(kernel);
	start_child();
	read_records(kernel, &seen.forks);
	assert_true(seen.fork.id >= p.id + 10);
	assert_int_equal(seen.fork.pid, child);
	assert_int_equal(kernel_get_process(kernel, child, &have), 0);
	assert_int_equal(have.state, PROCESS_NO_LAYOUT);
	assert_int_equal(have.id, seen.fork.id);
	assert_true(have.id != p.id);
	assert_true(have.start_time == seen.fork.start_time);
	assert_true(have.start_time == find_process(kernel, child).start_time);
	id = have.id;
	end_child();
	read_records(kernel, &seen.exits);
	assert_int_equal(seen.exit.id, id);
	assert_int_equal(kernel_get_process(kernel, seen.fork.pid, &have), -ENOENT);
	assert_int_equal(kernel_get_process(kernel, getpid(), &have), 0); /* the parent is untouched */
	assert_int_equal(seen.forks, 1);
	assert_int_equal(seen.exits, 1);
}

/* Samples of a process whose layout is unknown: from the tick through the tree into a profile. */
static void into_a_profile(bool by_thread)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	_cleanup_profile_ struct profile *profile = NULL;
	struct kernel_options o = selected;
	const struct profile_owner *owner;
	struct harvest_source source;
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
	source = (struct harvest_source){ .tables = kernel_tables(kernel),
					  .codes = codes,
					  .registry = registry };
	assert_int_equal(harvest(&source, &(struct harvest_span){}, profile, &harvested), 0);
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

static void into_a_profile_by_thread(void **state)
{
	(void)state;
	into_a_profile(true);
}

static void into_a_profile_by_process(void **state)
{
	(void)state;
	into_a_profile(false);
}

#define TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(books_of_everything),	TEST(books_of_nobody),		 TEST(cpus_stay),
		TEST(stop_and_start_again),	TEST(cycles_or_a_reason),	 TEST(asks_about_strangers),
		TEST(follows_a_child), TEST(into_a_profile_by_thread), TEST(into_a_profile_by_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

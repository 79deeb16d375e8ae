// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_settings.c - what a command line means for each room: every option arrives where it is for, as what it
 * says.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"

#include "kern/kernel.h"
#include "run/settings.h"

static int teardown(void **state)
{
	(void)state;
	options_free(&o);
	return 0;
}

static struct kernel_options kernel(void)
{
	return settings_kernel(&o);
}

TEST(defaults_of_the_kernel_side)
{
	struct kernel_options k;

	ACCEPT("-a");
	k = kernel();
	assert_int_equal(k.trigger, TRIGGER_AUTO);
	assert_int_equal(k.frequency, 99);
	assert_false(k.use_cycles || k.single_reads || k.measure || k.statistics);
	assert_true(k.by_thread && k.all && k.follow);
	assert_int_equal(k.max_depth, 1024);
	assert_int_equal(k.cache, CACHE_VERIFIED);
	assert_int_equal(k.cache_threads, 512);
	assert_int_equal(k.cache_depth, 1024);
	assert_int_equal(k.tree_size, 524288);
}

TEST(programs_of_the_kernel_side)
{
	ACCEPT("-a", "--kernel", "syscall");
	assert_false(kernel().programs);
	assert_int_equal(kernel().native, NATIVE_MODE_OFF);
	assert_int_equal(kernel().kernel, KERNEL_MODE_SYSCALL);
#if defined(__x86_64__)
	ACCEPT("--all");
	assert_true(kernel().programs && kernel().all && kernel().follow);
	assert_int_equal(kernel().native, NATIVE_MODE_FULL);
#endif
}

TEST(numbers_of_the_kernel_side)
{
	struct kernel_options k;

	ACCEPT("-a", "-F", "1001", "--max-depth", "77", "--cache-threads", "88", "--cache-depth", "66",
	       "--tree-size", "5000");
	k = kernel();
	assert_int_equal(k.frequency, 1001);
	assert_int_equal(k.max_depth, 77);
	assert_int_equal(k.cache_threads, 88);
	assert_int_equal(k.cache_depth, 66);
	assert_int_equal(k.tree_size, 5000);
}

/* The parser knows a choice by its place in the list; the rooms by names of their own. */
TEST(choices_of_the_kernel_side)
{
	ACCEPT("-a", "--trigger", "auto");
	assert_int_equal(kernel().trigger, TRIGGER_AUTO);
	ACCEPT("-a", "--trigger", "perf");
	assert_int_equal(kernel().trigger, TRIGGER_PERF);
	ACCEPT("-a", "--trigger", "timer");
	assert_int_equal(kernel().trigger, TRIGGER_TIMER);
	ACCEPT("-a", "--cache", "verified");
	assert_int_equal(kernel().cache, CACHE_VERIFIED);
	ACCEPT("-a", "--cache", "off");
	assert_int_equal(kernel().cache, CACHE_OFF);
	ACCEPT("-a", "--cache", "check");
	assert_int_equal(kernel().cache, CACHE_CHECK);
	ACCEPT("-a", "--event", "cpu-clock", "--reads", "block", "--labels", "thread");
	assert_true(!kernel().use_cycles && !kernel().single_reads && kernel().by_thread);
	ACCEPT("-a", "--event", "cycles", "--reads", "single", "--labels", "process");
	assert_true(kernel().use_cycles && kernel().single_reads && !kernel().by_thread);
}

/* Children of --pid are only wanted with --children; COMMAND's always. */
TEST(whom_the_kernel_side_looks_at)
{
	ACCEPT("-p", "1");
	assert_true(!kernel().all && !kernel().follow);
	ACCEPT("-p", "1", "--children");
	assert_true(!kernel().all && kernel().follow);
	ACCEPT("--", "true");
	assert_true(!kernel().all && kernel().follow);
}

/* It costs a little, so it is only measured where somebody may ask. */
TEST(run_times_that_somebody_asks_for)
{
	ACCEPT("-a", "--stats");
	assert_true(kernel().measure && kernel().statistics);
	ACCEPT("-a", "--stats-json", "s.json");
	assert_true(kernel().measure && kernel().statistics);
	ACCEPT("-a", "--listen", "7070");
	assert_true(kernel().measure && !kernel().statistics);
	ACCEPT("-a", "--listen-metrics", "7070");
	assert_true(kernel().measure && !kernel().statistics);
}

TEST(which_processes)
{
	struct selection s;

	ACCEPT("-a");
	s = settings_selection(&o);
	assert_true(!s.comm && !s.exclude_comm && !s.cgroup && !s.exclude_cgroup && !s.container && !s.pod &&
		    !s.namespace);
	ACCEPT("-a", "--comm", "a", "--exclude-comm", "b", "--cgroup", "c", "--exclude-cgroup", "d",
	       "--container", "e", "--pod", "f", "--namespace", "g");
	s = settings_selection(&o);
	assert_string_equal(s.comm, "a");
	assert_string_equal(s.exclude_comm, "b");
	assert_string_equal(s.cgroup, "c");
	assert_string_equal(s.exclude_cgroup, "d");
	assert_string_equal(s.container, "e");
	assert_string_equal(s.pod, "f");
	assert_string_equal(s.namespace, "g");
}

TEST(whom_to_ask_for_labels)
{
	struct kubelet_options k;

	ACCEPT("-a");
	assert_null(settings_kubelet(&o).url);
	ACCEPT("-a", "--kubelet", "https://n:10250", "--pod-label", "app,tier", "--kubelet-token-file", "t",
	       "--kubelet-ca-file", "c");
	k = settings_kubelet(&o);
	assert_string_equal(k.url, "https://n:10250");
	assert_string_equal(k.token_file, "t");
	assert_string_equal(k.ca_file, "c");
	assert_false(k.insecure);
	assert_int_equal(k.names->count, 2);
	assert_string_equal(k.names->name[1], "tier");
	ACCEPT("-a", "--kubelet", "https://n:10250", "--pod-label", "app", "--kubelet-insecure-tls");
	assert_true(settings_kubelet(&o).insecure);
}

TEST(where_intervals_go)
{
	struct continuous_options c;

	ACCEPT("-a", "--output-dir", "d", "--keep", "24");
	c = settings_continuous(&o);
	assert_true(c.interval_seconds == 60);
	assert_string_equal(c.output_dir, "d");
	assert_null(c.push.url);
	assert_int_equal(c.keep.files, 24);
	assert_int_equal(c.keep.bytes, 0);
	ACCEPT("-a", "--push", "parca+http://h", "--interval", "2.5", "--push-header-file", "f",
	       "--push-ca-file", "c", "--push-timeout", "7");
	c = settings_continuous(&o);
	assert_true(c.interval_seconds == 2.5);
	assert_null(c.output_dir);
	assert_string_equal(c.push.url, "parca+http://h");
	assert_int_equal(c.push.format, -1);
	assert_string_equal(c.push.header_file, "f");
	assert_string_equal(c.push.ca_file, "c");
	assert_int_equal(c.push.timeout_seconds, 7);
	ACCEPT("-a", "--push", "http://h", "--push-format", "pyroscope");
	assert_int_equal(settings_continuous(&o).push.format, PUSH_PYROSCOPE);
	ACCEPT("-a", "--push", "http://h", "--push-format", "parca");
	assert_int_equal(settings_continuous(&o).push.format, PUSH_PARCA);
	assert_ptr_equal(settings_continuous(&o).pod_label_names, &o.pod_label_names);
	ACCEPT("-a", "--output-dir", "d", "--keep", "3MiB");
	assert_int_equal(settings_continuous(&o).keep.files, 0);
	assert_int_equal(settings_continuous(&o).keep.bytes, 3 << 20);
}

TEST(the_profile_of_a_run)
{
	struct whole_options w;

	ACCEPT("-a");
	w = settings_whole(&o);
	assert_string_equal(w.output, "profile.pb.gz");
	assert_int_equal(w.format, FORMAT_PPROF);
	assert_int_equal(w.top, 10);
	assert_false(w.quiet);
	ACCEPT("-a", "-o", "x.folded", "-n", "3", "-q");
	w = settings_whole(&o);
	assert_string_equal(w.output, "x.folded");
	assert_int_equal(w.format, FORMAT_FOLDED);
	assert_int_equal(w.top, 3);
	assert_true(w.quiet);
	ACCEPT("-a", "-o", "x.folded", "--format", "pprof");
	assert_int_equal(settings_whole(&o).format, FORMAT_PPROF);
	ACCEPT("-a", "--listen", "7070");
	assert_null(settings_whole(&o).output);
}

AROUND_EACH(NULL, teardown);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kernel.c - the kernel side as an object, on the running kernel: several at once, that closing leaves
 * nothing behind, and what is refused. Needs the right to load BPF.
 */
#include "kern/ticks.h"
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

static int count_map_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	while (fgets(line, sizeof(line), f))
		n += strstr(line, "bpf-map") != NULL;
	fclose(f);
	return n;
}

TEST(two_at_once)
{
	struct process p = { .id = 9 }, have;
	struct kernel_stats s, t;

	kernel = open_kernel(everything);
	second = open_kernel(selected);
	assert_int_equal(kernel_set_process(kernel, 4711, &p), 0);
	assert_int_equal(kernel_get_process(second, 4711, &have), -ENOENT); /* nothing is shared */
	start(kernel);
	start(second);
	burn(0.5);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	burn(0.2);
	kernel_stop(second);
	kernel_stats(second, &t);
	assert_true(s.sum.ticks >= 49 && t.sum.ticks >= 69);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	assert_int_equal(outcome_sum(&t), t.sum.ticks);
	assert_int_equal(s.sum.outcome[EVENT_CPU][OUTCOME_NOT_SELECTED], 0);
	assert_int_equal(t.sum.outcome[EVENT_CPU][OUTCOME_NOT_PYTHON], 0);
}

TEST(nothing_left)
{
	int fds, mappings;

	kernel_close(open_kernel(everything)); /* what a first time opens for good, it opens here */
	fds = count_fds();
	mappings = count_map_mappings();
	assert_int_equal(mappings, 0);
	for (int i = 0; i < 3; i++) {
		kernel = open_kernel(everything);
		assert_true(count_map_mappings() > 0);
		start(kernel);
		if (i == 1)
			kernel_stop(kernel);
		kernel_close(kernel);
		kernel = NULL;
		assert_int_equal(count_fds(), fds);
		assert_int_equal(count_map_mappings(), 0);
	}
	kernel_close(NULL);
}

TEST(frequency_is_lowered)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	struct kernel_options o = selected;
	__u32 limit = 0, asked = 1000000000;

	if (!f || fscanf(f, "%u", &limit) != 1) {
		print_message("SKIP: no kernel.perf_event_max_sample_rate here\n");
		skip();
	}
	fclose(f);
	if (limit > TICKS_FREQUENCY_MAX)
		limit = TICKS_FREQUENCY_MAX;
	ticks_limit_frequency(&asked);
	assert_int_equal(asked, limit);
	asked = limit - 1;
	ticks_limit_frequency(&asked);
	assert_int_equal(asked, limit - 1);
	o.frequency = 1000000000;
	kernel_close(open_kernel(selected)); /* skips */
	assert_int_equal(kernel_open(&kernel, &o), 0);
	assert_int_equal(o.frequency, limit);
	start(kernel);
}

/* Someone without rights gets a reason that says what to do. */
TEST(refused)
{
	int status;
	pid_t pid;

	assert_string_equal(kernel_reason(NULL), "out of memory");
	if (geteuid()) {
		print_message("SKIP: only root can give up its rights\n");
		skip();
	}
	pid = fork();
	if (!pid) {
		struct kernel_options o = selected;
		struct kernel *k = NULL;
		int err;

		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(1);
		err = kernel_open(&k, &o);
		if (err != -EPERM && err != -EACCES)
			_exit(2);
		_exit(strstr(kernel_reason(k), "run as root") ? kernel_close(k), 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

AROUND_EACH(NULL, teardown);

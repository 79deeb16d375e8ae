// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kernel.c - the kernel side as an object, on the running kernel: tables, the list of processes,
 * layouts, several at once, and that closing leaves nothing behind. Needs the right to load BPF.
 */
#include "kern/ticks.h"
#include "proc/procfs.h"
#include "tests/unit/kern/open_kernel.h"

/* What fdinfo says of every BPF map that this process holds. */
static size_t map_memory(void)
{
	DIR *d = opendir("/proc/self/fdinfo");
	size_t sum = 0;
	struct dirent *e;

	while ((e = readdir(d))) {
		char path[300], line[128];
		bool is_map = false;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", e->d_name);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f)) {
			size_t bytes;

			is_map |= !strncmp(line, "map_type:", 9);
			if (is_map && sscanf(line, "memlock: %zu", &bytes) == 1)
				sum += bytes;
		}
		if (f)
			fclose(f);
	}
	closedir(d);
	return sum;
}

static void tables(void **state)
{
	const struct kernel_tables *t;

	(void)state;
	kernel = open_kernel(everything);
	t = kernel_tables(kernel);
	/* Powers of two that fit the fields of a node's key. */
	assert_in_range(t->node_count, 1 << 16, 1 << NODE_BITS);
	assert_in_range(t->code_count, 1 << 14, 1 << CODE_BITS);
	assert_in_range(t->owner_count, 1 << 10, 1 << CODE_BITS);
	assert_int_equal(t->node_count & (t->node_count - 1), 0);
	assert_int_equal(t->code_count & (t->code_count - 1), 0);
	assert_int_equal(t->owner_count & (t->owner_count - 1), 0);
	/* Reserved entries are taken, all others free, down to the last. */
	for (__u32 i = 0; i < t->node_count; i++)
		assert_true(!t->nodes[i].count &&
			    t->nodes[i].key == (i < EVENT_KINDS ? KEY_RESERVED : 0));
	for (__u32 i = 0; i < t->code_count; i++)
		assert_true(t->codes[i].identity == (i < CODE_FIRST ? KEY_RESERVED : 0));
	for (__u32 i = 0; i < t->owner_count; i++)
		assert_true(!t->owners[i].key);
	assert_in_range(t->map_bytes, 8 << 20, (64 << 20) - 1);
	assert_in_range(map_memory(), 0, (64 << 20) - 1);
}

static int give_up(void *context, const struct record_process *p)
{
	(void)p;
	return ++*(int *)context == 3 ? -77 : 0;
}

static void lists_processes(void **state)
{
	struct record_process p;
	__u64 tick = 1000000000 / sysconf(_SC_CLK_TCK), ticks = 0;
	int calls = 0;

	(void)state;
	kernel = open_kernel(selected);
	start_child();
	p = find_process(kernel, getpid());
	assert_int_equal(p.type, RECORD_PROCESS);
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	assert_true(p.start_time / tick == ticks);
	assert_true(p.exec_id > 0);
	assert_string_equal(p.comm, "test_kernel");
	p = find_process(kernel, child);
	assert_int_equal(procfs_start_ticks(child, &ticks), 0);
	assert_true(p.start_time / tick == ticks);
	assert_string_equal(p.comm, "burner");
	/* The caller may have seen enough. */
	assert_int_equal(kernel_list_processes(kernel, give_up, &calls), -77);
	assert_int_equal(calls, 3);
}

static void layouts(void **state)
{
	struct layout l = { .version = 0x030d0000, .tstate_size = 320 }, have;

	(void)state;
	kernel = open_kernel(selected);
	assert_int_equal(kernel_add_layout(kernel, &l), 0);
	assert_int_equal(kernel_add_layout(kernel, &l), 0);
	l.free_threaded = 1;
	assert_int_equal(kernel_add_layout(kernel, &l), 1);
	l.free_threaded = 0;
	assert_int_equal(kernel_add_layout(kernel, &l), 0);
	for (__u32 i = 2; i < LAYOUTS_MAX; i++) {
		l.bytes_data = i; /* the last field counts as well */
		assert_int_equal(kernel_add_layout(kernel, &l), i);
	}
	/* No process has any of them: the first makes room (test_processes.c). */
	l.bytes_data = LAYOUTS_MAX;
	assert_int_equal(kernel_add_layout(kernel, &l), 0);
	l.bytes_data = 40; /* known ones are still found */
	assert_int_equal(kernel_add_layout(kernel, &l), 40);
	assert_int_equal(kernel_get_layout(kernel, 40, &have), 0);
	assert_memory_equal(&have, &l, sizeof(l));
	assert_int_equal(kernel_get_layout(kernel, LAYOUTS_MAX, &have), -ENOENT);
}

static void processes(void **state)
{
	struct process p = { .start_time = 1,
			     .exec_id = 2,
			     .runtime = 3,
			     .layout = 4,
			     .state = PROCESS_PYTHON },
		       have;

	(void)state;
	kernel = open_kernel(selected);
	p.id = kernel_new_process_id(kernel);
	assert_true(p.id > 0); /* 0 is nobody */
	assert_int_equal(kernel_new_process_id(kernel), p.id + 1);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), -ENOENT);
	assert_int_equal(kernel_remove_process(kernel, 4711), -ENOENT);
	assert_int_equal(kernel_set_process(kernel, 4711, &p), 0);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), 0);
	assert_memory_equal(&have, &p, sizeof(p));
	p.state = PROCESS_NOT_PYTHON;
	assert_int_equal(kernel_set_process(kernel, 4711, &p), 0);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), 0);
	assert_int_equal(have.state, PROCESS_NOT_PYTHON);
	assert_int_equal(kernel_remove_process(kernel, 4711), 0);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), -ENOENT);
}

/*
 * A machine may have more processes than the table has room for: counted, an error, and room again after it.
 */
static void too_many_processes(void **state)
{
	const __u32 first = 1 << 22; /* no process has such an id */
	struct process p = { .state = PROCESS_PYTHON }, self = { .state = PROCESS_NO_LAYOUT }, have;
	struct record_process listed;
	struct kernel_stats s;
	__u32 n = first;
	int err = 0;

	(void)state;
	kernel = open_kernel(selected);
	listed = find_process(kernel, getpid());
	self.start_time = listed.start_time;
	self.exec_id = listed.exec_id;
	self.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &self), 0);
	while (!err && n < first + 10000000)
		err = kernel_set_process(kernel, ++n, &p);
	assert_int_equal(err, -E2BIG);
	assert_true(n - first > 4096);
	kernel_stats(kernel, &s);
	assert_int_equal(s.sum.processes_full, 1);
	/* Nor is there room for a child of a process that is known. */
	start(kernel);
	start_child();
	burn(0.2);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_int_equal(kernel_get_process(kernel, child, &have), -ENOENT);
	assert_int_equal(s.sum.processes_full, 2);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	assert_true(s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT] > 0); /* we are still there ourselves */
	assert_int_equal(kernel_remove_process(kernel, first + 1), 0);
	assert_int_equal(kernel_set_process(kernel, n, &p), 0);
}

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

static void two_at_once(void **state)
{
	struct process p = { .id = 9 }, have;
	struct kernel_stats s, t;

	(void)state;
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

static void nothing_left(void **state)
{
	int fds, mappings;

	(void)state;
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

static void frequency_is_lowered(void **state)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	struct kernel_options o = selected;
	__u32 limit = 0, asked = 1000000000;

	(void)state;
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
static void refused(void **state)
{
	int status;
	pid_t pid;

	(void)state;
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

#define TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tables),	    TEST(lists_processes),	TEST(layouts),
		TEST(processes),    TEST(too_many_processes),	TEST(two_at_once),
		TEST(nothing_left), TEST(frequency_is_lowered), TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

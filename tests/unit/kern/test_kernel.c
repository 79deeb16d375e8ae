// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kernel.c - the kernel side as an object, on the running kernel: tables, processes, layouts, ticks whose
 * books balance, events of a child's life, and that closing leaves nothing behind. Needs the right to load BPF.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/harvest.h"
#include "kern/kernel.h"
#include "kern/ticks.h"
#include "proc/procfs.h"

static struct kernel *kernel, *second;
static pid_t child;

static const struct kernel_options everything = { .frequency = 199, .all = true, .follow = true, .max_depth = 64 };
static const struct kernel_options selected = { .frequency = 199, .follow = true, .max_depth = 64 };

/* Opens, or skips the test where this is not allowed or not possible at all. */
static struct kernel *open_kernel(struct kernel_options o)
{
	struct kernel *k = NULL;
	int err = kernel_open(&k, &o);

	if (err == -EPERM || err == -EACCES || err == -ENOTSUP) {
		print_message("SKIP: %s\n", kernel_reason(k));
		kernel_close(k);
		skip();
	}
	if (err)
		fail_msg("%s", kernel_reason(k));
	return k;
}

static void start(struct kernel *k)
{
	int cpus = -1;

	if (kernel_start(k, &cpus))
		fail_msg("%s", kernel_reason(k));
	assert_int_equal(cpus, sysconf(_SC_NPROCESSORS_ONLN));
}

static void end_child(void)
{
	if (child <= 0)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = 0;
}

static int teardown(void **state)
{
	(void)state;
	end_child();
	kernel_close(kernel);
	kernel_close(second);
	kernel = second = NULL;
	return 0;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* CPU time, not real time: others use this machine as well. */
static void burn(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		;
}

/* A child that burns, ends with us, and is called "burner". */
static void start_child(void)
{
	child = fork();
	assert_true(child >= 0);
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "burner");
	for (;;)
		burn(1);
}

struct sought {
	__u32 pid;
	int calls, found;
	struct event_process process;
};

static int seek(void *context, const struct event_process *p)
{
	struct sought *s = context;

	s->calls++;
	if (p->pid != s->pid)
		return 0;
	s->found++;
	s->process = *p;
	return 0;
}

static struct event_process find_process(struct kernel *k, pid_t pid)
{
	struct sought s = { .pid = pid };

	assert_int_equal(kernel_list_processes(k, seek, &s), 0);
	assert_int_equal(s.found, 1);
	return s.process;
}

static __u64 outcome_sum(const struct kernel_stats *s)
{
	__u64 sum = 0;

	for (int i = 0; i < OUTCOME_COUNT; i++)
		sum += s->sum.outcome[i];
	return sum;
}

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
	assert_true(t->nodes[0].key == KEY_RESERVED);
	for (__u32 i = 0; i < t->node_count; i++)
		assert_true(!t->nodes[i].count && (i == 0 || !t->nodes[i].key));
	for (__u32 i = 0; i < t->code_count; i++)
		assert_true(t->codes[i].key == (i < CODE_FIRST ? KEY_RESERVED : 0));
	for (__u32 i = 0; i < t->owner_count; i++)
		assert_true(!t->owners[i].key);
	assert_in_range(t->map_bytes, 8 << 20, (64 << 20) - 1);
	assert_in_range(map_memory(), 0, (64 << 20) - 1);
}

static int give_up(void *context, const struct event_process *p)
{
	(void)p;
	return ++*(int *)context == 3 ? -77 : 0;
}

static void lists_processes(void **state)
{
	struct event_process p;
	__u64 tick = 1000000000 / sysconf(_SC_CLK_TCK), ticks = 0;
	int calls = 0;

	(void)state;
	kernel = open_kernel(selected);
	start_child();
	usleep(20000);
	p = find_process(kernel, getpid());
	assert_int_equal(p.type, EVENT_PROCESS);
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
	l.bytes_data = LAYOUTS_MAX;
	assert_int_equal(kernel_add_layout(kernel, &l), -ENOSPC);
	l.bytes_data = 40; /* known ones are still found */
	assert_int_equal(kernel_add_layout(kernel, &l), 40);
	assert_int_equal(kernel_get_layout(kernel, 40, &have), 0);
	assert_memory_equal(&have, &l, sizeof(l));
	assert_int_equal(kernel_get_layout(kernel, LAYOUTS_MAX, &have), -ENOENT);
}

static void processes(void **state)
{
	struct process p = { .start_time = 1, .exec_id = 2, .runtime = 3, .layout = 4, .state = PROCESS_PYTHON }, have;

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

/* A machine may have more processes than the table has room for: an error, and room again after it. */
static void too_many_processes(void **state)
{
	struct process p = { .state = PROCESS_NOT_PYTHON };
	__u32 n = 0;
	int err = 0;

	(void)state;
	kernel = open_kernel(selected);
	while (!err && n < 10000000)
		err = kernel_set_process(kernel, ++n, &p);
	assert_int_equal(err, -E2BIG);
	assert_true(n > 4096);
	assert_int_equal(kernel_remove_process(kernel, 1), 0);
	assert_int_equal(kernel_set_process(kernel, n, &p), 0);
}

static void books_of_everything(void **state)
{
	struct kernel_options o = everything;
	struct kernel_stats s;

	(void)state;
	o.measure = true;
	kernel = open_kernel(o);
	start(kernel);
	burn(1);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	/* 199 a second, at least of this CPU; one half, for a machine that takes time away. */
	assert_true(s.sum.ticks >= 99);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	/* Nobody was asked about, so nothing is Python. Our own ticks are never analysed. */
	assert_int_equal(s.sum.outcome[OUTCOME_NOT_PYTHON] + s.sum.outcome[OUTCOME_NEW_PROCESS] +
				 s.sum.outcome[OUTCOME_NESTED],
			 s.sum.ticks);
	assert_true(s.sum.outcome[OUTCOME_NOT_PYTHON] >= 99);
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
	assert_int_equal(s.sum.outcome[OUTCOME_NOT_SELECTED] + s.sum.outcome[OUTCOME_NESTED], s.sum.ticks);
	assert_int_equal(s.sum.notices, 0);
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
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

static void stop_and_start_again(void **state)
{
	struct kernel_options o = everything;
	struct kernel_stats s, later;
	int fds = 0;

	(void)state;
	o.measure = true;
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

/* --- events of a child ------------------------------------------------------------------------------- */

struct seen {
	__u32 pid;
	int notices, forks, exits;
	struct event_process notice;
	struct event_fork fork;
	struct event_exit exit;
};

static int on_event(void *context, void *record, size_t size)
{
	struct seen *s = context;
	const struct event_process *p = record;

	assert_true(size >= 8);
	if (p->type == EVENT_PROCESS && p->pid == s->pid) {
		s->notices++;
		s->notice = *p;
	} else if (p->type == EVENT_FORK && ((struct event_fork *)record)->parent_id == s->fork.parent_id) {
		s->forks++;
		s->fork = *(struct event_fork *)record;
	} else if (p->type == EVENT_EXIT && p->pid == s->fork.pid) {
		s->exits++;
		s->exit = *(struct event_exit *)record;
	}
	return 0;
}

static void read_events(struct kernel *k, const int *until_positive)
{
	struct pollfd p = { .fd = kernel_events_fd(k), .events = POLLIN };

	for (int i = 0; i < 500 && !*until_positive; i++) {
		poll(&p, 1, 20);
		assert_true(kernel_read_events(k) >= 0);
	}
	assert_true(*until_positive > 0);
}

static void asks_about_strangers(void **state)
{
	struct process p = { .state = PROCESS_NOT_PYTHON };
	struct seen seen = { 0 };
	struct event_process listed;
	int notices;

	(void)state;
	kernel = open_kernel(everything);
	kernel_on_event(kernel, on_event, &seen);
	start_child();
	seen.pid = child;
	start(kernel);
	read_events(kernel, &seen.notices);
	listed = find_process(kernel, child);
	assert_true(seen.notice.start_time == listed.start_time);
	assert_true(seen.notice.exec_id == listed.exec_id);
	assert_string_equal(seen.notice.comm, "burner");
	/* Asked, answered: no more questions, until the time has come. */
	p.start_time = listed.start_time;
	p.exec_id = listed.exec_id;
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	usleep(50000);
	kernel_read_events(kernel);
	notices = seen.notices;
	usleep(200000);
	kernel_read_events(kernel);
	assert_int_equal(seen.notices, notices);
	p.check_after = 1;
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	seen.notices = 0;
	read_events(kernel, &seen.notices);
	/* An answer that is about another image of this pid is none. */
	p.check_after = 0;
	p.exec_id++;
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	usleep(50000);
	kernel_read_events(kernel);
	seen.notices = 0;
	read_events(kernel, &seen.notices);
}

/* A child of a known process is known at once, and forgotten when it ends. */
static void follows_a_child(void **state)
{
	struct event_process self;
	struct process p = { .state = PROCESS_NO_LAYOUT }, have;
	struct seen seen = { 0 };
	__u32 id;

	(void)state;
	kernel = open_kernel(selected);
	kernel_on_event(kernel, on_event, &seen);
	self = find_process(kernel, getpid());
	p.start_time = self.start_time;
	p.exec_id = self.exec_id;
	p.id = seen.fork.parent_id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &p), 0);
	start(kernel);
	start_child();
	read_events(kernel, &seen.forks);
	assert_int_equal(seen.fork.pid, child);
	assert_int_equal(kernel_get_process(kernel, child, &have), 0);
	assert_int_equal(have.state, PROCESS_NO_LAYOUT);
	assert_int_equal(have.id, seen.fork.id);
	assert_true(have.id != p.id);
	assert_true(have.start_time == seen.fork.start_time);
	assert_true(have.start_time == find_process(kernel, child).start_time);
	id = have.id;
	end_child();
	read_events(kernel, &seen.exits);
	assert_int_equal(seen.exit.id, id);
	assert_int_equal(kernel_get_process(kernel, seen.fork.pid, &have), -ENOENT);
	assert_int_equal(kernel_get_process(kernel, getpid(), &have), 0); /* the parent is untouched */
	assert_int_equal(seen.forks, 1);
	assert_int_equal(seen.exits, 1);
}

/* Samples of a process whose layout is unknown: from the tick through the tree into a profile. */
static void into_a_profile(bool by_thread)
{
	static const struct profile_info info = { .period_ns = 1 };
	_cleanup_profile_ struct profile *profile = NULL;
	struct kernel_options o = selected;
	const struct profile_owner *owner;
	struct harvest_stats harvested;
	struct registry_entry entry;
	struct registry *registry;
	struct event_process listed;
	struct codes *codes;
	struct kernel_stats s;
	struct process p;

	o.by_thread = by_thread;
	kernel = open_kernel(o);
	start_child();
	usleep(50000); /* it names itself */
	listed = find_process(kernel, child);
	p = (struct process){ .start_time = listed.start_time, .exec_id = listed.exec_id, .state = PROCESS_NO_LAYOUT };
	p.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, child, &p), 0);
	start(kernel);
	for (int i = 0; i < 100; i++) {
		usleep(50000);
		kernel_stats(kernel, &s);
		if (s.sum.outcome[OUTCOME_NO_LAYOUT] >= 20)
			break;
	}
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_true(s.sum.outcome[OUTCOME_NO_LAYOUT] >= 20);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	entry = (struct registry_entry){ .id = p.id, .pid = child, .comm = "python3", .layout = -1 };
	assert_int_equal(codes_new(&codes, 0), 0);
	assert_int_equal(registry_new(&registry), 0);
	assert_int_equal(registry_add(registry, &entry), 0);
	assert_int_equal(harvest(kernel_tables(kernel), codes, registry, &info, &profile, &harvested), 0);
	registry_free(registry);
	codes_free(codes);
	assert_int_equal(harvested.samples, s.sum.outcome[OUTCOME_NO_LAYOUT]);
	assert_int_equal(profile_total(profile), harvested.samples);
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

/* --- several, none, refused --------------------------------------------------------------------------- */

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
	assert_int_equal(s.sum.outcome[OUTCOME_NOT_SELECTED], 0);
	assert_int_equal(t.sum.outcome[OUTCOME_NOT_PYTHON], 0);
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

static void cycles_or_a_reason(void **state)
{
	struct kernel_options o = everything;
	int cpus = -1, err;

	(void)state;
	o.use_cycles = true;
	kernel = open_kernel(o);
	err = kernel_start(kernel, &cpus);
	if (!err) {
		assert_true(cpus > 0);
		return;
	}
	assert_int_equal(cpus, -1);
	assert_non_null(strstr(kernel_reason(kernel), "--event cpu-clock"));
}

/* Someone without rights gets a reason that says what to do. */
static void refused(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_string_equal(kernel_reason(NULL), "no reason is known");
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
		TEST(tables),
		TEST(lists_processes),
		TEST(layouts),
		TEST(processes),
		TEST(too_many_processes),
		TEST(books_of_everything),
		TEST(books_of_nobody),
		TEST(stop_and_start_again),
		TEST(asks_about_strangers),
		TEST(follows_a_child),
		TEST(into_a_profile_by_thread),
		TEST(into_a_profile_by_process),
		TEST(two_at_once),
		TEST(nothing_left),
		TEST(frequency_is_lowered),
		TEST(cycles_or_a_reason),
		TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

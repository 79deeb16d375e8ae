// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_records.c - what the kernel side tells by the ring buffer: of processes that it does not know, and of
 * the life of a child; by a row of the event loop. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include <pthread.h>
#include <sched.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/loop.h"

#include "kern/object.h"
#include "kern/records.h"
#include "pyperf.skel.h"
#include "spin.skel.h"

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
	struct loop loop;

	assert_int_equal(loop_open(&loop, 3600000), 0);
	assert_int_equal(kernel_watch(k, &loop), 0);
	for (int i = 0; i < 500 && !*until_positive; i++) {
		assert_int_equal(loop_turn(&loop, 20), 0);
		assert_true(kernel_read_records(k) >= 0);
	}
	loop_close(&loop);
	assert_true(*until_positive > 0);
}

TEST(asks_about_strangers)
{
	struct process p = { .state = PROCESS_NOT_PYTHON };
	struct seen seen = { 0 };
	struct record_process listed;
	int notices;

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
TEST(follows_a_child)
{
	struct record_process self;
	struct process p = { .state = PROCESS_NO_LAYOUT }, have;
	struct seen seen = { 0 };
	__u32 id;

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

static int count_slowly(void *context, void *record, size_t size)
{
	(void)record;
	(void)size;
	usleep(5000);
	++*(int *)context;
	return 0;
}

/* Makes two records: of a fork and of an exit. */
static void fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void know_self(void)
{
	struct record_process self = find_process(kernel, getpid());
	struct process p = { .state = PROCESS_NO_LAYOUT };

	p.start_time = self.start_time;
	p.exec_id = self.exec_id;
	p.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &p), 0);
}

/* Other rows have their turn, and the next one goes on at once. */
TEST(a_turn_reads_for_a_while_only)
{
	int count = 0, turns = 0;
	struct loop loop;

	kernel = open_kernel(selected);
	kernel_on_record(kernel, count_slowly, &count);
	know_self();
	start(kernel);
	assert_int_equal(loop_open(&loop, 3600000), 0);
	assert_int_equal(kernel_watch(kernel, &loop), 0);
	for (int i = 0; i < 50; i++)
		fork_once();
	kernel->records.more = true; /* as these records wake nobody */
	for (; count < 100 && kernel->records.more; turns++)
		assert_int_equal(loop_turn(&loop, -1), 0);
	loop_close(&loop);
	assert_true(count >= 100);
	assert_true(turns > 10);
}

/* Each counts as a hundredth of what the ring can hold, and makes two more. */
static int make_more(void *context, void *record, size_t size)
{
	(void)record;
	(void)size;
	assert_true(++*(int *)context <= 100);
	kernel->records.bytes += kernel->records.ring_bytes / 100;
	fork_once();
	return 0;
}

/* Who makes records as fast as they are read cannot hold it up. */
TEST(reading_has_an_end)
{
	int count = 0;

	kernel = open_kernel(selected);
	kernel_on_record(kernel, make_more, &count);
	know_self();
	start(kernel);
	fork_once();
	assert_int_equal(kernel_read_records(kernel), 0);
	assert_true(count > 90);
	assert_true(kernel->records.more);
}

static void *write_slowly(void *spin)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	const struct spin *s = spin;

	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(s->progs.on_record), &options), 0);
	return NULL;
}

static int flag(const int *place)
{
	return __atomic_load_n(place, __ATOMIC_SEQ_CST);
}

static int count_record(void *context, void *record, size_t size)
{
	(void)record;
	*(int *)context += size == 64;
	return 0;
}

/* Whether the record was still being written when the reading began: on a busy machine it may not be. */
static bool reads_a_record_that_is_written(int *count)
{
	struct spin *s = spin__open();
	pthread_t thread;
	bool is_busy;

	assert_non_null(s);
	assert_int_equal(bpf_map__reuse_fd(s->maps.records, bpf_map__fd(kernel->skel->maps.records)), 0);
	assert_int_equal(spin__load(s), 0);
	*count = 0;
	assert_int_equal(pthread_create(&thread, NULL, write_slowly, s), 0);
	while (!flag(&s->bss->begun))
		sched_yield();
	is_busy = !flag(&s->bss->ended);
	assert_int_equal(kernel_read_records(kernel), 0);
	assert_int_equal(*count, 1);
	pthread_join(thread, NULL);
	spin__destroy(s);
	return is_busy;
}

/* What others have written behind it must not be missing from what is read. */
TEST(waits_for_a_record_that_is_written)
{
	int count, i;

	kernel = open_kernel(selected);
	kernel_on_record(kernel, count_record, &count);
	for (i = 0; i < 100 && !reads_a_record_that_is_written(&count); i++)
		;
	assert_true(i < 100);
}

AROUND_EACH(NULL, teardown);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_threads.c - what is known of processes and threads without a right: when they began, what they run,
 * whether they ran, whether they have a CPU, and that one that is held stands still.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "hosted/threads.h"
#include "tests/forge/test.h"

static pid_t start(void (*run)(void))
{
	const pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		alarm(60);
		run();
		_exit(0);
	}
	return child;
}

static void burn(void)
{
	for (;;)
		;
}

static void rest(void)
{
	for (;;)
		pause();
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST(a_process)
{
	struct process_now own, other;
	const __u64 boot = clock_boot_ns();
	const pid_t child = start(rest);

	assert_int_equal(process_now(getpid(), &own), 0);
	assert_int_equal(process_now(child, &other), 0);
	assert_int_equal(other.parent, getpid());
	assert_int_equal(other.threads, 1);
	assert_in_range(other.start_ns, boot - 20 * NS_PER_MS, clock_boot_ns());
	assert_true(own.start_ns <= other.start_ns);
	assert_int_equal(own.image, other.image); /* by a fork nothing is moved */
	assert_int_not_equal(own.image, 0);
	end(child);
	assert_int_equal(process_now(child, &other), -ESRCH);
	assert_int_equal(process_clock(child), 0);
}

static void exec_soon(void)
{
	execlp("sleep", "sleep", "50", NULL);
}

TEST(another_program)
{
	const pid_t child = start(exec_soon);
	struct process_now own, other;
	const __u64 give_up = clock_ns() + 60 * NS_PER_SECOND;

	assert_int_equal(process_now(getpid(), &own), 0);
	do
		assert_int_equal(process_now(child, &other), 0);
	while (strcmp(other.comm, "sleep") && clock_ns() < give_up);
	assert_string_equal(other.comm, "sleep");
	assert_int_not_equal(other.image, own.image);
	end(child);
}

/* Time on a CPU goes up for the one that burns, and nothing does for the one that rests. */
TEST(who_ran)
{
	const pid_t busy = start(burn), idle = start(rest);
	const int busy_fd = thread_open(busy, busy), idle_fd = thread_open(idle, idle);
	const __u64 give_up = clock_ns() + 60 * NS_PER_SECOND;
	struct thread_runs first, now, before, after;
	struct process_now p;
	__u64 clock;

	assert_true(busy_fd >= 0 && idle_fd >= 0);
	assert_int_equal(thread_open(1 << 30, 1 << 30), -ENOENT);
	do
		assert_int_equal(process_now(idle, &p), 0);
	while (p.state != 'S' && clock_ns() < give_up);
	assert_int_equal(thread_runs(idle_fd, &before), 0);
	assert_int_equal(thread_runs(busy_fd, &first), 0);
	clock = process_clock(busy);
	do
		assert_int_equal(thread_runs(busy_fd, &now), 0);
	while (now.ns - first.ns < 50 * NS_PER_MS && clock_ns() < give_up);
	assert_true(now.ns - first.ns >= 50 * NS_PER_MS);
	assert_true(process_clock(busy) > clock);
	assert_int_equal(thread_runs(idle_fd, &after), 0);
	assert_int_equal(after.ns, before.ns);
	assert_int_equal(after.runs, before.runs);
	end(busy);
	end(idle);
	assert_true(thread_runs(busy_fd, &now) < 0);
	close(busy_fd);
	close(idle_fd);
}

static bool counted_in(const char *text)
{
	char path[] = "/tmp/schedstat.XXXXXX";
	const int fd = mkstemp(path);
	bool counted;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	counted = thread_runs_are_counted(path);
	unlink(path);
	return counted;
}

/* Where the kernel does not count, nothing would ever seem to have moved. */
TEST(kernels_that_do_not_count)
{
	assert_true(thread_runs_are_counted("/proc/self/schedstat"));
	assert_true(counted_in("50834 7 1\n"));
	assert_false(counted_in("0 0 0\n"));
	assert_false(counted_in("50834 7 0\n"));
	assert_false(counted_in("50834 7\n"));
	assert_false(counted_in(""));
	assert_false(thread_runs_are_counted("/proc/self/no-such-file"));
}

/* As the looker asks. */
static enum thread_take take(struct thread_hold *h, pid_t tid, char comm[16])
{
	struct thread_runs r;

	return thread_runs(h->fd, &r) ? THREAD_WITHOUT : thread_take(h, &r, tid, tid, comm);
}

/* One that sleeps never has a CPU; one that burns often has, however many others do. */
TEST(who_has_a_cpu)
{
	const pid_t busy = start(burn), idle = start(rest);
	struct thread_hold of_busy = { .fd = thread_open(busy, busy) },
			   of_idle = { .fd = thread_open(idle, idle) };
	const __u64 give_up = clock_ns() + 60 * NS_PER_SECOND;
	struct process_now p;
	char comm[16] = "";
	int had = 0;

	do
		assert_int_equal(process_now(idle, &p), 0);
	while (p.state != 'S' && clock_ns() < give_up);
	while (had < 20 && clock_ns() < give_up) {
		assert_int_equal(take(&of_idle, idle, comm), THREAD_WITHOUT);
		assert_false(thread_is_held(&of_idle));
		had += take(&of_busy, busy, comm) != THREAD_WITHOUT;
		usleep(1000);
	}
	assert_int_equal(had, 20);
	assert_int_not_equal(comm[0], 0);
	end(busy);
	end(idle);
	close(of_busy.fd);
	close(of_idle.fd);
}

static volatile __u64 *counter;

static void count(void)
{
	for (;;)
		++*counter;
}

/* Whether the other one has counted while it was held, by what is said of it. */
static bool stands(struct thread_hold *h, __u64 *ret_count)
{
	const __u64 until = clock_ns() + 50000, first = *counter;

	while (clock_ns() < until)
		;
	*ret_count = *counter;
	if (!thread_is_held(h))
		return false;
	assert_int_equal(first, *ret_count);
	return true;
}

/*
 * A thread that counts without end has not counted while it was held, and is not held any more once we have
 * slept and it has gone on.
 */
TEST(held)
{
	const __u64 give_up = clock_ns() + 60 * NS_PER_SECOND;
	int held = 0, moved = 0;
	struct thread_hold h = { 0 };
	char comm[16];
	pid_t child;

	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(counter, MAP_FAILED);
	thread_hold_begin();
	child = start(count);
	h.fd = thread_open(child, child);
	while ((held < 50 || moved < 10) && clock_ns() < give_up) {
		__u64 last;

		usleep(2000);
		if (take(&h, child, comm) != THREAD_HELD)
			continue;
		held += stands(&h, &last);
		usleep(2000);
		if (*counter == last)
			continue;
		moved++;
		assert_false(thread_is_held(&h));
	}
	assert_in_range(held, 50, 1 << 20);
	assert_in_range(moved, 10, 1 << 20);
	end(child);
	assert_false(thread_is_held(&h));
	thread_close(&h);
	munmap((void *)(unsigned long)counter, 4096);
}

static pid_t start_on(int cpu)
{
	cpu_set_t set;
	const pid_t child = start(burn);

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(child, sizeof(set), &set), 0);
	return child;
}

/* Two that want one CPU, which is ours, and how often looks found that both, or either, had it. */
struct two {
	pid_t child[2];
	struct thread_hold h[2];
	int had[2], both;
};

static void begin_two(struct two *t)
{
	const int cpu = sched_getcpu();

	*t = (struct two){ 0 };
	for (int i = 0; i < 2; i++) {
		t->child[i] = start_on(cpu);
		t->h[i].fd = thread_open(t->child[i], t->child[i]);
	}
	thread_hold_begin();
}

static void look_at_two(struct two *t, int number, __u64 late)
{
	int had = 0;
	char comm[16];

	usleep(1000 + number * 37 % 1000);
	thread_hold_woke(late);
	for (int i = 0; i < 2; i++) {
		const bool has = take(&t->h[i], t->child[i], comm) != THREAD_WITHOUT;

		t->had[i] += has;
		had += has;
	}
	t->both += had == 2;
}

static void end_two(struct two *t)
{
	for (int i = 0; i < 2; i++) {
		end(t->child[i]);
		thread_close(&t->h[i]);
	}
}

/* Of two on one CPU one has it at each look, though both want it and neither runs while we do. */
TEST(who_of_two)
{
	const __u64 give_up = clock_ns() + 60 * NS_PER_SECOND;
	struct two t;
	int looks = 0;

	if (access("/proc/self/sched", R_OK))
		skip();
	begin_two(&t);
	while (t.had[0] + t.had[1] < 200 && clock_ns() < give_up)
		look_at_two(&t, looks++, 0);
	assert_in_range(t.had[0] + t.had[1], 200, looks + looks / 4);
	assert_in_range(t.had[0], 20, looks);
	assert_in_range(t.had[1], 20, looks);
	end_two(&t);
}

/* A look that is late counts who has lost the CPU since it was due, and so now and then both. */
TEST(who_of_two_when_late)
{
	const __u64 give_up = clock_ns() + 60 * NS_PER_SECOND;
	int in_time, late = 0, looks = 0;
	struct two t;

	if (access("/proc/self/sched", R_OK))
		skip();
	begin_two(&t);
	while (late < 40 && clock_ns() < give_up) {
		in_time = t.both - late;
		look_at_two(&t, looks++, NS_PER_SECOND);
		late = t.both - in_time;
		look_at_two(&t, looks++, 0);
	}
	assert_in_range(late, 40, looks * 3 / 8); /* of looks / 2: a second back would be at each */
	assert_in_range(in_time, 0, late / 2);
	end_two(&t);
}

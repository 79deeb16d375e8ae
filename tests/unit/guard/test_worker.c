// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_worker.c - the worker process: answers, order, bounds; a read that never returns; a child that dies.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "guard/fair_queue.h"
#include "guard/worker.h"
#include "proc/procfs.h"
#include "tests/forge/child.h"
#include "tests/forge/test.h"

#define PAGE 4096

static struct worker *worker;
static __u64 ticks;

static int setup(void **state)
{
	(void)state;
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	return worker_start(&worker, "/nonexistent");
}

static int teardown(void **state)
{
	(void)state;
	worker_stop(worker);
	/* Nothing is left behind. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return 0;
}

/* What an event loop does. */
static void receive(struct worker_reply *ret)
{
	__u64 limit = clock_ms() + 60000;

	for (;;) {
		struct pollfd poll_fd = { .fd = worker_fd(worker), .events = POLLIN };
		int n, err;

		assert_true(clock_ms() < limit);
		n = poll(&poll_fd, 1, worker_timeout_ms(worker));
		assert_true(n >= 0);
		if (n == 0) {
			worker_check_deadline(worker);
			continue;
		}
		err = worker_receive(worker, ret);
		if (err == -EAGAIN)
			continue;
		assert_int_equal(err, 0);
		return;
	}
}

static struct worker_request request(enum worker_type type, __u64 tag)
{
	struct worker_request r = { .type = type, .pid = getpid(), .tag = tag, .start_ticks = ticks };

	if (type == WORKER_CAPTURE || type == WORKER_TABLE)
		r.object.layout = layout_find(0x030c01f0)->layout;
	return r;
}

/* On a busy machine the answer may be that there is more to be read first. */
static void identify_works(__u64 tag)
{
	struct worker_request r = request(WORKER_IDENTIFY, tag);
	struct worker_reply reply = { .error = -EAGAIN };

	for (; reply.error == -EAGAIN; receive(&reply))
		assert_int_equal(worker_send(worker, &r), 0);
	assert_int_equal(reply.error, 0);
	assert_int_equal(reply.tag, tag);
	assert_int_equal(reply.pid, getpid());
	assert_int_equal(reply.type, WORKER_IDENTIFY);
	assert_int_equal(reply.identity.verdict, VERDICT_NOT_PYTHON);
	assert_true(!reply.table && reply.cpu_ns);
}

TEST(answers)
{
	struct worker_reply reply = { .tag = 9 };
	struct worker_request r;

	assert_int_equal(worker_timeout_ms(worker), -1);
	assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
	assert_int_equal(worker_check_deadline(worker), 0);
	assert_int_equal(reply.tag, 9);
	identify_works(1);

	r = request(WORKER_IDENTIFY, 2);
	r.start_ticks++;
	assert_int_equal(worker_send(worker, &r), 0);
	receive(&reply);
	assert_int_equal(reply.error, -ESRCH);
	r = request(WORKER_CAPTURE, 3);
	r.start_ticks++;
	assert_int_equal(worker_send(worker, &r), 0);
	receive(&reply);
	assert_int_equal(reply.error, -ESRCH);
	r = request(WORKER_CAPTURE, 4); /* address 0 */
	assert_int_equal(worker_send(worker, &r), 0);
	receive(&reply);
	assert_int_equal(reply.error, -EFAULT);
	r.type = 0;
	assert_int_equal(worker_send(worker, &r), -EINVAL);
	r.type = WORKER_TYPES;
	assert_int_equal(worker_send(worker, &r), -EINVAL);
}

/* Line tables of every size up to the limit arrive whole, and are the receiver's own. */
TEST(tables)
{
	static const size_t sizes[] = { 0, 1, 2048, 65536, 200000, LINETABLE_MAX };
	_cleanup_free_ __u8 *object = calloc(1, 32 + LINETABLE_MAX + 1);
	struct worker_request r = request(WORKER_TABLE, 5);
	struct worker_reply first = { 0 }, reply;

	for (size_t i = 0; i < LINETABLE_MAX; i++)
		object[32 + i] = i * 7 + (i >> 9);
	r.object.address = (uintptr_t)object;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		((__u64 *)object)[2] = sizes[i];
		assert_int_equal(worker_send(worker, &r), 0);
		receive(&reply);
		assert_int_equal(reply.error, 0);
		assert_int_equal(reply.table_size, sizes[i]);
		assert_memory_equal(reply.table, object + 32, sizes[i]);
		if (sizes[i] == 2048)
			first = reply;
		else
			free(reply.table);
	}
	assert_memory_equal(first.table, object + 32, 2048);
	free(first.table);

	((__u64 *)object)[2] = LINETABLE_MAX + 1;
	assert_int_equal(worker_send(worker, &r), 0);
	receive(&reply);
	assert_int_equal(reply.error, -E2BIG);
	assert_null(reply.table);
}

/* Which are fair_queue.h's rules, that test_fair_queue.c tests. */
TEST(bounded_and_in_order)
{
	struct worker_reply reply;
	struct worker_request r;
	int sent = 0, err = 0;

	for (; !err && sent < WORKER_QUEUE; sent++) {
		r = request(WORKER_CONTAINER, sent);
		err = worker_send(worker, &r);
	}
	assert_int_equal(err, -EAGAIN);
	sent--;
	assert_in_range(sent, 2, QUEUE_OF_PROCESS + 1); /* one is under way */
	for (int i = 0; i < sent; i++) {
		receive(&reply);
		assert_int_equal(reply.error, 0);
		assert_int_equal(reply.tag, i);
		if (sent < 200) {
			r = request(WORKER_CONTAINER, sent++);
			assert_int_equal(worker_send(worker, &r), 0);
		}
	}
	assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
}

/* Who a process is, while that waits to be asked: the later question is answered, the other is said. */
TEST(who_it_is_is_asked_once)
{
	static const __u64 dropped[] = { 0, 0, 0, 3, 4 }, answered[] = { 1, 5, 2 };
	struct worker_reply reply;

	for (__u64 tag = 1; tag <= 5; tag++) {
		struct worker_request r = request(tag == 2 ? WORKER_CONTAINER : WORKER_IDENTIFY, tag);

		assert_int_equal(worker_send(worker, &r), 0);
		assert_int_equal(worker_take_dropped(worker), dropped[tag - 1]);
		assert_int_equal(worker_take_dropped(worker), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(answered); i++) {
		receive(&reply);
		assert_int_equal(reply.tag, answered[i]);
	}
	assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
}

/* A page that user space promises to fill in, and never does: the read cannot return. */
static void *unresolved_page(int *ret_fd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	void *page;

	if (fd < 0)
		return NULL;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	range.range.start = (uintptr_t)page;
	range.range.len = PAGE;
	assert_int_equal(ioctl(fd, UFFDIO_API, &api), 0);
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &range), 0);
	*ret_fd = fd;
	return page;
}

TEST(blocked_read)
{
	struct worker_request r = request(WORKER_CAPTURE, 10);
	_cleanup_close_ int fd = -1;
	struct worker_reply reply;
	__u64 begin, took;
	pid_t child;
	void *page;

	page = unresolved_page(&fd);
	if (!page) {
		print_message("SKIP: userfaultfd: %s\n", strerror(errno));
		skip();
	}
	r.object.address = (uintptr_t)page;
	for (int i = 0; i < 3; i++) {
		/* Others wait behind it and must not suffer. */
		struct worker_request other = request(WORKER_IDENTIFY, 11);

		child = worker_pid(worker);
		begin = clock_ms();
		assert_int_equal(worker_send(worker, &r), 0);
		assert_int_equal(worker_send(worker, &other), 0);
		assert_true(worker_timeout_ms(worker) > 0 && worker_timeout_ms(worker) <= WORKER_DEADLINE_MS);
		receive(&reply);
		took = clock_ms() - begin;
		assert_int_equal(reply.error, -ETIMEDOUT);
		assert_int_equal(reply.tag, 10);
		assert_int_equal(reply.type, WORKER_CAPTURE);
		assert_true(took >= WORKER_DEADLINE_MS && took < 4 * WORKER_DEADLINE_MS);
		receive(&reply);
		assert_int_equal(reply.error, 0);
		assert_int_equal(reply.tag, 11);
		assert_int_not_equal(worker_pid(worker), child);
	}
	identify_works(12);
	munmap(page, PAGE);
}

/* All that has come is taken, and then the caller is left alone. */
static void nothing_to_do(void)
{
	struct pollfd fd = { .fd = worker_fd(worker), .events = POLLIN };
	__u64 limit = clock_ms() + 60000;
	struct worker_reply reply;

	while (poll(&fd, 1, 200)) {
		assert_true(clock_ms() < limit);
		assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
	}
}

/* Waits for something that is no reply, such as the child's end, and takes it. */
static void take_event(void)
{
	struct pollfd fd = { .fd = worker_fd(worker), .events = POLLIN };
	struct worker_reply reply;

	assert_int_equal(poll(&fd, 1, 60000), 1);
	assert_int_equal(worker_receive(worker, &reply), -EAGAIN);
}

/* Stopped dead in the middle of a request: that one fails, the next works. */
TEST(child_dies)
{
	struct worker_request r = request(WORKER_IDENTIFY, 20);
	struct worker_reply reply;
	pid_t child = worker_pid(worker);

	identify_works(19);
	kill(child, SIGSTOP);
	assert_int_equal(worker_send(worker, &r), 0);
	kill(child, SIGKILL);
	receive(&reply);
	assert_int_equal(reply.error, -EPIPE);
	assert_int_equal(reply.tag, 20);
	identify_works(21);
	/* While idle, noticed by the next request or by the event loop. */
	child = worker_pid(worker);
	child_kill(child);
	identify_works(22);
	assert_int_not_equal(worker_pid(worker), child);
	child_kill(worker_pid(worker));
	/* It is met when its socket ends, of which who made it may have a copy a moment longer. */
	while (worker_pid(worker))
		take_event();
	nothing_to_do();
	identify_works(23);
}

/* The same of its parser, on which it waits meanwhile. One that hangs is late, as the child would be. */
TEST(parser_dies)
{
	struct worker_request r = request(WORKER_IDENTIFY, 50);
	pid_t child = worker_pid(worker), parser = worker_parser_pid(worker);
	struct worker_reply reply;

	assert_true(parser > 0 && parser != child);
	kill(parser, SIGSTOP); /* the child has asked for no file yet */
	assert_int_equal(worker_send(worker, &r), 0);
	usleep(20000);
	kill(parser, SIGKILL);
	receive(&reply);
	assert_int_equal(reply.error, -EPIPE);
	assert_int_equal(reply.tag, 50);
	child_wait_gone(parser); /* its sockets end first, which the child sees, and then it */
	identify_works(51);
	assert_int_not_equal(worker_pid(worker), child);
	assert_int_not_equal(worker_parser_pid(worker), parser);
	child = worker_pid(worker);
	child_kill(worker_parser_pid(worker)); /* while both are idle */
	child_wait_gone(child); /* the zygote ends it, and what it is asked until then is lost */
	identify_works(52);

	teardown(state); /* a new one knows no file, and asks for each */
	setup(state);
	parser = worker_parser_pid(worker);
	kill(parser, SIGSTOP);
	assert_int_equal(worker_send(worker, &r), 0);
	receive(&reply);
	assert_int_equal(reply.error, -ETIMEDOUT);
	identify_works(53);
	for (int i = 0; i < 6000 && !kill(parser, 0); i++) /* until it is waited for */
		usleep(10000);
	assert_int_equal(kill(parser, 0), -1);
}

/* The only CPU that pid has left has another one for itself. */
static pid_t starve(pid_t pid)
{
	struct sched_param none = { 0 };
	cpu_set_t one;
	pid_t other;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(pid, sizeof(one), &one), 0);
	assert_int_equal(sched_setscheduler(pid, SCHED_IDLE, &none), 0);
	other = fork();
	assert_true(other >= 0);
	if (!other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sched_setaffinity(0, sizeof(one), &one);
		for (;;)
			;
	}
	return other;
}

/* One wait for a CPU lasts longer than the time in which it is looked whether it waits for one. */
TEST(child_without_a_cpu)
{
	pid_t child = worker_pid(worker), other;

	identify_works(69); /* for which it reads files: without a CPU it would do so in parts */
	other = starve(child);
	for (int i = 0; i < 5; i++)
		identify_works(70 + i);
	assert_int_equal(worker_pid(worker), child);
	kill(other, SIGKILL);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

static pid_t parent_of(pid_t pid)
{
	struct procfs_stat stat;

	assert_int_equal(procfs_stat(pid, &stat), 0);
	return stat.parent;
}

/* Its requests fail, and it says that none will be answered any more; the caller is not kept busy by it. */
TEST(zygote_dies)
{
	struct worker_request r = request(WORKER_IDENTIFY, 40);
	struct worker_reply reply;
	pid_t zygote = parent_of(worker_pid(worker));

	identify_works(39);
	assert_false(worker_is_lost(worker));
	kill(zygote, SIGKILL);
	while (!worker_is_lost(worker))
		take_event();
	nothing_to_do();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(worker_send(worker, &r), 0);
		receive(&reply);
		assert_int_equal(reply.error, -EPIPE);
	}
}

/* What children used, also those that have ended, however they ended. */
TEST(cpu_time_is_kept)
{
	double before;
	pid_t child = worker_pid(worker);

	for (int i = 0; i < 300; i++)
		identify_works(i);
	before = worker_seconds(worker);
	assert_true(before > 0 && before < 60);
	kill(child, SIGKILL);
	while (worker_pid(worker) || worker_seconds(worker) == 0)
		take_event();
	assert_true(worker_seconds(worker) > before - 0.01 && worker_seconds(worker) < 60);
}

static bool has_descriptor(pid_t pid, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	return !access(path, F_OK) || readlink(path, (char[8]){ 0 }, 8) > 0;
}

TEST(isolated)
{
	pid_t child;

	identify_works(30);
	child = worker_pid(worker);
	for (int fd = 6; fd < 64; fd++)
		assert_false(has_descriptor(child, fd));
	assert_true(has_descriptor(child, 3));
	/* What Ctrl-C and a service manager's stop send to the whole group. */
	kill(child, SIGINT);
	kill(child, SIGTERM);
	kill(child, SIGHUP);
	identify_works(31);
	assert_int_equal(worker_pid(worker), child);
}

/* When its parent goes without a word, so does the child. */
TEST(parent_dies, .bare = true)
{
	pid_t pids[2] = { 0 }, parent;
	int pipe_fd[2];

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(pipe(pipe_fd), 0);
	parent = fork();
	if (!parent) {
		struct worker *mine;

		if (worker_start(&mine, "/nonexistent"))
			_exit(1);
		pids[0] = worker_pid(mine);
		pids[1] = worker_parser_pid(mine);
		if (write(pipe_fd[1], pids, sizeof(pids)) != sizeof(pids))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipe_fd[0], pids, sizeof(pids)), sizeof(pids));
	usleep(50000); /* until it has asked to be told */
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	alarm(120);
	while (waitpid(-1, NULL, 0) > 0) /* the zygote, and those whose end it has not seen before its own */
		;
	assert_int_equal(errno, ECHILD);
	for (int i = 0; i < 2; i++)
		assert_true(pids[i] > 0 && kill(pids[i], 0) == -1);
	alarm(0);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

AROUND_EACH(setup, teardown);

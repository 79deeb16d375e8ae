// SPDX-License-Identifier: GPL-2.0-only
/*
 * home.c - the profiler's side of the sampler's process. It is forked before the profiler opens anything of
 * others, and has the worker's rights.
 */
#include "hosted/home.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "guard/isolate.h"
#include "guard/sandbox.h"
#include "hosted/area.h"
#include "hosted/child.h"
#include "hosted/hash.h"
#include "hosted/threads.h"
#include "kern/cpu_ticks.h"
#include "kern/kernel.h"
#include "kern/object.h"
#include "kern/process_table.h"
#include "kern/stats.h"
#include "kern/tables.h"
#include "proc/forbidden.h"
#include "pyperf.skel.h"

#define FREQUENCY_MAX 999
#define MEMORY_MAX    (128ULL << 20) /* bytes of address space of the sampler beyond what it begins with */
#define ANSWER_NS     (300 * NS_PER_MS) /* so long the sampler is waited for */
#define LAST_NS	      (4 * NS_PER_SECOND) /* ... at the end, when a machine without a free CPU may keep it */
#define PAUSE_US      200
#define STUCK_NS      (3 * NS_PER_SECOND) /* in one look */

struct outside {
	struct area area;
	pid_t child;
	int socket;
	__u64 clock;	    /* process_clock() of the child when samples began */
	__u64 round, moved; /* how far the child was, and clock_ns() of when that was new */
};

static int choose(struct kernel *k, struct kernel_options *o)
{
	const char *why = forbidden_everywhere();

	if (why)
		return kernel_fail(k, -EPERM, "%s", why);
	if (!thread_runs_are_counted("/proc/self/schedstat"))
		return kernel_fail(k, -EOPNOTSUPP,
				   "this kernel does not count how often a thread is given a CPU "
				   "(/proc/PID/schedstat, CONFIG_SCHED_INFO), and without that no look from "
				   "outside can be proved to be right");
	if (cpu_ticks_new(&k->cpu_ticks, k->cpus))
		return kernel_fail(k, -ENOMEM, "out of memory");
	if (o->frequency > FREQUENCY_MAX)
		o->frequency = FREQUENCY_MAX;
	o->needs &= NEEDS_TICKS; /* of waits only what looks see (wall.c) */
	o->trigger = k->trigger.kind = TRIGGER_OUTSIDE;
	k->trigger.off = true;
	k->trigger.frequency = o->frequency;
	return 0;
}

static int confine(void)
{
	return isolate_limit_memory(MEMORY_MAX) ?: sandbox_enter(SANDBOX_SAMPLER);
}

static void become_child(const struct outside *o, int socket, pid_t parent)
{
	const struct isolation i = {
		.name = "pyperf-sampler",
		.parent = parent,
		.privileges = WORKER_PRIVILEGES,
		.fds = { socket },
		.fd_count = 1,
	};
	const int err = isolate(&i);

	if (err)
		_exit(-err);
	child_run(&o->area, ISOLATED_SOCKET_FD, confine);
}

static int fork_child(struct outside *o)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	const pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	o->child = fork();
	if (o->child < 0)
		return -errno;
	if (!o->child)
		become_child(o, theirs, parent);
	o->socket = TAKE_FD(ours);
	return 0;
}

static int load(struct kernel *k)
{
	struct outside *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return kernel_fail(k, -ENOMEM, "out of memory");
	k->at_home = o;
	o->socket = o->area.fd = -1;
	k->skel->rodata->opt_patience = 0; /* a look stops nobody */
	k->skel->rodata->opt_budget = 0;   /* most of its cost is beside the sampler: child.c */
	err = area_open(&o->area, k->skel);
	if (err)
		return kernel_fail(k, err, "there is no memory for the tables: %s", strerror(-err));
	o->area.control->frequency = k->options.frequency;
	o->area.control->wall = k->options.wall;
	o->area.control->budget = k->options.budget * NS_PER_SECOND;
	area_side(&o->area, &k->side);
	k->tables.map_bytes = o->area.size;
	k->records.ring_bytes = o->area.ring->size;
	k->records.read = &o->area.ring->read;
	k->records.made = &o->area.ring->made;
	err = tables_map(&k->side, &k->tables, &k->stats) ?:
	      journal_rings_open(&k->journal, &k->side, k->cpus) ?: fork_child(o);
	return err ? kernel_fail(k, err, "the sampler's process cannot be made: %s", strerror(-err)) : 0;
}

static void wake(const struct outside *o)
{
	const char byte = 1;

	send(o->socket, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int start(struct kernel *k, int *ret_cpus)
{
	struct outside *o = k->at_home;

	o->moved = clock_ns();
	o->clock = o->clock ?: process_clock(o->child);
	__atomic_store_n(&o->area.control->runs, 1, __ATOMIC_RELEASE);
	*ret_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return 0;
}

static int follow(struct kernel *k, int *ret_cpus)
{
	struct outside *o = k->at_home;
	const __u64 round = __atomic_load_n(&o->area.control->round, __ATOMIC_ACQUIRE), now = clock_ns();

	(void)ret_cpus;
	if (round != o->round || !(round & 1)) {
		o->round = round;
		o->moved = now;
	}
	if (o->child && waitpid(o->child, NULL, WNOHANG) == o->child) {
		o->child = 0;
		return kernel_fail(k, -EPIPE, "pyperf-sampler, which looks at programs, has ended");
	}
	if (now - o->moved < STUCK_NS)
		return 0;
	kill(o->child, SIGKILL);
	return kernel_fail(k, -EPIPE,
			   "pyperf-sampler, which looks at programs, waits for memory that does not come");
}

static int set_rate(struct kernel *k, __u32 frequency, double budget)
{
	struct outside *o = k->at_home;

	k->options.budget = budget;
	o->area.control->budget = budget * NS_PER_SECOND;
	if (frequency == k->options.frequency)
		return 0;
	return kernel_fail(k, -EOPNOTSUPP, "pyperf-sampler, which looks at programs, keeps its rate");
}

/* -ETIMEDOUT: the sampler has not come so far. */
static int wait_for_answer(const struct area_control *c, __u32 asked, __u64 ns)
{
	const __u64 end = clock_ns() + ns;

	while (__atomic_load_n(&c->answered, __ATOMIC_ACQUIRE) != asked) {
		if (clock_ns() > end)
			return -ETIMEDOUT;
		usleep(PAUSE_US);
	}
	return 0;
}

static void settle_within(struct kernel *k, __u64 ns)
{
	const struct outside *o = k->at_home;

	if (!o || !o->child || !o->area.base)
		return;
	__atomic_fetch_add(&o->area.control->asked, 1, __ATOMIC_RELEASE);
	wake(o);
	wait_for_answer(o->area.control, o->area.control->asked, ns);
}

static void settle_child(struct kernel *k)
{
	settle_within(k, ANSWER_NS);
}

static int wait_within(const struct kernel *k, __u64 ns)
{
	const struct outside *o = k->at_home;
	const struct area_control *c = o->area.control;
	const __u64 round = __atomic_load_n(&c->round, __ATOMIC_SEQ_CST), end = clock_ns() + ns;

	while (round & 1 && __atomic_load_n(&c->round, __ATOMIC_SEQ_CST) == round) {
		if (clock_ns() > end)
			return -ETIMEDOUT;
		usleep(PAUSE_US);
	}
	return 0;
}

static int wait_for_round(const struct kernel *k)
{
	return wait_within(k, ANSWER_NS);
}

static void stop(struct kernel *k)
{
	const struct outside *o = k->at_home;

	if (!o || !o->area.base)
		return;
	settle_within(k, LAST_NS);
	__atomic_store_n(&o->area.control->runs, 0, __ATOMIC_SEQ_CST);
	if (o->child)
		wait_within(k, LAST_NS);
}

static bool describe(struct kernel *k, pid_t pid, struct record_process *ret)
{
	struct process_now now;
	struct process known;
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (process_now(pid, &now) || now.of_the_kernel || now.state == 'Z' || stat(path, &st))
		return false;
	*ret = (struct record_process){
		.type = RECORD_PROCESS,
		.pid = pid,
		.start_time = now.start_ns,
		.user = USER_BY_UID | st.st_uid,
	};
	if (!kernel_get_process(k, pid, &known) && known.start_time == now.start_ns)
		ret->exec_id = known.exec_id;
	memcpy(ret->comm, now.comm, sizeof(ret->comm));
	return true;
}

static int list(struct kernel *k, int (*fn)(void *, const struct record_process *), void *context)
{
	_cleanup_closedir_ DIR *folder = opendir("/proc");
	const struct dirent *e;
	int r = 0;

	if (!folder)
		return -errno;
	while (!r && (e = readdir(folder))) {
		const pid_t pid = atoi(e->d_name);
		struct record_process p;

		if (pid > 0 && describe(k, pid, &p))
			r = fn(context, &p);
	}
	return r;
}

static int set_number(struct kernel *k, const struct number_request *r)
{
	const struct outside *o = k->at_home;
	const struct area_table *t = area_find(&o->area, "processes");
	struct process *p = shared_hash_find((void *)(o->area.base + t->offset), &r->pid);

	if (!p || !process_set_number(p, r))
		return -ESRCH;
	__atomic_add_fetch(&k->side.bss->processes_stamp, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int read_records(struct kernel *k)
{
	const struct outside *o = k->at_home;
	char bytes[64];

	while (recv(o->socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	return shared_ring_read(o->area.ring, k->records.ring_bytes, kernel_forward_record, k);
}

static int records_fd(const struct kernel *k)
{
	const struct outside *o = k->at_home;

	return o->socket;
}

/* How many looks there should have been depends on who runs, which nobody has counted. */
static __u64 expected(const struct kernel *k)
{
	(void)k;
	return 0;
}

/* All that the sampler's process has cost since it began to look. */
static void add_costs(const struct kernel *k, struct kernel_stats *ret)
{
	const struct outside *o = k->at_home;
	const __u64 now = o->child > 0 ? process_clock(o->child) : 0;

	ret->runs = ret->sum.ticks;
	ret->run_time_ns = now > o->clock ? now - o->clock : ret->sum.time_sum;
}

static void close_home(struct kernel *k)
{
	struct outside *o = k->at_home;

	cpu_ticks_free(k->cpu_ticks);
	if (!o)
		return;
	if (o->socket >= 0)
		close(o->socket);
	if (o->child > 0) {
		kill(o->child, SIGKILL);
		waitpid(o->child, NULL, 0);
	}
	area_close(&o->area);
	free(o);
}

const struct home home_outside = {
	.name = "sampler",
	.is_outside = true,
	.choose = choose,
	.load = load,
	.start = start,
	.follow = follow,
	.set_rate = set_rate,
	.settle = settle_child,
	.stop = stop,
	.wait = wait_for_round,
	.list = list,
	.set_number = set_number,
	.read_records = read_records,
	.records_fd = records_fd,
	.expected = expected,
	.add_costs = add_costs,
	.close = close_home,
};

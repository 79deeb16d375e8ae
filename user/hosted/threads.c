// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/procfs.h"

#define TEXT_MAX 4096

/* The text of a file that is read once. */
static int read_text(const char *path, char text[TEXT_MAX])
{
	struct kept_file f = { 0 };
	const int err = kept_file_read(&f, path, text, TEXT_MAX);

	kept_file_close(&f);
	return err;
}

/* Field number `field` of a stat file, counted from 1; the name is number 2. 0 = it is not there. */
static __u64 stat_field(const char *text, int field)
{
	const char *p = strrchr(text, ')');

	for (int i = 2; p && i < field; i++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p ? strtoull(p, NULL, 10) : 0;
}

/* Ticks of /proc's clock as ns. */
static __u64 ticks_ns(__u64 ticks)
{
	static __u64 tick_ns;

	if (!tick_ns)
		tick_ns = NS_PER_SECOND / sysconf(_SC_CLK_TCK);
	return ticks * tick_ns;
}

int process_now_kept(pid_t pid, struct kept_file *file, struct process_now *ret)
{
	struct procfs_stat stat;
	char path[64], text[TEXT_MAX];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	err = kept_file_read(file, path, text, TEXT_MAX) ?: procfs_parse_stat(text, &stat);
	if (err)
		return err;
	*ret = (struct process_now){
		.state = stat.state,
		.of_the_kernel = stat.of_the_kernel,
		.start_ns = ticks_ns(stat.start_ticks),
		.image = stat_field(text, 28) ^ stat_field(text, 48) << 20,
		.threads = (unsigned int)stat_field(text, 20),
		.parent = stat.parent,
	};
	memcpy(ret->comm, stat.name, sizeof(ret->comm));
	return 0;
}

int process_now(pid_t pid, struct process_now *ret)
{
	struct kept_file file = { 0 };
	const int err = process_now_kept(pid, &file, ret);

	kept_file_close(&file);
	return err;
}

__u64 process_clock(pid_t pid)
{
	const clockid_t clock = (clockid_t)(~(__u32)pid << 3 | 2); /* MAKE_PROCESS_CPUCLOCK() of the kernel */
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : t.tv_sec * NS_PER_SECOND + t.tv_nsec + 1;
}

int thread_open(pid_t pid, pid_t tid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void thread_close(struct thread_hold *h)
{
	close(h->fd);
	kept_file_close(&h->stat);
	kept_file_close(&h->sched);
}

int thread_runs(int fd, struct thread_runs *ret)
{
	char text[128];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	unsigned long long ns, queued, runs;

	if (n <= 0)
		return n ? -errno : -ESRCH;
	text[n] = '\0';
	if (sscanf(text, "%llu %llu %llu", &ns, &queued, &runs) != 3)
		return -EBADMSG;
	*ret = (struct thread_runs){ ns, queued, runs };
	return 0;
}

/* Without CONFIG_SCHED_INFO there is no such file, or all of it is 0. */
bool thread_runs_are_counted(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct thread_runs r;

	return fd >= 0 && !thread_runs(fd, &r) && r.runs;
}

static __u64 number_behind(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

/* How often it has left a CPU. */
static __u64 switches(pid_t pid, pid_t tid)
{
	char path[64], text[TEXT_MAX];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	if (read_text(path, text))
		return 0;
	return number_behind(text, "\nvoluntary_ctxt_switches:\t") +
	       number_behind(text, "\nnonvoluntary_ctxt_switches:\t");
}

/* --- taking its CPU ----------------------------------------------------------------------------------- */

#define ATTEMPTS 3

static int own_cpu = -1; /* the only one on which this process runs; -1: it may run anywhere */

/* Of struct sched_attr, which the C library does not have before glibc 2.41. */
struct attributes {
	__u32 size, policy;
	__u64 flags;
	__s32 nice;
	__u32 priority;
	__u64 slice; /* ns; Linux 6.12: who asks for less than another one goes before it */
	__u64 deadline, period;
};

void thread_hold_begin(void)
{
	struct attributes a = { .size = sizeof(a), .nice = getpriority(PRIO_PROCESS, 0), .slice = 100000 };

	/* Older kernels have no such slice, and let who wakes up go first anyway. */
	if (syscall(SYS_sched_setattr, 0, &a, 0))
		return;
}

#define MET_NS 50000 /* at most, between two notes of the kernel that are of one switch */
/*
 * Who lost its CPU while we waited for it stands where it ran when the look was due, or after that, and
 * counts. But not so far back that it could have slept meanwhile: then it would be met at its sleep.
 */
#define LATE_MAX NS_PER_MS

static __u64 woken_at; /* when we were given the CPU, on its own clock; 0 = not known */
static __u64 was_late; /* ns from when the look was due until then, LATE_MAX at most */

/*
 * When the kernel has last counted the time of a thread: while it ran, or when it lost its CPU. On that CPU's
 * clock, ns; 0 = not known, as without CONFIG_SCHED_DEBUG before Linux 6.15.
 */
static __u64 last_counted(struct kept_file *f, const char *path)
{
	unsigned long long ms, ns;
	char text[TEXT_MAX];
	const char *line;

	if (kept_file_read(f, path, text, TEXT_MAX))
		return 0;
	line = strstr(text, "\nse.exec_start");
	line = line ? strchr(line, ':') : NULL;
	return line && sscanf(line + 1, " %llu.%6llu", &ms, &ns) == 2 ? ms * NS_PER_MS + ns : 0;
}

void thread_hold_woke(__u64 late)
{
	static struct kept_file own;

	was_late = late < LATE_MAX ? late : LATE_MAX;
	woken_at = last_counted(&own, "/proc/self/sched");
}

/* A thread that wants to run, on this CPU: whether it ran when the look was due, and does not only wait. */
static bool lost_it_now(struct thread_hold *h, pid_t pid, pid_t tid)
{
	char path[64];
	__u64 at;

	if (!woken_at)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/sched", pid, tid);
	at = last_counted(&h->sched, path);
	return !at || at + MET_NS + was_late >= woken_at;
}

static bool go_to(int cpu)
{
	cpu_set_t *set;
	const size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int err;

	if (cpu == own_cpu)
		return true;
	set = CPU_ALLOC(cpu + 1);
	if (!set)
		return false;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	err = sched_setaffinity(0, size, set);
	CPU_FREE(set);
	if (err)
		return false;
	own_cpu = cpu;
	thread_hold_woke(0);
	return true;
}

static int thread_stat(struct kept_file *f, pid_t pid, pid_t tid, struct procfs_stat *ret)
{
	char path[64], text[TEXT_MAX];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	return kept_file_read(f, path, text, TEXT_MAX) ?: procfs_parse_stat(text, ret);
}

__u64 thread_began(pid_t pid, pid_t tid)
{
	struct kept_file file = { 0 };
	struct procfs_stat stat;
	const int err = thread_stat(&file, pid, tid, &stat);

	kept_file_close(&file);
	return err ? 0 : ticks_ns(stat.start_ticks);
}

enum thread_take thread_take(struct thread_hold *h, const struct thread_runs *runs, pid_t pid, pid_t tid,
			     char comm[16])
{
	struct procfs_stat stat;
	struct thread_runs r = *runs;
	bool has_cpu = false; /* another one than ours */

	h->held = false;
	for (int i = 0; i < ATTEMPTS; i++) {
		/* In this order: who has no CPU after the count and is not counted again has had none. */
		if (i && thread_runs(h->fd, &r))
			break;
		if (thread_stat(&h->stat, pid, tid, &stat) || stat.state != 'R')
			break;
		memcpy(comm, stat.name, sizeof(stat.name));
		h->runs = r.runs;
		/* Where one is, no other one is. */
		h->held = stat.cpu == own_cpu && sched_getcpu() == own_cpu;
		if (h->held)
			return has_cpu || lost_it_now(h, pid, tid) ? THREAD_HELD : THREAD_WITHOUT;
		if (stat.cpu != sched_getcpu()) {
			has_cpu = has_cpu || r.runs == switches(pid, tid) + 1;
			if (!has_cpu)
				return THREAD_WITHOUT; /* it waits for one */
		}
		if (!go_to(stat.cpu))
			break;
	}
	return has_cpu ? THREAD_LOST : THREAD_WITHOUT;
}

/*
 * For its file `syscall` the kernel waits until the thread is off the CPU, and looks afterwards whether it
 * still is (lib/syscall.c). For one that could run it says "running".
 */
bool thread_sleeps(struct thread_hold *h, pid_t pid, pid_t tid, const struct thread_runs *runs, int *ret)
{
	char path[64], text[TEXT_MAX];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	if (read_text(path, text) || (*text != '-' && (*text < '0' || *text > '9')))
		return false;
	*ret = atoi(text);
	thread_waits(h, runs);
	return true;
}

void thread_waits(struct thread_hold *h, const struct thread_runs *runs)
{
	h->runs = runs->runs;
	h->held = true;
}

bool thread_is_held(const struct thread_hold *h)
{
	struct thread_runs now;

	return h->held && !thread_runs(h->fd, &now) && now.runs == h->runs;
}

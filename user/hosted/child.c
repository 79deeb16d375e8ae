// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/child.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "hosted/block.h"
#include "hosted/looked.h"
#include "hosted/meet.h"
#include "hosted/sample.h"
#include "hosted/threads.h"
#include "hosted/wall.h"
#include "pyperf.skel.h"

#define SYNC_NS (100 * NS_PER_MS) /* between two looks into the table of processes, if it has not changed */

#define LOOKS_KEPT	8  /* in a second, however much they cost: fewer would say nothing */
#define LEVEL_MAX	6
#define LEVELS_A_BUDGET 16 /* by so many levels one more second's allowance owed thins further */

static int ears;

void sample_wake(void)
{
	const char byte = 1;

	send(ears, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Until then, or until the profiler wants something. */
static void wait_until(__u64 until)
{
	struct pollfd fd = { .fd = ears, .events = POLLIN };
	const __u64 now = clock_ns(), left = until > now ? until - now : 0;
	const struct timespec limit = { left / NS_PER_SECOND, left % NS_PER_SECOND };
	char bytes[64];
	__u64 woke;
	int events;
	ssize_t n;

	events = ppoll(&fd, 1, &limit, NULL);
	woke = clock_ns();
	thread_hold_woke(woke > until ? woke - until : 0);
	if (events <= 0)
		return;
	n = recv(ears, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		_exit(0); /* the profiler is gone */
}

/* Whether samples may be taken in it. Asked before it begins, the answer could be from before they stopped.
 */
static bool begin_round(struct area_control *c)
{
	__atomic_fetch_add(&c->round, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&c->runs, __ATOMIC_SEQ_CST);
}

static void end_round(struct area_control *c)
{
	__atomic_fetch_add(&c->round, 1, __ATOMIC_SEQ_CST);
}

static void answer(struct area_control *c)
{
	const __u32 asked = __atomic_load_n(&c->asked, __ATOMIC_ACQUIRE);

	if (asked == c->answered)
		return;
	if (begin_round(c)) {
		looked_sync();
		looked_account();
	}
	end_round(c);
	__atomic_store_n(&c->answered, asked, __ATOMIC_RELEASE);
}

static __u64 used_ns(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) ? 0 : t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

/*
 * How far looks are thinned, so that this process costs no more than --budget: log2 of those for which one
 * stands. As in bpf/sample/cost.h: what is owed beyond a second's allowance decides.
 */
static unsigned int thinned(const struct area_control *c)
{
	static __u64 at, used, owed;
	const unsigned int most = c->frequency / LOOKS_KEPT;
	const __u64 now = clock_ns(), now_used = used_ns();
	__u64 allowed, over;
	unsigned int level;

	if (!c->budget)
		return 0;
	allowed = at ? (double)(now - at) * c->budget / NS_PER_SECOND : 0;
	owed += at ? now_used - used : 0;
	owed = owed > allowed ? owed - allowed : 0;
	at = now;
	used = now_used;
	if (owed <= c->budget)
		return 0;
	over = (owed - c->budget) / (c->budget / LEVELS_A_BUDGET + 1);
	level = 1 + (over < LEVEL_MAX ? over : LEVEL_MAX);
	while (level && 1U << level > most)
		level--;
	return level;
}

static void look_at_all(const struct area *a, unsigned int weight, unsigned int left_out)
{
	static __u64 stamp, synced;
	struct area_control *c = a->control;
	const __u64 now = clock_ns();

	sample_thinned(left_out);
	meet(now);
	if (a->bss->processes_stamp != stamp || now - synced > SYNC_NS) {
		stamp = a->bss->processes_stamp;
		synced = now;
		looked_sync();
	}
	if (begin_round(c)) {
		looked_take(weight);
		c->due++;
	}
	end_round(c);
}

void child_run(const struct area *a, int socket, int (*confine)(void))
{
	struct area_control *c = a->control;
	const __u64 period = NS_PER_SECOND / (c->frequency ?: 1);
	struct block b = { .begin = clock_ns(), .at = clock_ns(), .span = 1 };
	__u64 random = b.begin | 1;
	unsigned int weight;
	int err = looked_open(a) ?: meet_open(a->rodata->opt_follow);

	ears = socket;
	sample_open(a);
	wall_open(period);
	/*
	 * Where the scheduler groups by session (sched_autogroup_enabled), we would share turns with those
	 * that we look at: a look would come first in a turn, and they would run after it.
	 */
	setsid();
	thread_hold_begin();
	err = err ?: confine();
	if (err)
		_exit(-err);
	for (;;) {
		wait_until(b.at);
		answer(c);
		if (clock_ns() < b.at)
			continue;
		weight = block_end(&b, period, clock_ns());
		if (__atomic_load_n(&c->runs, __ATOMIC_ACQUIRE))
			look_at_all(a, weight, b.span - 1);
		block_begin(&b, period, thinned(c), clock_ns(), &random);
	}
}

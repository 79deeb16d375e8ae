// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/child.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "hosted/looked.h"
#include "hosted/sample.h"
#include "hosted/threads.h"
#include "pyperf.skel.h"

#define CHILDREN_NS (100 * NS_PER_MS) /* between two looks for new processes */
#define SYNC_NS	    (10 * NS_PER_MS)  /* between two looks into the table of processes, if it has changed */

static int ears;

void sample_wake(void)
{
	const char byte = 1;

	send(ears, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* When the next look is due: at a random moment of its period, since programs that sleep by timers would
 * otherwise be met at one moment of theirs. */
static __u64 next_look(__u64 *period_begin, __u64 period, __u64 now)
{
	static __u64 state;

	state = state ?: now | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	do
		*period_begin += period;
	while (*period_begin + period < now);
	return *period_begin + state % period;
}

/* Until then, or until the profiler wants something. */
static void wait_until(__u64 until)
{
	struct pollfd fd = { .fd = ears, .events = POLLIN };
	const __u64 now = clock_ns(), left = until > now ? until - now : 0;
	const struct timespec limit = { left / NS_PER_SECOND, left % NS_PER_SECOND };
	char bytes[64];
	int events;
	ssize_t n;

	events = ppoll(&fd, 1, &limit, NULL);
	thread_hold_woke();
	if (events <= 0)
		return;
	n = recv(ears, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		_exit(0); /* the profiler is gone */
}

static void answer(struct area_control *c)
{
	const __u32 asked = __atomic_load_n(&c->asked, __ATOMIC_ACQUIRE);

	if (asked == c->answered)
		return;
	__atomic_fetch_add(&c->round, 1, __ATOMIC_SEQ_CST);
	looked_sync();
	looked_account();
	__atomic_fetch_add(&c->round, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&c->answered, asked, __ATOMIC_RELEASE);
}

static void look(const struct area *a)
{
	static __u64 stamp, synced, children;
	struct area_control *c = a->control;
	const __u64 now = clock_ns();

	if (a->rodata->opt_follow && now - children > CHILDREN_NS) {
		children = now;
		looked_find_children();
	}
	if (a->bss->processes_stamp != stamp || now - synced > CHILDREN_NS) {
		stamp = a->bss->processes_stamp;
		synced = now;
		looked_sync();
	}
	__atomic_fetch_add(&c->round, 1, __ATOMIC_SEQ_CST);
	looked_take();
	__atomic_fetch_add(&c->round, 1, __ATOMIC_SEQ_CST);
	c->due++;
}

void child_run(const struct area *a, int socket, int (*confine)(void))
{
	struct area_control *c = a->control;
	const __u64 period = NS_PER_SECOND / (c->frequency ?: 1);
	__u64 begin = clock_ns(), next = begin;
	int err = looked_open(a);

	ears = socket;
	sample_open(a);
	thread_hold_begin();
	err = err ?: confine();
	if (err)
		_exit(-err);
	for (;;) {
		wait_until(next);
		answer(c);
		if (clock_ns() < next)
			continue;
		if (__atomic_load_n(&c->runs, __ATOMIC_ACQUIRE))
			look(a);
		next = next_look(&begin, period, clock_ns());
	}
}

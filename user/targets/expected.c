// SPDX-License-Identifier: GPL-2.0-only
#include "targets/expected.h"

#include "base/clock.h"
#include "base/loop.h"
#include "targets/verdicts.h"

#define PAUSE_MIN (NS_PER_MS / 2)
#define PATIENCE  (250 * NS_PER_MS)

static struct expected_process *find_expected(struct expected *e, __u32 pid)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->processes[i].process.pid == pid)
			return &e->processes[i];
	return NULL;
}

static bool is_same_image(const struct expected_process *p, const struct record_process *other)
{
	return p && p->process.start_time == other->start_time && p->process.exec_id == other->exec_id;
}

void expected_add(struct expected *e, const struct record_process *p)
{
	struct expected_process *one = find_expected(e, p->pid);

	if (is_same_image(one, p))
		return;
	if (!one && e->count == EXPECTED_MAX)
		return;
	if (!one)
		one = &e->processes[e->count++];
	*one = (struct expected_process){ .process = *p, .since = clock_ns() };
}

bool expected_again(struct expected *e, const struct record_process *p)
{
	struct expected_process *one = find_expected(e, p->pid);
	const __u64 now = clock_ns();
	__u64 pause;

	if (!is_same_image(one, p))
		return false;
	if (now - one->since > PATIENCE) {
		expected_forget(e, p->pid);
		return false;
	}
	pause = (now - one->since) / 4;
	one->due = now + (pause < PAUSE_MIN ? PAUSE_MIN : pause);
	return true;
}

void expected_forget(struct expected *e, __u32 pid)
{
	struct expected_process *one = find_expected(e, pid);

	if (one)
		*one = e->processes[--e->count];
}

static int expected_due_ms(void *expected)
{
	const struct expected *e = expected;
	__u64 now = clock_ns(), next = 0;

	for (size_t i = 0; i < e->count; i++)
		if (e->processes[i].due && (!next || e->processes[i].due < next))
			next = e->processes[i].due;
	return !next ? -1 : next <= now ? 0 : (int)((next - now) / NS_PER_MS) + 1;
}

static void expected_on_turn(void *expected, unsigned int ready)
{
	struct expected *e = expected;
	const __u64 now = clock_ns();

	(void)ready;
	for (size_t i = 0; i < e->count; i++) {
		struct expected_process *p = &e->processes[i];

		if (!p->due || p->due > now)
			continue;
		p->due = verdicts_ask(e->verdicts, &p->process) ? now + PAUSE_MIN : 0;
	}
}

int expected_watch(struct expected *e, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, expected_due_ms, expected_on_turn, e });
}

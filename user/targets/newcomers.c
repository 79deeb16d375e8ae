// SPDX-License-Identifier: GPL-2.0-only
#include "targets/newcomers.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/loop.h"
#include "kern/asleep.h"
#include "kern/process_table.h"
#include "targets/verdicts.h"

#define PAUSE_MIN_NS (50 * NS_PER_MS) /* at first: COMMAND has only begun; doubled each time, up to */
#define PAUSE_MAX_NS NS_PER_SECOND

/* As process_find() and process_ask() of bpf/sample/process.h decide it at a tick. */
static bool is_to_be_asked(const struct newcomers *n, const struct record_process *r)
{
	struct process p;

	if (r->pid == (__u32)getpid())
		return false;
	if (kernel_get_process(n->kernel, r->pid, &p) || p.start_time != r->start_time)
		return kernel_asleep(n->kernel)->all;
	if (p.exec_id != r->exec_id)
		return true;
	if (p.state == PROCESS_PYTHON || (p.state != PROCESS_WANTED && !p.check_after))
		return false;
	return clock_ns() > p.check_after;
}

static int on_newcomer(void *newcomers, const struct record_process *r)
{
	const struct newcomers *n = newcomers;

	if (is_to_be_asked(n, r))
		verdicts_met(n->verdicts, r);
	return 0;
}

static void newcomers_on_turn(void *newcomers, unsigned int ready)
{
	struct newcomers *n = newcomers;
	const __u64 now = clock_ns();

	(void)ready;
	if (!asleep_takes_tasks(kernel_asleep(n->kernel)) || now < n->due)
		return;
	n->pause = !n->pause ? PAUSE_MIN_NS : n->pause < PAUSE_MAX_NS / 2 ? 2 * n->pause : PAUSE_MAX_NS;
	n->due = now + n->pause;
	kernel_list_processes(n->kernel, on_newcomer, n);
}

static int newcomers_due_ms(void *newcomers)
{
	const struct newcomers *n = newcomers;
	const __u64 now = clock_ns();

	if (!asleep_takes_tasks(kernel_asleep(n->kernel)))
		return -1;
	return n->due <= now ? 0 : (int)((n->due - now) / NS_PER_MS) + 1;
}

int newcomers_watch(struct newcomers *n, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, newcomers_due_ms, newcomers_on_turn, n });
}

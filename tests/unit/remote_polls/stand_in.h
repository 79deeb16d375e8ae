/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stand_in.h - what stands in for the kernel side, the worker and the event loop in the tests of who is
 * looked at: one question at a time, which the test answers, and one row of a loop that is run by hand. What
 * of a question is kept, questions_ask() of each test says.
 */
#ifndef PYPERF_TESTS_STAND_IN_H
#define PYPERF_TESTS_STAND_IN_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/asleep.h"
#include "kern/process_table.h"
#include "symbols/captures.h"
#include "targets/questions.h"
#include "tests/forge/test.h"

#define PATIENCE_NS (20 * NS_PER_SECOND)

static struct outside_stack outside;
static struct asleep_programs programs = { .outside = &outside, .max_depth = 64 };

const struct asleep_programs *kernel_asleep(const struct kernel *k)
{
	(void)k;
	return &programs;
}

static struct worker_request request;
static struct question question;
static int asked;

struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time)
{
	return (struct worker_request){ .type = type, .pid = pid, .start_ticks = start_time };
}

void questions_forget(struct questions *q, const void *asker)
{
	(void)q;
	(void)asker;
}

static struct loop loop; /* not open */

static inline void turn(void)
{
	loop.rows[0].run(loop.rows[0].context, 0);
}

static inline int due_ms(void)
{
	return loop.rows[0].timeout_ms(loop.rows[0].context);
}

#endif

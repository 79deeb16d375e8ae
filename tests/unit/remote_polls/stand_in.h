/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stand_in.h - what stands in for the kernel side, the worker and the event loop in the tests of who is
 * looked at: one question at a time, which the test answers, and one row of a loop that is run by hand.
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
static __u32 note; /* of the question, if it has one */
static int asked;
static int refusal; /* what questions_ask() returns in place of asking */

struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time)
{
	return (struct worker_request){ .type = type, .pid = pid, .start_ticks = start_time };
}

int questions_ask(struct questions *q, const struct question *about, struct worker_request *r)
{
	(void)q;
	if (refusal)
		return refusal;
	request = *r;
	question = *about;
	if (about->note_size) {
		assert_int_equal(about->note_size, sizeof(note));
		memcpy(&note, about->note, sizeof(note));
	}
	asked++;
	return 0;
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

/* Turns it until so many questions were asked in all. Returns when that was. */
static inline __u64 turn_until(int times)
{
	const __u64 begin = clock_ns();

	while (asked < times) {
		assert_true(clock_ns() - begin < PATIENCE_NS);
		turn();
	}
	return clock_ns();
}

/* The question's answer: an error, or a value, of which `size` bytes are said to have come. */
static inline void answer_value(const void *about, int err, const void *value, size_t value_size, size_t size)
{
	struct worker_reply reply = { .pid = request.pid, .error = err, .table_size = size };

	if (value) {
		reply.table = calloc(1, value_size + 1);
		assert_non_null(reply.table);
		memcpy(reply.table, value, value_size);
	}
	question.answer(question.asker, about, &reply);
	free(reply.table);
}

static inline int due_ms(void)
{
	return loop.rows[0].timeout_ms(loop.rows[0].context);
}

#endif

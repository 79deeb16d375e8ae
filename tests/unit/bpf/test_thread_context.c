// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_thread_context.c - ids that a thread publishes, in forged memory: from the thread pointer to its
 * record in both ways, tables that are too old or too short, records that are none, and memory that is
 * anything.
 */

#include "tests/forge/hosted.h"
#include "tests/forge/random.h"
#include "tests/forge/test.h"

const volatile __u8 opt_trace = 1;

#define BASE	   0x7f0000000000ULL
#define WORDS	   256 /* of memory, from BASE on */
#define THREAD	   8   /* where they are, in words */
#define TABLE	   32
#define BLOCK	   96
#define RECORD	   160
#define MODULE	   3
#define OFFSET	   16
#define GENERATION 5
#define READS	   5

#include "tests/forge/flat_memory.h"

static struct context_vars vars;
static struct layout layout;
static struct scratch *s;

static __u64 at(__u64 word)
{
	return BASE + sizeof(__u64) * word;
}

/* The thread has its library's variables in a block of its own, and publishes these ids. */
static int setup(void **state)
{
	(void)state;
	if (!s && hosted_begin())
		return -1;
	hosted.process = (struct process){ 0 };
	s = hosted.scratch;
	s->who.process = 1;
	s->who.known.contexts = 1;
	s->who.self = at(THREAD);
	memset(memory, 0, sizeof(memory));
	memory[THREAD] = at(THREAD);
	memory[THREAD + 1] = at(TABLE);
	memory[TABLE - 2] = 20;
	memory[TABLE] = GENERATION;
	memory[TABLE + 2 * MODULE] = at(BLOCK);
	memory[BLOCK + OFFSET / 8] = at(RECORD);
	memory[RECORD] = __builtin_bswap64(0x0123456789abcdef);
	memory[RECORD + 1] = __builtin_bswap64(7);
	memory[RECORD + 2] = __builtin_bswap64(0x1122334455667788);
	memory[RECORD + 3] = 1 | 1 << 8 | 0xffffULL << 16; /* with attributes that nobody reads */
	vars = (struct context_vars){ .thread = { .kind = THREAD_CONTEXT_MODULE, .module = MODULE,
						  .offset = OFFSET, .generation = GENERATION } };
	hosted.contexts = &vars;
	return 0;
}

static void read_it(void)
{
	hosted.stats.trace_spans = hosted.stats.trace_unknown = 0;
	hosted_records = 0;
	s->walk.reads = 0;
	trace_begin(s);
	assert_int_equal(trace_read(s, &hosted.stats, &layout, 0), 0);
	assert_true(s->walk.reads <= READS);
	assert_int_equal(hosted_records, 0); /* there is no route to be read */
}

static void assert_ids(void)
{
	read_it();
	assert_int_equal(s->trace.ids.high, 0x0123456789abcdef);
	assert_int_equal(s->trace.ids.low, 7);
	assert_int_equal(s->trace.ids.span, 0x1122334455667788);
	assert_int_equal(hosted.stats.trace_spans, 1);
	assert_int_equal(hosted.stats.trace_unknown, 0);
}

static void assert_none(__u32 unknown)
{
	read_it();
	assert_int_equal(s->trace.ids.high | s->trace.ids.low | s->trace.ids.span, 0);
	assert_int_equal(hosted.stats.trace_spans, 0);
	assert_int_equal(hosted.stats.trace_unknown, unknown);
}

TEST(both_ways_to_it)
{
	assert_ids();
	vars.thread = (struct thread_context_place){ .kind = THREAD_CONTEXT_STATIC, .offset = -16 };
	memory[THREAD - 2] = at(RECORD);
	assert_ids();
	vars.thread.kind = THREAD_CONTEXT_NONE;
	assert_none(0);
	vars.thread.kind = THREAD_CONTEXT_UNTRUE;
	assert_none(0);
}

TEST(tables_that_do_not_have_it)
{
	memory[TABLE] = GENERATION - 1; /* another library's, which is gone */
	assert_none(0);
	memory[TABLE] = GENERATION + 1;
	memory[TABLE - 2] = MODULE - 1; /* it is too short */
	assert_none(0);
	memory[TABLE - 2] = MODULE;
	assert_ids();
	memory[TABLE + 2 * MODULE] = ~0ULL; /* the thread has not used it */
	assert_none(0);
	memory[THREAD + 1] = 12;
	assert_none(0);
	s->who.self = 0;
	assert_none(0);
}

TEST(no_span)
{
	memory[BLOCK + OFFSET / 8] = 0;
	assert_none(0);
	setup(NULL);
	memory[RECORD + 3] &= ~0xffULL; /* it is being changed */
	assert_none(0);
	setup(NULL);
	memory[RECORD] = memory[RECORD + 1] = memory[RECORD + 2] = 0;
	assert_none(0);
}

TEST(records_that_are_none)
{
	static const __u64 wild[] = { 2, 4094, 4096, BASE + 8 * RECORD + 1, 1ULL << 47, 1ULL << 63, ~1ULL };

	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		memory[BLOCK + OFFSET / 8] = wild[i];
		assert_none(1);
	}
	memory[BLOCK + OFFSET / 8] = at(WORDS) - 26; /* its end is not there */
	assert_none(1);
	setup(NULL);
	memory[RECORD + 3]++; /* another number than 0 and 1 */
	assert_none(1);
	setup(NULL);
	memory[RECORD + 2] = 0;
	assert_none(1);
	setup(NULL);
	memory[RECORD] = memory[RECORD + 1] = 0;
	assert_none(1);
	memory[RECORD + 1] = 1;
	read_it();
	assert_int_equal(hosted.stats.trace_spans, 1);
}

/* Records need not be aligned to words. */
TEST(a_record_in_any_place)
{
	memmove((__u8 *)&memory[RECORD] + 2, &memory[RECORD], 28);
	memory[BLOCK + OFFSET / 8] = at(RECORD) + 2;
	assert_ids();
}

TEST(memory_that_is_anything)
{
	for (int i = 0; i < 200000; i++) {
		const __u64 r = random_word();

		if (i % 5 == 0)
			setup(NULL);
		vars.thread.kind = THREAD_CONTEXT_STATIC + i % 2;
		memory[random_word() % WORDS] = r % 3 ? BASE + r % sizeof(memory) : r >> r % 64;
		read_it();
		assert_true(hosted.stats.trace_spans + hosted.stats.trace_unknown <= 1);
		assert_true(!hosted.stats.trace_spans == !s->trace.ids.span);
	}
}

static int end(void **state)
{
	(void)state;
	hosted_end();
	return 0;
}

AROUND_EACH(setup, NULL);
AROUND_ALL(NULL, end);

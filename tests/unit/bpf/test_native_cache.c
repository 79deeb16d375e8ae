// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native_cache.c - what is remembered of a thread's native frames is used only as long as a new way
 * would find the same.
 */

#include "tests/forge/test.h"
#include "tests/forge/unwound.h"

static struct native_cache cache;

/* A stack of frames of all sizes, with and without rbp. Returns how many words it has. */
static __u32 make_stack(__u32 frames)
{
	__u32 at = 0, f = 1 + rand() % (FUNCTIONS - 2);

	hosted_regs.pc = in_function(f);
	hosted_regs.bp = 0;
	for (__u32 n = 0; n < frames; n++) {
		const __u32 words = rules[f] >> RULE_SLOT_BITS & RULE_WORDS_MAX, slot = rules[f] & 31;

		at += words;
		f = n + 1 < frames ? 1 + rand() % (FUNCTIONS - 2) : FUNCTIONS - 1;
		stack[at - 1] = in_function(f);
		if (slot)
			stack[at - slot] = STACK + 8 * (at + rand() % 9);
	}
	return at;
}

struct way {
	__u32 end, depth;
	struct native_frame frames[NATIVE_DEPTH];
};

static struct way way(struct native_cache *k)
{
	struct unwind *u = find(k);
	struct way w = { .end = u->end, .depth = u->depth };

	memcpy(w.frames, u->frames, u->depth * sizeof(u->frames[0]));
	for (__u32 i = u->cached.run; i-- > 0;)
		w.frames[w.depth++] = k->frames[i];
	return w;
}

static void compare(const struct way *a, const struct way *b)
{
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->depth, b->depth);
	for (__u32 i = 0; i < a->depth; i++) {
		assert_int_equal(a->frames[i].pc, b->frames[i].pc);
		assert_int_equal(a->frames[i].sp, b->frames[i].sp);
		assert_int_equal(a->frames[i].bp, b->frames[i].bp);
		assert_int_equal(a->frames[i].place, b->frames[i].place);
	}
}

static void random_rules(void)
{
	for (__u32 i = 1; i < FUNCTIONS - 1; i++) {
		const __u32 words = 2 + rand() % 12;

		rules[i] = rule_make(RULE_SP, words, rand() % 2 && words > 2 ? 2 + rand() % (words - 1) : 0);
	}
}

/* Every word of the stack is changed, in several ways: with and without the last way it is the same. */
TEST(every_changed_word_is_noticed)
{
	__u32 used = 0;

	srand(3);
	for (int round = 0; round < 20; round++) {
		__u32 words;
		struct way before, with, without;

		random_rules();
		load();
		words = make_stack(40);
		cache.depth = 0;
		before = way(&cache);
		assert_int_equal(before.end, NATIVE_FUNCTION);
		assert_int_equal(before.depth, 41);
		native_cache_renew(&hosted.scratch->unwind, &cache, hosted.scratch->who.known.space);
		assert_int_equal(cache.depth, 40); /* all but the leaf */
		with = way(&cache);
		compare(&with, &before);
		assert_int_equal(hosted.scratch->unwind.cached.run, 40);
		for (__u32 at = 0; at < words; at++) {
			const __u64 was = stack[at], others[] = { 0, was + 8, in_function(5), ~0ULL };

			for (size_t o = 0; o < ARRAY_SIZE(others); o++) {
				stack[at] = others[o];
				without = way(NULL);
				with = way(&cache);
				used += hosted.scratch->unwind.cached.run != 0;
				compare(&with, &without);
			}
			stack[at] = was;
		}
	}
	assert_true(used > 1000); /* it was of use where a word was changed that nobody reads */
}

/* Where in the tree a sample of the program leads to; its frames are looked for one by one if `anew`. */
static __u32 node_of_program(int anew)
{
	if (anew)
		memset(hosted.native_caches, 0,
		       HOSTED_THREAD_SETS * THREAD_WAYS * sizeof(struct native_cache));
	assert_int_equal(hosted_sample(), OUTCOME_PROGRAM);
	return hosted.scratch->tree.node;
}

/* --all: the stack of a program is the same in the tree with and without what is remembered of the last. */
TEST(programs_lead_to_the_same)
{
	__u32 used = 0;

	srand(4);
	hosted_clear();
	hosted_task.tgid = hosted_task.pid = 77;
	for (int round = 0; round < 5; round++) {
		__u32 words, whole;

		random_rules();
		load();
		hosted.process = (struct process){ .id = 5, .state = PROCESS_PROGRAM };
		hosted.process.space = hosted.scratch->who.known.space;
		processes_stamp++;
		words = make_stack(40);
		whole = node_of_program(1);
		assert_int_equal(node_of_program(0), whole);
		assert_int_equal(hosted.scratch->unwind.cached.run, 40);
		for (__u32 at = 0, with; at < words; at++) {
			stack[at] ^= at % 2 ? 8 : in_function(5);
			with = node_of_program(0);
			used += hosted.scratch->unwind.cached.run != 0;
			assert_int_equal(node_of_program(1), with);
			stack[at] ^= at % 2 ? 8 : in_function(5);
			assert_int_equal(node_of_program(1), whole);
		}
	}
	assert_true(used > 100);
}

/* Of a frame that was found by more than two words nothing is remembered, nor of those that it called. */
TEST(what_cannot_be_compared_is_not_kept)
{
	rules[2] = special(RULE_DEREF_SP, 0, 0);
	hosted_regs.pc = in_function(1);
	stack[1] = in_function(2);
	stack[2] = STACK + 8 * 9;
	stack[9] = in_function(3);
	stack[11] = in_function(FUNCTIONS - 1);
	expect((const __u32[]){ 1, 2, 3 }, 3);
	cache.depth = 0;
	find(&cache);
	native_cache_renew(&hosted.scratch->unwind, &cache, hosted.scratch->who.known.space);
	assert_int_equal(cache.depth, 2);
	cache.space++; /* of other mappings */
	find(&cache);
	assert_int_equal(hosted.scratch->unwind.cached.run, 0);
}

/* That a return address was 0 is no rule of the code: the next time it may be another. */
TEST(an_end_that_the_stack_says_is_not_kept)
{
	struct way with, without;

	hosted_regs.pc = in_function(1);
	stack[1] = in_function(2);
	load();
	cache.depth = 0;
	with = way(&cache);
	assert_int_equal(with.end, NATIVE_FUNCTION);
	assert_int_equal(with.depth, 2);
	native_cache_renew(&hosted.scratch->unwind, &cache, hosted.scratch->who.known.space);
	stack[3] = in_function(3);
	stack[5] = in_function(FUNCTIONS - 1);
	without = way(NULL);
	assert_int_equal(without.depth, 4);
	with = way(&cache);
	compare(&with, &without);
}

AROUND_EACH(setup, NULL);

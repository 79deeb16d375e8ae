// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rows_unwind_arm64.c - what test_rows_unwind.c does, on arm64.
 */
#include <stdbool.h>
#include <linux/types.h>

#include "tests/forge/test.h"

#pragma GCC optimize("O2") /* where a function keeps its caller differs */

#ifdef __aarch64__

struct registers {
	__u64 pc, sp, bp, link;
	bool exact; /* pc is not a return address */
};

#include "tests/forge/own_stack.h"

static __u32 slots_seen, kinds_seen; /* as bits */
static bool signal_seen;

static struct registers registers_of(const ucontext_t *context)
{
	const mcontext_t *m = &context->uc_mcontext;

	return (struct registers){ m->pc, m->sp, m->regs[29], m->regs[30], true };
}

static void signal_caller(struct registers *r)
{
	const char *sp = (const char *)r->sp;

	memcpy(&r->pc, sp + ARM64_CONTEXT_PC, 8);
	memcpy(&r->bp, sp + ARM64_CONTEXT_BP, 8);
	memcpy(&r->link, sp + ARM64_CONTEXT_LINK, 8);
	memcpy(&r->sp, sp + ARM64_CONTEXT_SP, 8);
	r->exact = true;
	signal_seen = true;
}

static __u64 cfa_of(const struct registers *r, __u32 rule)
{
	switch (rule_kind(rule)) {
	case RULE_SP:
		return r->sp + 8 * rule_argument(rule);
	case RULE_BP:
		return r->bp + 8 * rule_argument(rule);
	case RULE_PAIR:
		return r->sp + 16 * rule_pair_cfa(rule);
	}
	if (rule_is(rule, RULE_SP_FAR))
		return r->sp + 8 * (RULE_WORDS_MAX + 1 + rule_small(rule));
	assert_true(rule_is(rule, RULE_LINK));
	return r->sp + 16 * rule_small(rule);
}

static bool to_caller(struct registers *r)
{
	const __u32 rule = rule_for(r->pc - !r->exact), slot = rule_slot(rule);
	__u64 cfa, pair;

	if (rule_is(rule, RULE_ROOT))
		return false;
	if (rule_is(rule, RULE_SIGNAL)) {
		signal_caller(r);
		return true;
	}
	cfa = cfa_of(r, rule);
	kinds_seen |= 1U << rule_kind(rule);
	if (rule_kind(rule) == RULE_PAIR) {
		pair = r->sp + 16 * rule_pair_at(rule);
	} else if (rule_is(rule, RULE_LINK)) {
		*r = (struct registers){ word_at(cfa - 8 * slot), cfa, r->bp, 0, false };
		return true;
	} else {
		slots_seen |= 1U << slot;
		pair = slot == RULE_SLOT_AT_SP ? r->sp : slot == RULE_SLOT_AT_BP ? r->bp : cfa - 8 * slot;
	}
	if (rule_kind(rule) != RULE_PAIR && slot == RULE_SLOT_SAME) {
		assert_true(r->exact);
		*r = (struct registers){ r->link, cfa, r->bp, 0, false };
		return true;
	}
	*r = (struct registers){ word_at(pair + 8), cfa, word_at(pair), 0, false };
	return true;
}

static __attribute__((noinline)) int by_x29(next_fn next, int n)
{
	char text[n + 16];

	keep(text);
	return next(n) * 5;
}

static __attribute__((noinline, optimize("omit-frame-pointer"))) int without_x29(next_fn next, int n)
{
	volatile int a = n;

	return next(n) + a;
}

struct many {
	long words[40];
};

/* What it hands over lies below x29 and x30. */
static __attribute__((noinline)) int takes(struct many a, next_fn next, int b, int c, int d, int e, int f,
					   int g, long h, long i, long j)
{
	return next(b) + c + d + e + f + g + (int)(h + i + j + a.words[3]);
}

static __attribute__((noinline)) int hands_over(next_fn next, int n)
{
	struct many many = { { n } };

	keep(&many);
	return takes(many, next, n, 1, 2, 3, 4, 5, 6, 7, 8) + 1;
}

static int through_x29(int n)
{
	return by_x29(look, n) + 1;
}

static int through_large(int n)
{
	return large(through_x29, n) + 1;
}

static int through_hands_over(int n)
{
	return hands_over(through_large, n) + 1;
}

TEST(functions_of_every_kind)
{
	plain(look, 1);
	by_x29(look, 3);
	assert_true(kinds_seen & 1U << RULE_BP);
	large(look, 5);
	hands_over(look, 6);
	without_x29(look, 7);
	without_x29(through_hands_over, 8);
	assert_true(slots_seen & 1U << RULE_SLOT_AT_SP);
	assert_true(slots_seen & 1U << RULE_SLOT_AT_BP);
}

static void on_signal(int number)
{
	by_x29(look, number);
}

TEST(threads)
{
	look_in_a_thread();
}

/* qemu-user has what a handler returns to in a page of no file. */
TEST(signals)
{
	struct sigaction action = { .sa_handler = on_signal };

	if (!getauxval(AT_SYSINFO_EHDR)) {
		print_message("SKIP: the kernel maps no page of code\n");
		skip();
	}
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	by_x29(raise_signal, 1);
	assert_true(signal_seen);
	signal(SIGUSR1, SIG_DFL);
}

#endif

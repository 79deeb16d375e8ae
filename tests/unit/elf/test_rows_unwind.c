// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rows_unwind.c - that rules mean what they say, on x86-64 (tests/forge/own_stack.h).
 */
#include <stdbool.h>
#include <linux/types.h>

#include "tests/forge/test.h"

#pragma GCC optimize("O2") /* where a function keeps its caller differs */

#ifdef __x86_64__

struct registers {
	__u64 pc, sp, bp;
	bool exact; /* pc is not a return address */
};

#include "tests/forge/own_stack.h"

static __u32 seen; /* enum rule_special, as bits; and SEEN_BP */
#define SEEN_BP (1U << 31)

static struct registers registers_of(const ucontext_t *context)
{
	const greg_t *regs = context->uc_mcontext.gregs;

	return (struct registers){ regs[REG_RIP], regs[REG_RSP], regs[REG_RBP], true };
}

static __u64 special_cfa(const struct registers *r, __u32 which, __u32 argument)
{
	switch (which) {
	case RULE_DEREF:
		return word_at(r->bp - 8 * argument);
	case RULE_DEREF_SP:
		return word_at(r->sp + 8 * rule_signed(argument)) + 8;
	case RULE_SP_FAR:
		return r->sp + 8 * (RULE_WORDS_MAX + 1 + argument);
	}
	fail_msg("no caller is found by special rule %u", which);
	return 0;
}

static bool to_caller(struct registers *r)
{
	const __u32 rule = rule_for(r->pc - !r->exact), kind = rule >> 18, slot = rule & RULE_SLOT_LOST;
	const __u32 words = rule >> RULE_SLOT_BITS & RULE_WORDS_MAX, which = words >> 9;
	__u64 cfa;

	seen |= kind == RULE_SPECIAL ? 1U << which : kind == RULE_BP ? SEEN_BP : 0;
	if (kind == RULE_SPECIAL && which == RULE_ROOT)
		return false;
	if (kind == RULE_SPECIAL && which == RULE_SIGNAL) {
		*r = registers_of((const ucontext_t *)r->sp);
		return true;
	}
	assert_int_not_equal(kind, RULE_REGISTER); /* for leaves alone */
	cfa = kind == RULE_SPECIAL ? special_cfa(r, which, words & RULE_SMALL_MAX) :
				     (kind == RULE_SP ? r->sp : r->bp) + 8 * words;
	if (slot == RULE_SLOT_LOST)
		r->bp = 0;
	else if (slot != RULE_SLOT_SAME)
		r->bp = word_at(slot == RULE_SLOT_AT_BP ? r->bp : cfa - 8 * slot);
	r->pc = word_at(cfa - 8);
	r->sp = cfa;
	r->exact = false;
	return true;
}

static __attribute__((noinline)) int pushes(next_fn next, int n)
{
	volatile int a = n, b = n + 1, c = n + 2;

	return next(n) + a * b + c;
}

static __attribute__((noinline, optimize("no-omit-frame-pointer"))) int by_rbp(next_fn next, int n)
{
	char text[n + 16];

	keep(text);
	return next(n) * 5;
}

/* The compiler keeps the caller's stack pointer in a word below rbp. */
static __attribute__((noinline)) int aligned(next_fn next, int n)
{
	__attribute__((aligned(64))) char room[64];
	char text[n + 16];

	keep(room);
	keep(text);
	assert_int_equal((uintptr_t)room % 64, 0);
	return next(n) * 7;
}

/* As OpenSSL's loops for AVX do it: it calls its argument with 7. */
int by_word(next_fn next);
__asm__(".text\n"
	".type by_word, @function\n"
	"by_word: .cfi_startproc\n"
	"mov %rsp, %rax\n"
	".cfi_def_cfa_register %rax\n"
	"sub $0x80, %rsp\n"
	"and $-64, %rsp\n"
	"mov %rax, 0x20(%rsp)\n"
	".cfi_escape 0x0f,5,0x77,0x20,0x06,0x23,8\n"
	"mov %rdi, %rax\n"
	"mov $7, %edi\n"
	"call *%rax\n"
	"mov 0x20(%rsp), %rsp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size by_word, . - by_word\n");

static __attribute__((noinline)) int through_by_word(int n)
{
	return by_word(look) + n;
}

static int through_large(int n)
{
	return large(through_by_word, n) + 1;
}

static int through_aligned(int n)
{
	return aligned(through_large, n) + 1;
}

static int through_rbp(int n)
{
	return by_rbp(through_aligned, n) + 1;
}

static int through_pushes(int n)
{
	return pushes(through_rbp, n) + 1;
}

TEST(functions_of_every_kind)
{
	seen = 0;
	plain(look, 1);
	pushes(look, 2);
	assert_true(seen & 1U << RULE_ROOT);
	by_rbp(look, 3);
	assert_true(seen & SEEN_BP);
	aligned(look, 4);
	assert_true(seen & 1U << RULE_DEREF);
	large(look, 5);
	assert_true(seen & 1U << RULE_SP_FAR);
	by_word(look);
	assert_true(seen & 1U << RULE_DEREF_SP);
	plain(through_pushes, 6);
}

static void on_signal(int number)
{
	aligned(look, number);
}

TEST(signals)
{
	struct sigaction action = { .sa_handler = on_signal };
	static char room[256 << 10];
	const stack_t other = { .ss_sp = room, .ss_size = sizeof(room) }, none = { .ss_flags = SS_DISABLE };

	seen = 0;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	by_rbp(raise_signal, 1);
	assert_true(seen & 1U << RULE_SIGNAL);
	/* On a stack of its own. */
	assert_int_equal(sigaltstack(&other, NULL), 0);
	action.sa_flags = SA_ONSTACK;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	large(raise_signal, 1);
	assert_int_equal(sigaltstack(&none, NULL), 0);
	signal(SIGUSR1, SIG_DFL);
}

TEST(threads)
{
	seen = 0;
	look_in_a_thread();
	assert_true(seen & 1U << RULE_ROOT);
}

#else

TEST(skipped)
{
	print_message("SKIP: test_rows_unwind_arm64 is for this machine\n");
	skip();
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind.h - from the registers of a thread along its native frames, leaf first. Each step finds the rule for
 * the place in the code (abi/native.h), which says where on the stack the caller's registers are.
 *
 * What is read from the stack is the target's own and may be anything. It only leads to other addresses that
 * are read, and to positions of code that is mapped. The Python frames of the sample do not depend on it.
 */
#ifndef PYPERF_BPF_NATIVE_UNWIND_H
#define PYPERF_BPF_NATIVE_UNWIND_H

#include "bpf/native/ask.h"
#include "bpf/native/native_cache.h"
#include "bpf/native/text.h"

/* A frame takes one step. Remembered frames are compared many in a step. */
#define UNWIND_STEPS (NATIVE_DEPTH + 1)

/* The caller's registers, of a function that the kernel called for a signal. */
static __always_inline int unwind_signal(struct scratch *s)
{
	struct unwind *u = &s->unwind;
	__u64 bp = 0, sp = 0, pc = 0;

	u->context = u->sp;
	if (stack_word(s, u->context + CALLER_CONTEXT_BP, &bp) ||
	    stack_word(s, u->context + CALLER_CONTEXT_SP, &sp) ||
	    stack_word(s, u->context + CALLER_CONTEXT_PC, &pc))
		return -1;
	u->bp = bp;
	u->sp = sp;
	u->pc = pc;
	u->exact = 1;
	return 0;
}

/*
 * unwind_caller() returns these if there is no caller: because the rule says so, or the return address is 0.
 */
#define UNWIND_ROOT 1
#define UNWIND_NULL 2

/* Goes to the caller. Returns 0, one of these two, or a negative number if the caller cannot be found. */
WALK_GLOBAL int unwind_caller(struct scratch *s, __u32 rule)
{
	struct caller c = { 0 };
	struct unwind *u;

	if (!s)
		return -1;
	u = &s->unwind;
	if (rule_is(rule, RULE_ROOT))
		return UNWIND_ROOT;
	if (rule_is(rule, RULE_SIGNAL))
		return unwind_signal(s);
	if (caller_find(s, rule, &c))
		return -1;
	u->bp = c.bp;
	u->sp = c.sp;
	u->pc = c.pc;
	u->exact = 0;
	u->context = 0;
	return c.pc ? 0 : UNWIND_NULL;
}

/* Makes u->at the mapping of an address. 0, or -1 if no code is there. */
WALK_GLOBAL int unwind_map(struct scratch *s, __u64 pc)
{
	const struct text_mapping *m;
	struct unwind *u;

	if (!s)
		return -1;
	u = &s->unwind;
	if (pc - u->at.start < u->at.end - u->at.start)
		return 0;
	m = text_find_mapping(&s->text_search, u->space + 1, u->mappings, pc);
	if (!m)
		return -1;
	u->at = *m;
	return 0;
}

/*
 * Where the frame at hand is, and the rule for it; RULE_NOT_LOADED if that is not known yet. *place is as in
 * struct native_frame.
 */
WALK_GLOBAL __u32 unwind_rule(struct scratch *s, __u64 pc, __u64 *place)
{
	const union text_block *b;
	__u64 position, offset;
	struct unwind *u;

	if (!s || !place)
		return 0;
	u = &s->unwind;
	*place = u->at.position;
	if (u->at.position >= TEXT_JITS)
		*place = (u->at.position + (pc - u->at.start)) & ((1ULL << TEXT_BITS) - 1);
	if (u->at.position == TEXT_JIT || u->at.position >= TEXT_JITS)
		return caller_of_made_code(u->pc);
	if (u->at.text == TEXT_NONE)
		return rule_unknown();
	position = (u->at.position + (pc - u->at.start)) & ((1ULL << TEXT_BITS) - 1);
	*place = position;
	b = u->at.text == TEXT_NOT_LOADED ? NULL : text_block_at(u->at.text);
	if (!b)
		return RULE_NOT_LOADED;
	offset = position - b->text.base;
	if (b->text.loop[0].size)
		*place |= NATIVE_INTERPRETER;
	if (text_is_loop(b, offset))
		*place |= NATIVE_LOOP;
	return text_find_rule(&s->text_search, b, u->at.text, offset);
}

/*
 * Keeps the frame at hand. For the leaf only its function is kept, since there are too many places in it.
 * When lines are wanted, this is done for the interpreter's loop alone, and only if the loop is not shown.
 * Returns a negative number if the frame's place is not known.
 */
WALK_GLOBAL int unwind_keep(struct scratch *s, __u32 depth, __u64 pc, __u64 place)
{
	const __u64 bits = (1ULL << TEXT_BITS) - 1;
	struct native_frame *f;
	struct unwind *u;

	if (!s)
		return -1;
	u = &s->unwind;
	f = &u->frames[depth & (NATIVE_DEPTH - 1)];
	if (!depth) {
		if (u->at.text == TEXT_NOT_LOADED)
			return -1;
		/* Functions begin at such places, and their names are not known here. */
		if (u->at.position >= TEXT_JITS)
			place &= ~(__u64)(TEXT_JIT_STEP - 1);
		else if (!opt_native_lines || (place & NATIVE_LOOP && !opt_native_loop))
			place = (place & ~bits) | (text_find_function(&s->text_search, &u->at, pc) & bits);
	}
	f->pc = u->pc;
	f->sp = u->sp;
	f->bp = u->bp;
	f->place = place;
	u->depth = depth + 1;
	return 0;
}

/* What to note of a frame for the rule that led to its caller. */
static __always_inline __u64 unwind_notes(const struct unwind *u, __u32 rule)
{
	const int sure = rule_kind(rule) == RULE_SP || rule_kind(rule) == RULE_BP ||
			 rule_is(rule, RULE_ROOT) || rule_is(rule, RULE_SP_FAR);

	return (__u64)rule_slot(rule) << NATIVE_SLOT_SHIFT | (sure && !u->exact ? 0 : NATIVE_UNSURE);
}

/* Whether this takes too long: half of the sample's time, as the other half is for the Python frames. */
static __always_inline int unwind_late(struct scratch *s)
{
	return !(++s->unwind.steps & (LATE_STEPS - 1)) && walk_later(&s->walk, s->walk.patience / 2);
}

/* One frame. Returns 0 to go on, 1 when u->end says how it ended. */
static __always_inline int unwind_step(struct scratch *s, struct cpu_stats *count, struct native_cache *k)
{
	struct unwind *u = &s->unwind;
	const __u64 pc = u->pc - !u->exact;
	__u32 depth = u->depth, rule;
	struct native_frame *f;
	__u64 place;
	int err;

	u->end = depth ? NATIVE_INCOMPLETE : NATIVE_UNKNOWN;
	if (unwind_late(s))
		return 1;
	if (k && u->cached.run)
		return native_cache_verify(s, k);
	if (k && native_cache_seek(u, k))
		return 0;
	mem_opaque(depth);
	if (depth >= NATIVE_DEPTH)
		return 1;
	if (unwind_map(s, pc)) {
		/* The thread runs there: it is writable memory, which exec_vm leaves out. */
		if (!depth)
			native_ask(s, count, pc, ASK_ANEW);
		return 1;
	}
	if (u->at.position < NATIVE_ENDS) { /* the mapping's file has no positions: this says why */
		u->end = u->at.position;
		return 1;
	}
	rule = unwind_rule(s, pc, &place);
	place |= unwind_notes(u, rule);
	u->end = NATIVE_FUNCTION;
	if (place & NATIVE_LOOP && u->goal == UNWIND_LOOP) {
		if (opt_native_loop)
			unwind_keep(s, depth, pc, place);
		return 1;
	}
	if (rule == RULE_NOT_LOADED) {
		native_ask(s, count, pc, ASK_PLACE);
		u->end = NATIVE_NOT_LOADED;
	}
	if (unwind_keep(s, depth, pc, place) || rule == RULE_NOT_LOADED || u->goal == UNWIND_NOWHERE)
		return 1;
	err = unwind_caller(s, rule);
	u->end = err < 0 ? NATIVE_INCOMPLETE : u->goal == UNWIND_ALL ? NATIVE_FUNCTION : NATIVE_MISMATCH;
	f = &u->frames[depth & (NATIVE_DEPTH - 1)];
	if (err == UNWIND_NULL)
		f->place |= NATIVE_UNSURE;
	if (err)
		return 1;
	if (u->goal == UNWIND_ADDRESS && u->object - f->sp < u->sp - f->sp) { /* this frame is the loop's */
		u->depth = depth + opt_native_loop;
		u->end = NATIVE_FUNCTION;
		return 1;
	}
	return 0;
}

struct unwind_context {
	struct scratch *s;
	struct cpu_stats *count;
	struct native_cache *k;
};

static long unwind_callback(__u32 i, struct unwind_context *c)
{
	int stop = unwind_step(c->s, c->count, c->k);

	(void)i;
	mem_opaque(stop);
	return stop != 0; /* the verifier wants to see 0 or 1 */
}

/*
 * Finds the frames of the thread whose registers are in s->unwind. Leaves them in frames[0..depth) there, on
 * top of the first cached.run ones of k, if that is given; end is NATIVE_FUNCTION if the goal was reached.
 */
static __always_inline void unwind_run(struct scratch *s, struct cpu_stats *count, struct native_cache *k)
{
	struct unwind_context c = { s, count, k };

	bpf_loop(UNWIND_STEPS, unwind_callback, &c, 0);
}

#endif

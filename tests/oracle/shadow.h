/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shadow.h - the calls of a single-stepped thread that have not returned, kept from what each instruction
 * did: one that calls adds an entry, and whatever lies below the stack pointer is gone. It knows no call
 * frame information and no symbols. x86-64. After stopped.h.
 */
#ifndef PYPERF_TESTS_SHADOW_H
#define PYPERF_TESTS_SHADOW_H

#include <stdbool.h>
#include <string.h>
#include <sys/user.h>
#include <linux/types.h>

#define SHADOW_DEPTH 4096
#define SHADOW_CODE  16	 /* bytes: no instruction is longer */
#define SHADOW_MOVE  1024 /* bytes: so far a return address is taken along at most */

/* One call. Its frame ends at cfa, where the stack pointer is again when it has returned. */
struct activation {
	__u64 cfa;
	__u64 address;	/* where it returns to; of a signal, the instruction that was interrupted */
	bool signal;	/* the kernel called it */
	bool believed;	/* it was there before the first step */
	__u64 position; /* the user's */
};

struct shadow {
	struct activation list[SHADOW_DEPTH]; /* oldest first */
	__u32 depth, deepest;
	__u32 believed_least; /* how few of those before the first step were left, at some time */
	unsigned long calls, signals, moved;
};

/* What the next instruction is. */
struct shadow_next {
	__u64 sp, pc, number; /* of a system call */
	bool calls, returns, enters_kernel;
};

static inline bool shadow_is_prefix(__u8 byte)
{
	static const __u8 prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3 };

	return memchr(prefixes, byte, sizeof(prefixes)) || (byte & 0xf0) == 0x40;
}

/* The instruction at the program counter of a stopped thread. */
static inline struct shadow_next shadow_next(const struct user_regs_struct *r)
{
	struct shadow_next next = { .sp = r->rsp, .pc = r->rip, .number = r->rax };
	__u8 code[SHADOW_CODE] = { 0 };
	int at = 0;

	/* At the end of a mapping there may be fewer, and there a page's end is, too. */
	if (mem_read(code, SHADOW_CODE, r->rip))
		mem_read(code, STOPPED_PAGE - r->rip % STOPPED_PAGE, r->rip);
	while (at < SHADOW_CODE - 2 && shadow_is_prefix(code[at]))
		at++;
	next.calls = code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2);
	next.returns = (code[at] & 0xf6) == 0xc2; /* c2, c3, ca, cb */
	next.enters_kernel = code[at] == 0x0f && code[at + 1] == 0x05;
	return next;
}

static inline bool shadow_push(struct shadow *s, struct activation a)
{
	if (s->depth == SHADOW_DEPTH)
		return false;
	s->list[s->depth++] = a;
	if (s->depth > s->deepest)
		s->deepest = s->depth;
	return true;
}

/*
 * An assembler function may take its return address along when it moves the stack pointer up: libffi's
 * ffi_call_unix64() does. So no entry is given up whose return address is again above the stack pointer,
 * within what belonged to its caller.
 */
static inline bool shadow_move(struct shadow *s, __u64 sp)
{
	struct activation *a = &s->list[s->depth - 1];
	const __u64 limit = s->depth > 1 ? a[-1].cfa : 0;

	for (__u64 at = sp; at + 8 < limit && at < sp + SHADOW_MOVE; at += 8)
		if (stopped_word(at) == a->address) {
			a->cfa = at + 8;
			s->moved++;
			return true;
		}
	return false;
}

/* Whatever the stack pointer has left is gone. What ran before a signal may have another stack. */
static inline void shadow_pop(struct shadow *s, __u64 sp, bool returns)
{
	while (s->depth && !s->list[s->depth - 1].signal && s->list[s->depth - 1].cfa <= sp)
		if (returns || !shadow_move(s, sp))
			s->depth--;
}

/* A signal's handler is over. */
static inline void shadow_pop_signal(struct shadow *s)
{
	while (s->depth && !s->list[--s->depth].signal)
		;
}

/*
 * The instruction was executed, or a signal's handler was entered in its place. *ret_new: how many entries
 * are new, the last ones. False if there is no room.
 */
static inline bool shadow_step(struct shadow *s, const struct shadow_next *was, bool signalled,
			       const struct user_regs_struct *r, __u32 *ret_new)
{
	const struct activation call = { .cfa = r->rsp + 8, .address = stopped_word(r->rsp) };
	bool room = true;

	*ret_new = 0;
	if (was->enters_kernel && was->number == 15) /* rt_sigreturn */
		shadow_pop_signal(s);
	if (signalled) {
		/* Nothing was executed: the kernel has put the registers on the stack, and called. */
		room = shadow_push(s, (struct activation){
					      .cfa = was->sp, .address = was->pc, .signal = true }) &&
		       shadow_push(s, call);
		s->signals++;
		*ret_new = 2;
	} else {
		shadow_pop(s, r->rsp, was->returns);
		if (was->calls && r->rsp == was->sp - 8) {
			room = shadow_push(s, call);
			s->calls++;
			*ret_new = 1;
		}
	}
	while (s->believed_least &&
	       (s->believed_least > s->depth || !s->list[s->believed_least - 1].believed))
		s->believed_least--;
	return room;
}

#endif

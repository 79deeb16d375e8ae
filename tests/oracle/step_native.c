// SPDX-License-Identifier: GPL-2.0-only
/*
 * step_native.c - the single-step oracle of native frames: step_native [--full] [--lie] COUNT
 * PROGRAM [ARGUMENT...].
 * Runs a program of CPython until it stops itself (SIGSTOP), then one machine instruction at a time, COUNT of
 * them. After each, the sampler's own source looks for the native frames, and they must be those of the calls
 * that were seen (shadow.h). Prints the counts, then a line for each function at which it went wrong; exit
 * status 1 if anything is wrong, 2 if the program cannot be stepped. With --lie a return address is another
 * one now and then, which must be found.
 */
static unsigned char mode; /* enum native_mode */
#define HOSTED_NATIVE mode

#include "tests/forge/stopped.h"
#include "tests/forge/hosted.h"
#include "stepped.h"
#include "loaded.h"
#include "shadow.h"
#include "judge.h"
#include "merged.h"
#include "native_judge.h"

#define LIE_EVERY 100 /* instructions */
#define QUESTIONS 256 /* of one sample: files and regions of them */

static struct unwind sampled;
static __u32 sampled_node;
static enum outcome sampled_outcome;
static pid_t pid;

/* --- one sample ----------------------------------------------------------------------------------------- */

/* Samples until nothing is missing in the table. */
static int look_for_frames(void)
{
	struct unwind *u = &hosted.scratch->unwind;
	__u64 mismatches = 0;
	int err = 0;

	for (int i = 0; i < QUESTIONS && !err; i++) {
		mismatches = hosted.stats.cache_mismatch;
		sampled_outcome = hosted_sample();
		sampled_node = hosted.scratch->tree.node;
		sampled = *u;
		native_goal(hosted.scratch, UNWIND_ALL);
		native_find(hosted.scratch, &hosted.stats, &hosted_task, NULL);
		count.cache_differences += hosted.stats.cache_mismatch - mismatches;
		if (u->end != NATIVE_NOT_LOADED && sampled.end != NATIVE_NOT_LOADED)
			return 0;
		err = loaded_add(pid, u->pc - !u->exact);
	}
	return err ?: -ELOOP;
}

static void tell_lie(void)
{
	const __u32 which = 1 + count.lies % (shadow.depth ? shadow.depth : 1);

	if (!lying || which >= shadow.depth || count.instructions % LIE_EVERY)
		return;
	stopped_lie(shadow.list[which].cfa - 8, shadow.list[which - 1].address);
	count.lies++;
}

static void set_registers(const struct user_regs_struct *r)
{
	hosted_regs = (struct pt_regs){
		.pc = r->rip,
		.sp = r->rsp,
		.bp = r->rbp,
		.syscall = -1,
		.dwarf = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9,
			   r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 },
	};
}

static int look(void)
{
	const unsigned long lies = count.lies;
	int err;

	tell_lie();
	err = look_for_frames();
	if (err)
		return err;
	if (mode == NATIVE_MODE_FULL)
		judge_full(sampled_node, sampled_outcome);
	else
		judge_top(&sampled);
	if (!judge_all(&hosted.scratch->unwind) && count.lies != lies)
		count.lies_found++;
	return 0;
}

/* --- the program ---------------------------------------------------------------------------------------- */

/* What is there before the first step cannot be known; it must be what it is until it has returned. */
static int believe(void)
{
	const struct unwind *u = &hosted.scratch->unwind;
	int err = look_for_frames();

	if (err)
		return err;
	if (u->depth < 2) {
		print_stacks("no calls", u);
		return -EPROTO;
	}
	/* The first function, _start, should say that it has no caller; old ones say nothing. */
	last_end = u->end;
	for (__u32 i = u->depth - 1; i > 0; i--)
		shadow_push(&shadow, (struct activation){ .cfa = u->frames[i].sp,
							  .address = u->frames[i].pc,
							  .believed = true,
							  .position = frame_position(&u->frames[i]) });
	shadow.believed_least = shadow.depth;
	return 0;
}

static int get_registers(struct user_regs_struct *ret)
{
	if (ptrace(PTRACE_GETREGS, pid, NULL, ret) < 0)
		return -errno;
	stopped_again();
	set_registers(ret);
	return 0;
}

static void place_calls(__u32 new)
{
	for (__u32 i = 0; i < new; i++) {
		struct activation *a = &shadow.list[shadow.depth - 1 - i];

		a->position = loaded_position(a->address - !a->signal);
	}
}

/* One instruction, with its signal if there was one. */
static int step_once(struct user_regs_struct *r, int *signal)
{
	const struct shadow_next next = shadow_next(r);
	const bool signalled = *signal != 0;
	__u32 new;
	int err;

	*signal = stepped_resume(pid, PTRACE_SINGLESTEP, *signal);
	if (*signal < 0)
		return *signal;
	if (*signal == SIGTRAP)
		*signal = 0;
	err = get_registers(r);
	if (err)
		return err;
	/* mmap, mprotect, munmap, mremap. */
	if (next.enters_kernel && ((next.number >= 9 && next.number <= 11) || next.number == 25)) {
		err = loaded_maps(pid);
		if (err < 0)
			return err;
		count.maps += !err;
	}
	/* A signal that is ignored, or ends nothing, is no call. */
	if (!shadow_step(&shadow, &next, signalled && r->rsp < next.sp - 128 - 512, r, &new))
		return -E2BIG;
	place_calls(new);
	return 0;
}

static int step(unsigned long steps)
{
	struct user_regs_struct r;
	int signal = 0, err = get_registers(&r);

	if (!err)
		err = loaded_maps(pid);
	if (!err)
		err = believe();
	while (!err && count.instructions < steps) {
		err = step_once(&r, &signal);
		if (err)
			break;
		count.instructions++;
		err = look();
	}
	return err;
}

int main(int argc, char **argv)
{
	char **command = argv + 1;
	unsigned long steps;
	int r;

	mode = NATIVE_MODE_TOP;
	if (command[0] && !strcmp(command[0], "--full")) {
		mode = NATIVE_MODE_FULL;
		command++;
	}
	(void)argc;
	lying = command[0] && !strcmp(command[0], "--lie");
	command += lying;
	steps = command[0] ? strtoul(*command++, NULL, 10) : 0;
	if (!steps || !command[0]) {
		fprintf(stderr, "usage: step_native [--lie] COUNT PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	r = hosted_begin() ?: loaded_begin();
	if (!r)
		r = stepped_start(command, &pid);
	if (!r)
		r = stepped_introduce(pid);
	if (!r)
		r = step(steps);
	if (r) {
		fprintf(stderr, "step_native: %s: %s, after %lu instructions\n", command[0], strerror(-r),
			count.instructions);
		return 2;
	}
	print_counts();
	return count.undetected || count.detected || count.top_wrong || count.top_mismatch ||
	       count.full_wrong || count.full_marked || count.cache_differences;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * step.c - the single-step oracle: step [--lie | --greenlets] COUNT PROGRAM [ARGUMENT...]. Runs a program
 * of CPython until it stops itself (SIGSTOP), then one machine instruction at a time, COUNT of them, and
 * after each takes a sample with the sampler's own source. Prints the counts; exit status 1 if anything is
 * wrong, 2 if the program cannot be stepped. With --lie a link between two frames is wrong now and then,
 * which must be found. With --greenlets the program's stacks are as many as it has greenlets, between
 * which it may switch.
 */
#include "tests/forge/stopped.h"
#include "tests/forge/hosted.h"
#include "judge.h"
#include "stepped.h"

#define LIE_EVERY 100 /* instructions */
#define SHOWN	 4 /* faults that are printed */
#define NAME_SHOWN 64
#define TOP	 6 /* frames of a stack that are printed */

#define JUDGES 4 /* greenlets of steps_greenlets.py */

static struct {
	unsigned long instructions, whole, detected, empty, switches, doubted, recovered, undetected;
	unsigned long cache_differences, cache_refused, lies;
	unsigned long faults[FAULTS];
} count;

static struct plain plain;
static struct judge judges[JUDGES]; /* of each greenlet's stack, as it was last */
static struct judge *judge = judges;

/* --- what is printed ------------------------------------------------------------------------------------ */

static void print_frame(const struct frame *f)
{
	const struct layout *l = &hosted.layout;
	char name[NAME_SHOWN + 1] = "";
	__u64 text = stopped_word(f->code + l->code_name);

	mem_read(name, NAME_SHOWN, text + l->str_ascii);
	fprintf(stderr, "    %#llx %s instr %#llx\n", (unsigned long long)f->address, name,
		(unsigned long long)f->instr);
}

static void print_fault(const char *what, __u64 rip)
{
	const struct walk *w = &hosted.scratch->walk;

	fprintf(stderr, "%s, after instruction %lu, before the one at %#llx\n  sampled, of %u frames:\n",
		what, count.instructions, (unsigned long long)rip, w->depth);
	for (__u32 i = 0; i < TOP && i < w->depth; i++)
		print_frame(&w->frames[i]);
	fprintf(stderr, "  last good, of %u frames:\n", judge->depth);
	for (__u32 i = 0; i < TOP && i < judge->depth; i++)
		print_frame(&judge->good[judge->depth - 1 - i]);
}

static void print_counts(void)
{
	const struct cpu_stats *s = &hosted.stats;

	printf("instructions %lu whole %lu detected %lu empty %lu switches %lu", count.instructions,
	       count.whole, count.detected, count.empty, count.switches);
	printf(" doubted %lu recovered %lu undetected %lu", count.doubted, count.recovered, count.undetected);
	for (int i = FAULT_NONE + 1; i < FAULTS; i++)
		printf(" %s %lu", fault_names[i], count.faults[i]);
	printf(" cache_differences %lu cache_refused %lu cache_full %llu cache_partial %llu cache_miss %llu",
	       count.cache_differences, count.cache_refused, s->cache_full, s->cache_partial, s->cache_miss);
	printf(" pushed %u popped %u deepest %u late %u codes %llu lies %lu\n", judge->most_pushed,
	       judge->most_popped, judge->deepest, judge->late, s->codes_new, count.lies);
}

/* --- one sample ----------------------------------------------------------------------------------------- */

static __u64 cached_stacks(void)
{
	return hosted.stats.cache_full + hosted.stats.cache_partial + hosted.stats.cache_miss;
}

static void found_fault(enum fault fault, __u64 rip)
{
	count.faults[fault]++;
	if (count.undetected++ < SHOWN)
		print_fault(fault_names[fault], rip);
}

/* Whether a judge's last good stack begins with this walk's first frame. */
static bool is_of(const struct judge *j, const struct walk *w)
{
	return j->depth && same_activation(&j->good[0], &w->frames[w->depth - 1]);
}

/* Whether this stack is a judge's last good one, unchanged. */
static bool is_as_it_was(const struct judge *j, const struct walk *w)
{
	if (w->depth != j->depth)
		return false;
	for (__u32 i = 0; i < w->depth; i++)
		if (!same_activation(&j->good[i], &w->frames[w->depth - 1 - i]) ||
		    j->good[i].instr != w->frames[w->depth - 1 - i].instr)
			return false;
	return true;
}

/*
 * With --greenlets: goes on to the judge of another greenlet's stack, if the walk is of such a one. While it
 * was away its stack has not changed; one that begins has one frame. As many are believed as there are
 * judges, so stacks that lack callers find none.
 */
static enum fault change_judge(const struct walk *w)
{
	struct judge *free = NULL;

	if (!judge->depth || is_of(judge, w))
		return FAULT_NONE;
	count.switches++;
	for (int i = 0; i < JUDGES; i++) {
		if (is_of(&judges[i], w)) {
			judge = &judges[i];
			if (w->depth == 1)
				judge->depth = 0;
			return w->depth == 1 || is_as_it_was(judge, w) ? FAULT_NONE : FAULT_JUMP;
		}
		if (!judges[i].depth)
			free = &judges[i];
	}
	if (!free)
		return FAULT_JUMP;
	judge = free;
	return FAULT_NONE;
}

static bool switching; /* --greenlets */

/*
 * 3.11, 3.12: whether the leaf is none that a CFrame names, but the one at the top of the data stack. It must
 * follow from those before all the same.
 */
static bool is_by_data_stack(const struct walk *w)
{
	const struct layout *l = &hosted.layout;
	const __u64 leaf = w->frames[0].address & ~(__u64)FRAME_SINGLE;
	const __u64 numbers = stopped_word(w->frames[0].code + l->code_numbers);
	const __u64 locals = stopped_word(w->frames[0].code + l->code_numbers + 8);

	return l->has_cframe && leaf + l->frame_locals + 8 * ((__u32)numbers + (__u32)locals) ==
					stopped_word(hosted_thread()->tstate + l->tstate_chunk + 8);
}

/* The frames must be those that a plain walk finds, and follow from those before. */
static enum fault judge_whole(__u64 tstate, bool cached)
{
	struct walk *w = &hosted.scratch->walk;
	bool is_named;

	if (!instructions_are_inside(&hosted.layout, w))
		return FAULT_INSTRUCTION;
	plain_walk(&plain, &hosted.layout, plain_leaf(&hosted.layout, tstate, false));
	if (!w->depth)
		return FAULT_WALK;
	is_named = plain_agrees(&plain, w);
	if (!is_named && is_by_data_stack(w)) {
		if (switching && !is_as_it_was(judge, w))
			return FAULT_JUMP;
		plain_walk(&plain, &hosted.layout, w->frames[0].address & ~(__u64)FRAME_SINGLE);
	}
	if (!plain_agrees(&plain, w))
		return FAULT_WALK;
	count.cache_refused += !cached && !switching && is_named; /* else the cache is not asked */
	if (switching && change_judge(w))
		return FAULT_JUMP;
	return judge_frames(judge, w->frames, w->depth);
}

/*
 * Up to 3.10 throw() into a generator that delegates makes its frame the current one without linking it to
 * who called (3.9, genobject.c: _gen_throw()): what it runs then ends there, and CPython's own tracebacks do
 * so as well.
 */
static bool is_cut_by_throw(const struct walk *w)
{
	const struct layout *l = &hosted.layout;
	__u64 last = w->depth ? w->frames[w->depth - 1].address & ~(__u64)FRAME_SINGLE : 0;

	return l->frame_generator && last && stopped_word(last + l->frame_generator) &&
	       !stopped_word(last + l->frame_previous);
}

/*
 * What is shown of a stack that was refused must be callers, or end at such a generator. It may have been
 * right.
 */
static enum fault judge_refused(__u64 tstate, enum outcome outcome)
{
	const struct walk *w = &hosted.scratch->walk;
	enum fault fault =
		judge_callers(judge, w->frames, w->depth) || is_cut_by_throw(w) ? FAULT_NONE : FAULT_PART;
	struct judge copy = *judge;

	count.detected++;
	count.empty += outcome == OUTCOME_NO_FRAMES;
	count.recovered += w->depth && !fault;
	plain_walk(&plain, &hosted.layout, plain_leaf(&hosted.layout, tstate, false));
	if (plain.ended && plain.depth && !judge_frames(&copy, plain.frames, plain.depth))
		count.doubted++;
	return fault;
}

/* Leaves out three frames in the middle of the stack. */
static void tell_lie(void)
{
	const struct frame *middle = &judge->good[judge->depth / 2];

	if (judge->depth < 12 || count.instructions % LIE_EVERY)
		return;
	stopped_lie(middle->address + hosted.layout.frame_previous, middle[-4].address);
	count.lies++;
}

static bool lying; /* --lie */

static int look(__u64 rip)
{
	const __u64 mismatches = hosted.stats.cache_mismatch, stacks = cached_stacks();
	enum outcome outcome;
	enum fault fault;

	stopped_again();
	hosted_regs.sp = stepped_register(hosted_task.pid, offsetof(struct user_regs_struct, rsp));
	if (lying)
		tell_lie();
	hosted.single = count.instructions & 1;
	outcome = hosted_sample();
	if (hosted.stats.cache_mismatch != mismatches && count.cache_differences++ < SHOWN)
		print_fault("cache", rip);
	switch (outcome) {
	case OUTCOME_WHOLE:
		count.whole++;
		fault = judge_whole(hosted_thread()->tstate, cached_stacks() != stacks);
		if (fault)
			found_fault(fault, rip);
		return 0;
	case OUTCOME_INCOMPLETE:
	case OUTCOME_NO_FRAMES:
	case OUTCOME_UNREADABLE:
		fault = judge_refused(hosted_thread()->tstate, outcome);
		if (fault)
			found_fault(fault, rip);
		return 0;
	default:
		fprintf(stderr, "step: outcome %d\n", outcome);
		return -EPROTO;
	}
}

/* --- the program ---------------------------------------------------------------------------------------- */

static int step(pid_t pid, unsigned long steps)
{
	int signal = 0, r = 0;

	while (count.instructions < steps && !r) {
		signal = stepped_resume(pid, PTRACE_SINGLESTEP, signal);
		if (signal < 0)
			return signal;
		count.instructions++;
		r = look(stepped_register(pid, offsetof(struct user_regs_struct, rip)));
		if (signal == SIGTRAP)
			signal = 0;
	}
	return r;
}

int main(int argc, char **argv)
{
	char **command = argv + 1;
	unsigned long steps;
	pid_t pid = 0;
	int r;

	lying = argc > 1 && !strcmp(argv[1], "--lie");
	switching = argc > 1 && !strcmp(argv[1], "--greenlets");
	command += lying || switching;
	steps = command[0] ? strtoul(*command++, NULL, 10) : 0;
	if (!steps || !command[0]) {
		fprintf(stderr, "usage: step [--lie | --greenlets] COUNT PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	r = hosted_begin();
	if (!r)
		r = stepped_start(command, &pid);
	if (!r)
		r = stepped_introduce(pid);
	if (!r)
		r = step(pid, steps);
	if (r) {
		fprintf(stderr, "step: %s: %s, after %lu instructions\n", command[0], strerror(-r),
			count.instructions);
		return 2;
	}
	print_counts();
	return count.undetected || count.cache_differences || count.cache_refused;
}

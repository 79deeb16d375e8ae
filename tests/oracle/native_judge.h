/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_judge.h - the native frames that the sampler has found in a stopped thread, against its calls
 * (shadow.h); and what is printed of it. After merged.h.
 */
#ifndef PYPERF_TESTS_NATIVE_JUDGE_H
#define PYPERF_TESTS_NATIVE_JUDGE_H

#include <inttypes.h>

#define SHOWN	  4   /* stacks that are printed */
#define MERGED_SHOWN 30
#define TOP	  8   /* frames of a stack that are printed */
#define PLACES	  256 /* functions at which it went wrong */

static struct {
	unsigned long instructions, exact, detected, undetected, lies, lies_found;
	/* Of the samples, which end at the newest Python frame. */
	unsigned long top, top_incomplete, top_mismatch, top_wrong, top_other;
	/* Of the samples with --full. */
	unsigned long full, full_marked, full_wrong, cache_differences;
	unsigned long maps, frames;
} count;

/* Where the way to the caller was not found, or not the right one. */
static struct place {
	struct native_place at; /* the first time */
	bool detected;
	unsigned long count;
} places[PLACES];

static struct shadow shadow;
static __u32 last_end; /* enum native_end: how the way ends at the thread's first function */
static bool lying;

/* Where a frame is in the text space. */
static __u64 frame_position(const struct native_frame *f)
{
	return f->place & ((1ULL << TEXT_BITS) - 1);
}

/* --- what is printed -------------------------------------------------------------------------------- */

static void print_position(__u64 position)
{
	struct native_place p;

	if (natives_find(loaded.natives, position, &p))
		fprintf(stderr, " %s+%#" PRIx64 " (%s!%#" PRIx64 ")\n", p.name,
			(uint64_t)(p.offset - p.begin), p.path, (uint64_t)p.offset);
	else
		fprintf(stderr, " %#llx\n", (unsigned long long)position);
}

static void print_stacks(const char *what, const struct unwind *u)
{
	fprintf(stderr, "%s, after instruction %lu, at %#llx, sp %#llx, end %u, of %u frames:\n", what,
		count.instructions, (unsigned long long)hosted_regs.pc, (unsigned long long)hosted_regs.sp,
		u->end, u->depth);
	for (__u32 i = 0; i < TOP && i < u->depth; i++) {
		fprintf(stderr, "    sp %#llx", (unsigned long long)u->frames[i].sp);
		print_position(frame_position(&u->frames[i]));
	}
	fprintf(stderr, "  the calls were %u:\n", shadow.depth);
	for (__u32 i = 0; i < TOP && i < shadow.depth; i++) {
		fprintf(stderr, "    cfa %#llx returns to",
			(unsigned long long)shadow.list[shadow.depth - 1 - i].cfa);
		print_position(shadow.list[shadow.depth - 1 - i].position);
	}
}

static void print_place(const struct place *p)
{
	printf("%s %lu %s!%#" PRIx64, p->detected ? "detected" : "undetected", p->count, p->at.path,
	       (uint64_t)p->at.begin);
	printf(" %s %#" PRIx64 "\n", *p->at.name ? p->at.name : "-", (uint64_t)p->at.offset);
}

static void print_counts(void)
{
	printf("instructions %lu exact %lu detected %lu undetected %lu", count.instructions, count.exact,
	       count.detected, count.undetected);
	printf(" top %lu top_incomplete %lu top_mismatch %lu top_wrong %lu top_other %lu", count.top,
	       count.top_incomplete, count.top_mismatch, count.top_wrong, count.top_other);
	printf(" full %lu full_marked %lu full_wrong %lu cache_differences %lu", count.full,
	       count.full_marked, count.full_wrong, count.cache_differences);
	printf(" calls %lu signals %lu moved %lu deepest %u believed_least %u root %d", shadow.calls,
	       shadow.signals, shadow.moved, shadow.deepest, shadow.believed_least,
	       last_end == NATIVE_FUNCTION);
	printf(" frames %lu files %lu regions %lu maps %lu lies %lu lies_found %lu\n", count.frames,
	       loaded.files_read, loaded.regions_read, count.maps, count.lies, count.lies_found);
	for (int i = 0; i < PLACES && places[i].count; i++)
		print_place(&places[i]);
}

/* --- the judge -------------------------------------------------------------------------------------- */

/* Call number i, newest first: the one that frame number i + 1 has made. */
static const struct activation *call_at(__u32 i)
{
	return &shadow.list[shadow.depth - 1 - i];
}

/*
 * Whether frame number i is that of the calls: its place, and where its stack begins. A call that has taken
 * its return address along (shadow.h) begins its caller's stack there.
 */
static bool is_right(const struct native_frame *f, __u32 i)
{
	const struct activation *call;

	if (!i)
		return f->pc == hosted_regs.pc && f->sp == hosted_regs.sp;
	call = call_at(i - 1);
	if (f->pc != call->address || frame_position(f) != call->position)
		return false;
	return f->sp == call->cfa || (f->sp > call->cfa && i < shadow.depth && f->sp < call_at(i)->cfa &&
				      stopped_word(f->sp - 8) == call->address);
}

/* How many of the frames, leaf first, are those of the calls. */
static __u32 right_frames(const struct unwind *u, __u32 depth)
{
	__u32 i = 0;

	while (i < depth && i <= shadow.depth && is_right(&u->frames[i], i))
		i++;
	return i;
}

/* The function of frame number i, for the list of those at which it was wrong. */
static void note_place(const struct unwind *u, __u32 i, bool detected)
{
	const __u64 position = !i	     ? loaded_position(hosted_regs.pc)
			       : i < u->depth ? frame_position(&u->frames[i])
					      : 0;
	struct native_place p = { .name = "", .path = "?", .offset = position };
	int at = 0;

	natives_find(loaded.natives, position, &p);
	while (at < PLACES - 1 && places[at].count &&
	       (places[at].detected != detected || places[at].at.begin != p.begin ||
		strcmp(places[at].at.path, p.path) != 0))
		at++;
	if (!places[at].count++)
		places[at] = (struct place){ p, detected, 1 };
}

/* All frames, up to the thread's first function, which has no caller. */
static bool judge_all(const struct unwind *u)
{
	const __u32 right = right_frames(u, u->depth);

	count.frames += u->depth;
	if (u->end == last_end && u->depth == shadow.depth + 1 && right == u->depth) {
		count.exact++;
		return true;
	}
	if (u->end == NATIVE_FUNCTION) {
		if (count.undetected++ < SHOWN && !lying)
			print_stacks("wrong", u);
	} else if (count.detected++ < SHOWN && !lying) {
		print_stacks("not found", u);
	}
	/* The caller of the last right frame is the wrong one, or is missing. */
	note_place(u, right ? right - 1 : 0, u->end != NATIVE_FUNCTION);
	return false;
}

static bool is_loop(__u64 position)
{
	struct native_place p;

	return natives_find(loaded.natives, position, &p) && natives_is_loop(p.name);
}

/* Whether frame number i, of those that the calls make, is the one that runs the newest Python frame. */
static bool is_wanted(const struct unwind *u, __u32 i)
{
	__u64 sp;

	if (i > shadow.depth)
		return false;
	sp = i ? call_at(i - 1)->cfa : hosted_regs.sp;
	if (u->goal == UNWIND_LOOP)
		return is_loop(i ? call_at(i - 1)->position : loaded_position(hosted_regs.pc));
	return i < shadow.depth && sp <= u->object && u->object < call_at(i)->cfa;
}

/* The frames of the sample, which ends before the one that runs the newest Python frame. */
static void judge_top(const struct unwind *u)
{
	if (u->end == NATIVE_INCOMPLETE) {
		count.top_incomplete++;
		return;
	}
	if (u->end == NATIVE_MISMATCH) {
		if (count.top_mismatch++ < SHOWN)
			print_stacks("mismatch", u);
		return;
	}
	if ((u->goal != UNWIND_ADDRESS && u->goal != UNWIND_LOOP) ||
	    (u->end != NATIVE_FUNCTION && u->end != NATIVE_PYTHON)) {
		count.top_other++;
		return;
	}
	count.top++;
	/* Each frame that is shown has a caller, which is shown, too, or is the loop. */
	if (right_frames(u, u->depth) == u->depth && is_wanted(u, u->depth))
		return;
	if (count.top_wrong++ < SHOWN && !lying)
		print_stacks("not the newest Python frame's", u);
}

static void print_merged(const struct merged *m, __u32 node)
{
	fprintf(stderr, "merged, after instruction %lu, at %#llx\n  expected, of %u frames:\n",
		count.instructions, (unsigned long long)hosted_regs.pc, m->count);
	for (__u32 i = 0; i < m->count && i < MERGED_SHOWN; i++) {
		fprintf(stderr, "    %s", m->list[i].native ? "native" : "Python");
		print_position(m->list[i].what);
	}
	fprintf(stderr, "  found:\n");
	if (!node)
		return;
	for (__u32 parent; (parent = node_parent(hosted.nodes[node].key)) != 0; node = parent) {
		const __u64 key = hosted.nodes[node].key;

		fprintf(stderr, "    %s", node_is_native(key) ? "native" : "Python");
		print_position(node_is_native(key) ? node_position(key) :
						     hosted.codes[node_code(key)].key << 20 >> 17);
	}
}

/* The whole stack of the sample, with --native full. */
static void judge_full(__u32 node, enum outcome outcome)
{
	static struct merged m;
	bool marked;

	m.shadow = &shadow;
	m.pc = hosted_regs.pc;
	m.sp = hosted_regs.sp;
	merged_make(&m, &hosted.layout, hosted_thread()->tstate);
	if (merged_is_path(&m, node, &marked)) {
		count.full++;
	} else if (marked || outcome != OUTCOME_WHOLE) {
		count.full_marked++;
	} else if (count.full_wrong++ < SHOWN && !lying) {
		print_merged(&m, node);
	}
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * judge.h - what the sampler says of a stopped thread, against what can be known without it: a walk of one
 * read for each field, and the last stack that was right. Between two machine instructions a program calls or
 * returns, but never both, and only the frame that was or is the leaf goes on to another instruction: a stack
 * that was put together from a half-linked chain breaks that. After hosted.h.
 */
#ifndef PYPERF_TESTS_JUDGE_H
#define PYPERF_TESTS_JUDGE_H

#define JUDGE_MOST 4 /* frames that one store may push or pop: __init__ comes with the interpreter's helper */

#define JUDGE_CACHES 10 /* code units of the longest instruction that calls, its caches included */

enum fault {
	FAULT_NONE,
	FAULT_JUMP,	   /* not a call or return from the last good stack */
	FAULT_PART,	   /* frames of an incomplete stack that are not callers in the last good one */
	FAULT_CALLER,	   /* a caller that waits has moved */
	FAULT_INSTRUCTION, /* an instruction outside of its bytecode */
	FAULT_WALK,	   /* frames that a plain walk does not find */
	FAULTS
};

static const char *const fault_names[FAULTS] = {
	[FAULT_JUMP] = "jump",
	[FAULT_PART] = "part",
	[FAULT_CALLER] = "caller",
	[FAULT_INSTRUCTION] = "instruction",
	[FAULT_WALK] = "walk",
};

/* --- a walk without any cleverness ---------------------------------------------------------------------- */

struct plain {
	struct frame frames[DEPTH_LIMIT]; /* leaf first, without shims */
	__u32 depth;
	bool ended; /* at a NULL */
};

static inline __u64 plain_instr(const struct layout *l, __u64 frame)
{
	return l->frame_lasti ? (__u32)stopped_word(frame + l->frame_instr)
			      : stopped_word(frame + l->frame_instr);
}

static inline void plain_walk(struct plain *p, const struct layout *l, __u64 frame)
{
	__u8 owner = 0;

	p->depth = 0;
	for (__u32 i = 0; i < 2 * DEPTH_LIMIT && mem_plausible(frame) && p->depth < DEPTH_LIMIT; i++) {
		__u64 code = stopped_word(frame + l->frame_code) & ~(__u64)l->pointer_tag;

		if (!l->frame_lasti)
			mem_read(&owner, 1, frame + l->frame_owner);
		if (owner < l->owner_shim)
			p->frames[p->depth++] = (struct frame){ frame, code, plain_instr(l, frame) };
		frame = stopped_word(frame + l->frame_previous);
	}
	p->ended = !frame;
}

static inline bool plain_agrees(const struct plain *p, const struct walk *w)
{
	return p->depth == w->depth && !memcmp(p->frames, w->frames, w->depth * sizeof(w->frames[0]));
}

/* The frame that the thread state names, and in 3.11 and 3.12 the one that the CFrame before names. */
static inline __u64 plain_leaf(const struct layout *l, __u64 tstate, bool older)
{
	__u64 at = stopped_word(tstate + l->tstate_frame);

	if (!l->has_cframe)
		return at;
	if (older)
		at = stopped_word(at + l->cframe_previous);
	return stopped_word(at + l->cframe_frame);
}

/* --- bytecode ------------------------------------------------------------------------------------------- */

#define VERSION(major, minor) ((major) << 24 | (minor) << 16)

/*
 * Bytes of a code object's bytecode. PyVarObject.ob_size 3.11+; before, the size of the bytes object in
 * co_code.
 */
static inline __u64 code_bytes(const struct layout *l, __u64 code)
{
	if (l->version >= VERSION(3, 11))
		return 2 * stopped_word(code + (l->free_threaded ? 32 : 16));
	if (l->version >= VERSION(3, 8))
		code += 48;
	else
		code += l->version >= VERSION(3, 6) ? 40 : 32;
	return stopped_word(stopped_word(code) + l->bytes_size);
}

/*
 * 3.12 links an entry frame before it writes who owns it. What the sampler then takes for a frame it does not
 * show.
 */
static inline bool is_trampoline(const struct layout *l, __u64 code)
{
	char file[8] = "";

	mem_read(file, sizeof(file), stopped_word(code + l->code_filename) + l->str_ascii);
	return !memcmp(file, "<shim>", 7);
}

/*
 * Before its first instruction a frame's last one is just before them: up to 3.12, which keep the last one.
 */
static inline bool instruction_is_inside(const struct layout *l, struct frame *f)
{
	const __u64 offset = instr_offset(hosted.scratch, l, f), begin = l->version < VERSION(3, 13) ? 0 : 2;

	if (l->frame_lasti && (__s32)f->instr == -1)
		return true;
	if (l->version < VERSION(3, 6)) /* instructions of one and of three bytes */
		return f->instr < code_bytes(l, f->code);
	return offset >= begin && offset < code_bytes(l, f->code) + 2 && !(offset & 1);
}

static inline bool instructions_are_inside(const struct layout *l, struct walk *w)
{
	for (__u32 i = 0; i < w->depth; i++)
		if (!instruction_is_inside(l, &w->frames[i]) && !is_trampoline(l, w->frames[i].code))
			return false;
	return true;
}

/* --- the last good stack -------------------------------------------------------------------------------- */

struct judge {
	struct frame good[DEPTH_LIMIT]; /* root first */
	__u32 depth;
	__u32 most_pushed, most_popped, deepest, late;
};

static inline bool same_activation(const struct frame *a, const struct frame *b)
{
	return a->address == b->address && a->code == b->code;
}

/*
 * Up to 3.12 the compiler may put the store by which a caller steps over the caches of its CALL after the one
 * that makes the callee the leaf. It is the same instruction of the program.
 */
static inline bool judge_late(struct judge *j, const struct frame *frames, __u32 depth, __u32 at)
{
	__u64 moved = frames[depth - 1 - at].instr - j->good[at].instr;

	if (at + 2 != depth || depth != j->depth || moved > 2 * JUDGE_CACHES)
		return false;
	j->late++;
	return true;
}

/* Frames, leaf first, against the last good stack. */
static inline enum fault judge_follows(struct judge *j, const struct frame *frames, __u32 depth)
{
	__u32 same = 0, popped, pushed;

	while (same < j->depth && same < depth && same_activation(&j->good[same], &frames[depth - 1 - same]))
		same++;
	popped = j->depth - same;
	pushed = depth - same;
	if ((popped && pushed) || popped > JUDGE_MOST || pushed > JUDGE_MOST)
		return FAULT_JUMP;
	for (__u32 i = 0; i + 1 < same; i++)
		if (j->good[i].instr != frames[depth - 1 - i].instr && !judge_late(j, frames, depth, i))
			return FAULT_CALLER;
	if (popped > j->most_popped)
		j->most_popped = popped;
	if (pushed > j->most_pushed)
		j->most_pushed = pushed;
	return FAULT_NONE;
}

static inline void judge_remember(struct judge *j, const struct frame *frames, __u32 depth)
{
	j->depth = depth;
	for (__u32 i = 0; i < depth; i++)
		j->good[i] = frames[depth - 1 - i];
	if (depth > j->deepest)
		j->deepest = depth;
}

/*
 * The frames that the thread state leads to. The first stack of all is believed; when two do not agree, which
 * of them is wrong cannot be known, so it goes on from the newer one.
 */
static inline enum fault judge_frames(struct judge *j, const struct frame *frames, __u32 depth)
{
	enum fault fault = FAULT_NONE;

	if (j->depth)
		fault = judge_follows(j, frames, depth);
	judge_remember(j, frames, depth);
	return fault;
}

/* Whether these frames are callers in the last good stack. */
static inline bool judge_callers(const struct judge *j, const struct frame *frames, __u32 depth)
{
	__u32 same = 0;

	while (same < j->depth && same < depth && same_activation(&j->good[same], &frames[depth - 1 - same]))
		same++;
	return same == depth;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merged.h - the stack that --native full is to show of a stopped thread, from what can be known without
 * the sampler: its calls (shadow.h), and its Python frames by one read for each field. A native frame that
 * has the object of an activation of the interpreter's loop in its stack stands for the Python frames of that
 * activation; up to 3.10 there are no objects, so the loop is known by its name. After judge.h.
 */
#ifndef PYPERF_TESTS_MERGED_H
#define PYPERF_TESTS_MERGED_H

#define MERGED_FRAMES 8192

struct merged_frame {
	bool native;
	__u64 what; /* position, or address of the code object */
};

struct merged {
	struct merged_frame list[MERGED_FRAMES]; /* leaf first */
	__u32 count;
	/* While it is made: */
	const struct shadow *shadow;
	__u64 pc, sp; /* of the thread */
	__u32 native; /* frame at hand, leaf first */
	bool top;     /* there was no activation yet */
};

static inline void merged_add(struct merged *m, bool native, __u64 what)
{
	if (m->count < MERGED_FRAMES)
		m->list[m->count++] = (struct merged_frame){ native, what };
}

/* Native frame number i, leaf first, as the calls have it; the oldest is number shadow->depth. */
static inline const struct activation *merged_call(const struct merged *m, __u32 i)
{
	return &m->shadow->list[m->shadow->depth - i];
}

static inline __u64 merged_address(const struct merged *m, __u32 i)
{
	return i ? merged_call(m, i)->address - !merged_call(m, i)->signal : m->pc;
}

static inline __u64 merged_sp(const struct merged *m, __u32 i)
{
	return i ? merged_call(m, i)->cfa : m->sp;
}

/* Where the function begins that a position is in, in the text space. */
static inline __u64 merged_function(__u64 position)
{
	struct native_place p;

	if (position < TEXT_FILES)
		return position < TEXT_JIT ? TEXT_VDSO : TEXT_JIT;
	if (!natives_find(loaded.natives, position, &p))
		return position;
	return position - (p.offset - p.begin);
}

static inline bool merged_is_loop(const struct merged *m, __u32 i)
{
	struct native_place p;

	return natives_find(loaded.natives, loaded_position(merged_address(m, i)), &p) &&
	       natives_is_loop(p.name);
}

/* Whether native frame number i is the one of the activation with this object; 0: the next of the loop. */
static inline bool merged_is_activation(const struct merged *m, __u32 i, __u64 object)
{
	if (!object)
		return merged_is_loop(m, i);
	return merged_sp(m, i) <= object && (i == m->shadow->depth || object < merged_sp(m, i + 1));
}

static inline void merged_add_native(struct merged *m, __u32 i)
{
	const __u64 address = merged_address(m, i), position = loaded_position(address);

	if (m->top || !loaded_is_interpreter(address))
		merged_add(m, true, i ? position : merged_function(position));
}

/* Adds the native frames before an activation. False if there is no such one. */
static inline bool merged_enter(struct merged *m, __u64 object)
{
	__u32 i = m->native;

	while (i <= m->shadow->depth && !merged_is_activation(m, i, object))
		i++;
	if (i > m->shadow->depth)
		return false;
	for (; m->native < i; m->native++)
		merged_add_native(m, m->native);
	m->native++;
	m->top = false;
	return true;
}

/* --- Python frames, with where they were entered from C --------------------------------------------- */

struct merged_segment {
	__u64 codes[DEPTH_LIMIT]; /* leaf first */
	__u32 count;
	__u64 object;
};

static inline bool merged_byte(__u64 address)
{
	__u8 byte = 0;

	mem_read(&byte, 1, address);
	return byte;
}

/*
 * Reads the frames of one activation, from *frame on, which then is the oldest one's caller. False at the
 * end. *cframe: of the activation (3.11).
 */
static inline bool merged_read(const struct layout *l, __u64 *frame, __u64 *cframe, struct merged_segment *s)
{
	s->count = 0;
	while (mem_plausible(*frame) && s->count < DEPTH_LIMIT) {
		const __u64 at = *frame;
		__u8 owner = 0;

		*frame = stopped_word(at + l->frame_previous);
		if (!l->frame_lasti)
			mem_read(&owner, 1, at + l->frame_owner);
		if (l->root_rule != ROOT_NULL && l->root_rule != ROOT_ENTRY && owner >= l->owner_shim) {
			s->object = at;
			return true;
		}
		s->codes[s->count++] = stopped_word(at + l->frame_code) & ~(__u64)l->pointer_tag;
		s->object = 0;
		if (l->root_rule == ROOT_NULL)
			return true;
		if (l->root_rule == ROOT_ENTRY && merged_byte(at + l->frame_is_entry)) {
			s->object = *cframe;
			*cframe = stopped_word(*cframe + l->cframe_previous);
			return true;
		}
	}
	return false;
}

static inline __u32 merged_activations(const struct layout *l, __u64 frame)
{
	static struct merged_segment s;
	__u64 cframe = 0;
	__u32 count = 0;

	while (merged_read(l, &frame, &cframe, &s))
		count++;
	return count;
}

/* Up to 3.10: whether the newest activation of the loop has no frame yet, or none any more. */
static inline bool merged_has_spare(const struct merged *m, const struct layout *l, __u64 frame)
{
	__u32 loops = 0;

	for (__u32 i = 0; i <= m->shadow->depth; i++)
		loops += merged_is_loop(m, i);
	return loops > merged_activations(l, frame);
}

/*
 * Whether it is code that the interpreter has for a frame of its own: the one behind __init__() (3.13), whose
 * names are one string, or the one from C (3.12), before its owner is written.
 */
static inline bool merged_is_hidden(const struct layout *l, __u64 code)
{
	const __u64 name = stopped_word(code + l->code_name);

	return is_trampoline(l, code) || (name == stopped_word(code + l->code_filename) &&
					  !(__u32)stopped_word(code + l->code_first_line));
}

/* The frames from the leaf to the oldest Python frame. pc, sp and shadow are set. */
static inline void merged_make(struct merged *m, const struct layout *l, __u64 tstate)
{
	__u64 frame = plain_leaf(l, tstate, false), cframe = stopped_word(tstate + l->tstate_frame);
	static struct merged_segment s;

	m->count = m->native = 0;
	m->top = true;
	if (l->root_rule == ROOT_NULL && merged_has_spare(m, l, frame)) {
		while (!merged_is_loop(m, m->native))
			merged_add_native(m, m->native++);
		merged_add_native(m, m->native++);
	}
	/* 3.15: the oldest shim is in no native frame, and no Python frame is above it. */
	while (merged_read(l, &frame, &cframe, &s) && (merged_enter(m, s.object) || s.count))
		for (__u32 i = 0; i < s.count; i++)
			if (!merged_is_hidden(l, s.codes[i]))
				merged_add(m, false, s.codes[i]);
}

/* --- the sampler's ---------------------------------------------------------------------------------- */

/* Whether the path from a node to the root is this. *marked: it has a marker. */
static inline bool merged_is_path(const struct merged *m, __u32 node, bool *marked)
{
	bool same = true;
	__u32 i = 0;

	*marked = false;
	if (!node)
		return false;
	for (__u32 parent; (parent = node_parent(hosted.nodes[node].key)) != 0; node = parent) {
		const __u64 key = hosted.nodes[node].key;
		const struct merged_frame *f = &m->list[i < m->count ? i : 0];
		const __u64 code = hosted.codes[node_is_native(key) ? 0 : node_code(key)].key;

		*marked |= node_is_native(key) ? node_position(key) < NATIVE_ENDS :
						 node_code(key) < CODE_FIRST;
		same &= i++ < m->count && f->native == (bool)node_is_native(key) &&
			f->what == (f->native ? node_position(key) : (code & ((1ULL << 44) - 1)) << 3);
	}
	return same && i == m->count;
}

#endif

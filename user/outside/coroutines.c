// SPDX-License-Identifier: GPL-2.0-only
#include "outside/coroutines.h"

#include <string.h>

#include "python/target_walk.h"

#define STACK_READ   96 /* bytes behind the frame: local variables, and mostly what it has on its stack */
#define WRAPPERS_MAX 8 /* that stand between two coroutines; 2 are usual for async generators */

/* A generator of any kind as it is read at once: its own fields, and the frame behind them. */
struct generator {
	__u64 address;
	__u8 bytes[OBJECT_FIELD_MAX + FRAME_READ + STACK_READ];
	size_t size; /* bytes that were there */
};

static __u64 word_at(const __u8 *bytes, size_t offset)
{
	__u64 value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static void take_frame(const struct layout *l, __u64 address, const __u8 *bytes, struct chain_frame *ret)
{
	ret->address = address;
	ret->code = word_at(bytes, l->frame_code) & ~(__u64)l->pointer_tag;
	ret->instr = word_at(bytes, l->frame_instr);
	ret->stack = 0;
}

/* --- suspended ------------------------------------------------------------------------------------------ */

/* Reads any object, and says what it is. */
static int read_object(struct task_reader *r, __u64 address, struct generator *g, enum task_reader_kind *ret)
{
	const size_t type = r->at.objects.object_type;
	ssize_t n;

	if (!mem_plausible(address))
		return -EBADMSG;
	n = task_reader_read_some(r, address, g->bytes, r->at.objects.gen_frame + FRAME_READ + STACK_READ);
	if (n < 0)
		return (int)n;
	if ((size_t)n < type + 2 * sizeof(__u64))
		return -EBADMSG;
	g->address = address;
	g->size = (size_t)n;
	*ret = task_reader_kind(r, word_at(g->bytes, type));
	return 0;
}

/* From an object that is awaited to the coroutine that it is, or that it wraps. -ENOENT if there is none. */
static int find_coroutine(struct task_reader *r, __u64 address, struct generator *g)
{
	/* The wrapped object is the first field behind the wrapper's header, which ends with its type. */
	const size_t first = r->at.objects.object_type + sizeof(__u64);

	for (int i = 0; i < WRAPPERS_MAX; i++) {
		enum task_reader_kind kind = READER_OTHER;
		int err = read_object(r, address, g, &kind);

		if (err)
			return err == -EFAULT || err == -EBADMSG ? -ENOENT : err;
		if (kind == READER_COROUTINE)
			return g->size < r->at.objects.gen_frame + (size_t)FRAME_READ ? -ENOENT : 0;
		if (kind != READER_WRAPPER)
			return -ENOENT;
		address = task_reader_pointer(g->bytes, first);
	}
	return -ENOENT;
}

static bool is_met(const struct chain *c, __u64 frame)
{
	for (__u32 i = 0; i < c->count; i++)
		if (c->frames[i].address == frame)
			return true;
	return false;
}

/* Adds the coroutine's frame. 1: it awaits something; 0: the chain ends here, c->end says how; -EBADMSG. */
static int add_coroutine(struct task_reader *r, const struct generator *g, struct chain *c)
{
	const struct coroutine_states *s = &r->at.states;
	const __s8 state = (__s8)g->bytes[r->at.objects.gen_state];
	const __u8 *bytes = g->bytes + r->at.objects.gen_frame;
	const __u64 address = g->address + r->at.objects.gen_frame;
	const bool awaits = state == s->awaiting[0] || state == s->awaiting[1];
	struct chain_frame *f = &c->frames[c->count];

	c->end = CHAIN_ENDED;
	if (!awaits && state != s->created && state != s->executing && state != s->suspended)
		return 0;
	c->end = CHAIN_LONG;
	if (c->count == CHAIN_MAX || is_met(c, address))
		return 0;
	take_frame(r->layout, address, bytes, f);
	f->stack = task_reader_pointer(bytes, r->at.objects.frame_stack);
	if (bytes[r->layout->frame_owner] != r->layout->owner_generator || !mem_plausible(f->code))
		return -EBADMSG;
	c->count++;
	c->end = state == s->executing ? CHAIN_RUNS : state == s->created ? CHAIN_CREATED : CHAIN_WAITS;
	return awaits && mem_plausible(f->stack);
}

/* The awaited object is on the coroutine's stack, which was mostly read with it. */
static int read_awaited(struct task_reader *r, const struct generator *g, __u64 stack, __u64 *ret)
{
	const __u64 address = stack - sizeof(__u64) * r->at.states.awaited;
	int err = 0;

	if (address >= g->address && address - g->address <= g->size - sizeof(__u64))
		*ret = word_at(g->bytes, address - g->address);
	else
		err = task_reader_read(r, address, ret, sizeof(*ret));
	*ret &= ~7ULL;
	return err;
}

int chain_read(struct task_reader *r, __u64 coroutine, struct chain *ret)
{
	struct generator g;
	int err;

	ret->count = 0;
	ret->end = CHAIN_ENDED;
	if (!coroutine)
		return 0;
	if (r->at.objects.frame_stack > FRAME_READ - sizeof(__u64))
		return -EBADMSG;
	err = find_coroutine(r, coroutine, &g);
	if (err)
		return err == -ENOENT ? -EBADMSG : err;
	while ((err = add_coroutine(r, &g, ret)) > 0) {
		const struct chain_frame *f = &ret->frames[ret->count - 1];
		__u64 awaited;

		err = read_awaited(r, &g, f->stack, &awaited) ?: find_coroutine(r, awaited, &g);
		if (err)
			return err == -ENOENT ? 0 : err;
	}
	/* An inner one may have ended, or not have begun. The task then waits all the same. */
	if ((ret->count && ret->end == CHAIN_ENDED) || (ret->count > 1 && ret->end == CHAIN_CREATED))
		ret->end = CHAIN_WAITS;
	return err;
}

/* --- running -------------------------------------------------------------------------------------------- */

static void reverse(struct chain *c)
{
	for (__u32 i = 0; i < c->count / 2; i++) {
		const struct chain_frame f = c->frames[i];

		c->frames[i] = c->frames[c->count - 1 - i];
		c->frames[c->count - 1 - i] = f;
	}
}

int chain_read_running(struct task_reader *r, __u64 tstate, __u64 coroutine, struct chain *ret)
{
	const struct layout *l = r->layout;
	const __u64 last = coroutine + r->at.objects.gen_frame;
	__u8 bytes[FRAME_READ_MAX];
	__u64 next;
	int err = task_reader_read(r, tstate + l->tstate_frame, &next, sizeof(next));

	ret->count = 0;
	ret->end = CHAIN_RUNS;
	for (__u32 i = 0; i < CHAIN_MAX && !err; i++) {
		const __u64 address = next;

		if (!mem_plausible(address) || l->frame_size > FRAME_READ_MAX)
			return -EBADMSG;
		err = task_reader_read(r, address, bytes, l->frame_size);
		if (err)
			break;
		next = word_at(bytes, l->frame_previous);
		if (bytes[l->frame_owner] >= l->owner_shim)
			continue;
		take_frame(l, address, bytes, &ret->frames[ret->count++]);
		if (address == last) {
			reverse(ret);
			return 0;
		}
	}
	return err ?: -EBADMSG;
}

/* --- both ----------------------------------------------------------------------------------------------- */

bool chain_equal(const struct chain *a, const struct chain *b)
{
	return a->end == b->end && a->count == b->count &&
	       !memcmp(a->frames, b->frames, a->count * sizeof(a->frames[0]));
}

__u32 chain_instruction(const struct task_reader *r, const struct chain_frame *f)
{
	const struct frame frame = { .address = f->address, .code = f->code, .instr = f->instr };

	target = r->memory;
	return target_instruction(r->layout, &frame);
}

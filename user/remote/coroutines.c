// SPDX-License-Identifier: GPL-2.0-only
#include "remote/coroutines.h"

#include <errno.h>
#include <string.h>

#include "python/target_walk.h"
#include "remote/generator.h"

static void take_frame(const struct layout *l, __u64 address, const __u8 *bytes, struct chain_frame *ret)
{
	ret->address = address;
	ret->code = objects_word(bytes, l->frame_code) & ~(__u64)l->pointer_tag;
	ret->instr = objects_word(bytes, l->frame_instr);
	if (l->frame_lasti)
		ret->instr = (__u32)ret->instr;
	ret->stack = 0;
}

/* --- suspended ------------------------------------------------------------------------------------------ */

static bool is_met(const struct chain *c, __u64 frame)
{
	for (__u32 i = 0; i < c->count; i++)
		if (c->frames[i].address == frame)
			return true;
	return false;
}

/* Adds the coroutine's frame. 1: it awaits something; 0: the chain ends here, as c->end says; or an error. */
static int add_coroutine(struct task_reader *r, struct generator *g, struct chain *c)
{
	static const __u32 ends[] = {
		[GENERATOR_CREATED] = CHAIN_CREATED, [GENERATOR_RUNS] = CHAIN_RUNS,
		[GENERATOR_WAITS] = CHAIN_WAITS, [GENERATOR_ENDED] = CHAIN_ENDED,
	};
	int err = generator_parse(r, g);

	c->end = CHAIN_ENDED;
	if (err || g->state == GENERATOR_ENDED)
		return err;
	c->end = CHAIN_LONG;
	if (c->count == CHAIN_MAX || is_met(c, g->frame))
		return 0;
	c->frames[c->count++] = (struct chain_frame){ g->frame, g->code, g->instr, g->stack };
	c->end = ends[g->state];
	return g->awaited != 0;
}

/* From a coroutine to the one that it awaits. -ENOENT: it is none, or it only waits to be asked for more. */
static int go_on(struct task_reader *r, struct generator *g)
{
	struct generator next;
	__u64 awaited;
	int err = generator_awaited(r, g, &awaited) ?: generator_find(r, awaited, &next);

	err = err ?: generator_is_in_await(r, g);
	if (!err)
		*g = next;
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
	if (!r->at.facts && r->at.objects.frame_stack > FRAME_READ - sizeof(__u64))
		return -EBADMSG;
	err = generator_find(r, coroutine, &g);
	if (err)
		return err == -ENOENT ? -EBADMSG : err;
	while ((err = add_coroutine(r, &g, ret)) > 0) {
		err = go_on(r, &g);
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
	const __u64 last = generator_frame(r, coroutine);
	__u8 bytes[FRAME_READ_MAX];
	__u64 next;
	int err = task_reader_read(r, tstate + l->tstate_frame, &next, sizeof(next));

	if (!err && l->has_cframe)
		err = task_reader_read(r, next + l->cframe_frame, &next, sizeof(next));
	ret->count = 0;
	ret->end = CHAIN_RUNS;
	for (__u32 i = 0; i < CHAIN_MAX && !err; i++) {
		const __u64 address = next;

		if (!mem_plausible(address) || l->frame_size > FRAME_READ_MAX)
			return -EBADMSG;
		err = task_reader_read(r, address, bytes, l->frame_size);
		if (err)
			break;
		next = objects_word(bytes, l->frame_previous);
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

	target_memory_choose(r->memory);
	return target_instruction(r->layout, &frame);
}

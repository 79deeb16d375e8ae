// SPDX-License-Identifier: GPL-2.0-only
#include "remote/generator.h"

#include <errno.h>
#include <string.h>

#include "python/target_walk.h"

#define WRAPPERS_MAX 8 /* that stand between two coroutines; 2 are usual for async generators */
#define VERSION_3_10 0x030a0000
#define VERSION_3_11 0x030b0000
#define VERSION_3_12 0x030c0000
#define VERSION_3_13 0x030d0000

static __s32 int_at(const __u8 *bytes, size_t offset)
{
	return (__s32)objects_word(bytes, offset);
}

/* Up to 3.10 the frame is an object of its own. */
static bool has_frame_object(const struct task_reader *r)
{
	return r->at.facts && r->at.facts->frame_object;
}

size_t generator_bytes(const struct task_reader *r)
{
	return r->at.objects.gen_frame + FRAME_READ + GENERATOR_STACK;
}

__u64 generator_frame_object(const struct task_reader *r, const struct generator *g)
{
	return has_frame_object(r) ? objects_word(g->bytes, r->at.objects.gen_frame) : 0;
}

/* --- found ---------------------------------------------------------------------------------------------- */

/* Reads any object, and says what it is. */
static int read_object(struct task_reader *r, __u64 address, struct generator *g, enum task_reader_kind *ret)
{
	const size_t type = r->at.objects.object_type;
	ssize_t n;

	if (!mem_plausible(address))
		return -EBADMSG;
	n = task_reader_read_some(r, address, g->bytes, generator_bytes(r));
	if (n < 0)
		return (int)n;
	if ((size_t)n < type + 2 * sizeof(__u64))
		return -EBADMSG;
	g->address = address;
	g->size = (size_t)n;
	*ret = task_reader_kind(r, objects_word(g->bytes, type));
	return 0;
}

int generator_find(struct task_reader *r, __u64 address, struct generator *ret)
{
	/* The wrapped object is the first field behind the wrapper's header, which ends with its type. */
	const size_t first = r->at.objects.object_type + sizeof(__u64);
	const size_t frame = has_frame_object(r) ? sizeof(__u64) : FRAME_READ;

	for (int i = 0; i < WRAPPERS_MAX; i++) {
		enum task_reader_kind kind = READER_OTHER;
		int err = read_object(r, address, ret, &kind);

		if (err)
			return err == -EFAULT || err == -EBADMSG ? -ENOENT : err;
		if (kind == READER_COROUTINE)
			return ret->size < r->at.objects.gen_frame + frame ? -ENOENT : 0;
		if (kind != READER_WRAPPER)
			return -ENOENT;
		address = task_reader_pointer(ret->bytes, first);
	}
	return -ENOENT;
}

/* --- a frame of its own --------------------------------------------------------------------------------- */

static enum generator_state state_of_object(const struct task_reader *r, const __u8 *frame)
{
	const __s8 state = (__s8)frame[r->at.facts->frame_state];

	if (r->layout->version >= VERSION_3_10) /* Include/internal/pycore_frame.h: enum _framestate */
		return state == -2 ? GENERATOR_CREATED : state == -1 ? GENERATOR_WAITS :
		       state == 0 ? GENERATOR_RUNS : GENERATOR_ENDED;
	if (int_at(frame, r->layout->frame_instr) == -1)
		return GENERATOR_CREATED;
	return state ? GENERATOR_RUNS : GENERATOR_WAITS;
}

static __u64 stack_of_object(const struct task_reader *r, const __u8 *frame)
{
	const struct task_facts *f = r->at.facts;
	const __u64 begin = objects_word(frame, f->frame_stack);
	const __s32 depth = int_at(frame, f->frame_top);
	__u64 end = objects_word(frame, f->frame_top);

	if (r->layout->version >= VERSION_3_10)
		end = depth > 0 ? begin + 8 * (__u64)depth : begin;
	return mem_plausible(begin) && end > begin && end - begin <= 8 * FRAME_WORDS ? end : 0;
}

static int parse_object(struct task_reader *r, struct generator *g)
{
	const struct layout *l = r->layout;
	const __u8 *frame = g->object;
	ssize_t n;

	g->frame = objects_word(g->bytes, r->at.objects.gen_frame);
	g->state = GENERATOR_ENDED;
	if (!g->frame)
		return 0;
	if (!mem_plausible(g->frame) || l->frame_size > FRAME_READ_MAX)
		return -EBADMSG;
	n = task_reader_read_some(r, g->frame, g->object, sizeof(g->object));
	if (n < 0 || n < l->frame_size)
		return n < 0 ? (int)n : -EFAULT;
	g->object_size = (size_t)n;
	if (objects_word(frame, l->frame_generator) != g->address)
		return -EBADMSG;
	g->state = state_of_object(r, frame);
	g->code = objects_word(frame, l->frame_code);
	g->instr = (__u32)int_at(frame, l->frame_instr);
	g->stack = g->state == GENERATOR_WAITS ? stack_of_object(r, frame) : 0;
	g->awaited = g->stack ? g->stack - sizeof(__u64) : 0;
	return 0;
}

/* --- a frame in it -------------------------------------------------------------------------------------- */

/* From 3.14 on a frame has the address of its stack's end, before that how many words lie below. */
static __u64 stack_of_frame(const struct task_reader *r, const struct generator *g, const __u8 *frame)
{
	const __u64 word = task_reader_pointer(frame, r->at.objects.frame_stack);
	__s32 words;

	if (!r->at.facts)
		return mem_plausible(word) ? word : 0;
	words = int_at(frame, r->at.facts->frame_top);
	return words > 0 && words <= FRAME_WORDS ? g->frame + r->at.facts->frame_stack + 8 * (__u64)words : 0;
}

static int parse_frame(struct task_reader *r, struct generator *g)
{
	const struct coroutine_states *s = &r->at.states;
	const struct layout *l = r->layout;
	const __s8 state = (__s8)g->bytes[r->at.objects.gen_state];
	const __u8 *frame = g->bytes + r->at.objects.gen_frame;
	const bool awaits = state == s->awaiting[0] || state == s->awaiting[1];

	g->state = state == s->executing ? GENERATOR_RUNS : state == s->created ? GENERATOR_CREATED :
		   awaits || state == s->suspended ? GENERATOR_WAITS : GENERATOR_ENDED;
	if (g->state == GENERATOR_ENDED)
		return 0;
	g->frame = g->address + r->at.objects.gen_frame;
	g->code = objects_word(frame, l->frame_code) & ~(__u64)l->pointer_tag;
	g->instr = objects_word(frame, l->frame_instr);
	g->stack = stack_of_frame(r, g, frame);
	g->awaited = awaits && g->stack ? g->stack - sizeof(__u64) * s->awaited : 0;
	return frame[l->frame_owner] == l->owner_generator ? 0 : -EBADMSG;
}

/* --- both ----------------------------------------------------------------------------------------------- */

int generator_parse(struct task_reader *r, struct generator *g)
{
	int err;

	g->frame = g->code = g->instr = g->stack = g->awaited = 0;
	g->object_size = 0;
	err = has_frame_object(r) ? parse_object(r, g) : parse_frame(r, g);
	return err ?: g->state != GENERATOR_ENDED && !mem_plausible(g->code) ? -EBADMSG : 0;
}

/* The awaited object is on the coroutine's stack, which was mostly read with it. */
int generator_awaited(struct task_reader *r, const struct generator *g, __u64 *ret)
{
	int err = 0;

	if (!g->awaited)
		return -ENOENT;
	if (g->awaited >= g->address && g->awaited - g->address <= g->size - sizeof(__u64))
		*ret = objects_word(g->bytes, g->awaited - g->address);
	else if (g->object_size && g->awaited >= g->frame &&
		 g->awaited - g->frame <= g->object_size - sizeof(__u64))
		*ret = objects_word(g->object, g->awaited - g->frame);
	else
		err = task_reader_read(r, g->awaited, ret, sizeof(*ret));
	*ret &= ~7ULL;
	return err;
}

/* The instruction behind the one at which it stands is then YIELD_FROM, which is done again and again. */
static int is_in_yield_from(struct task_reader *r, const struct generator *g)
{
	const unsigned int shift = r->layout->lasti_shift;
	__u64 code = 0;
	__u8 opcode = 0;
	int err = task_reader_read(r, g->code + CODE_CO_CODE, &code, sizeof(code));

	if (err)
		return err;
	err = task_reader_read(r, code + r->layout->bytes_data + ((g->instr & 0x7fffffff) << (shift & 1)) + 2,
			       &opcode, sizeof(opcode));
	return err ?: opcode == OPCODE_YIELD_FROM ? 0 : -ENOENT;
}

/* The next instruction says how it was left: by a `yield`, or in an `await`. */
static int is_before_resume(struct task_reader *r, const struct generator *g)
{
	__u8 unit[2] = { 0 };
	int err = task_reader_read(r, g->instr + 2, unit, sizeof(unit));

	if (err)
		return err;
	return tasks_resumes_await(unit, r->layout->version < VERSION_3_12) ? 0 : -ENOENT;
}

int generator_is_in_await(struct task_reader *r, const struct generator *g)
{
	if (!r->at.facts || r->layout->version >= VERSION_3_13)
		return 0;
	return r->layout->version >= VERSION_3_11 ? is_before_resume(r, g) : is_in_yield_from(r, g);
}

__u64 generator_frame(struct task_reader *r, __u64 address)
{
	__u64 frame;

	if (!has_frame_object(r))
		return address + r->at.objects.gen_frame;
	return task_reader_read(r, address + r->at.objects.gen_frame, &frame, sizeof(frame)) ? 0 : frame;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_holder.c - bpf/events/holder.h: the stack of a thread that goes on while it is read. A forged thread
 * calls functions and a generator, and what it has left stays in memory. It goes on before any of the reads,
 * by any number of its steps. Whatever is shown must be a chain of calls that it makes.
 */

#include "tests/forge/hosted.h"
#include "base/cleanup.h"
#include "bpf/events/holder.h"
#include "tests/forge/forge.h"
#include "tests/forge/test.h"

#define BASE   0x7f0000000000ULL
#define TSTATE 0
#define CHUNK  1024
#define MAIN   (CHUNK + 32)
#define TOP    (MAIN + 128) /* where what it calls has its frame */
#define ABOVE  (TOP + 128)  /* ... and what that calls */
#define HEAP   3072	    /* the generator's */
#define SHIM   3328
#define CODE   0x7f0000100000ULL

/* Functions, by where their code is. */
enum { F_MAIN = 1, F_ONE, F_TWO, F_GENERATOR, F_TAKES_ONE, F_TAKES_TWO, F_WITHIN };

static __u8 memory[4096];
static struct layout layout;
static unsigned int step; /* of the thread */
static struct move {
	unsigned int before, steps; /* so many steps before so many reads are done; 0 = none */
} moves[2];
static unsigned int reads;

static __u64 code(unsigned int function)
{
	return CODE + 4096 * function;
}

static __u64 instr(unsigned int function, unsigned int line)
{
	return code(function) + 2 * line;
}

static void frame(__u32 at, unsigned int function, unsigned int line, __u32 caller)
{
	const struct forge_frame f = {
		.code = code(function),
		.instr = instr(function, line),
		.previous = BASE + caller,
		.owner = at == HEAP ? OWNED_BY_GENERATOR : OWNED_BY_THREAD,
	};

	forge_frame(memory + at, &layout, &f);
}

static void current(__u32 at)
{
	forge_put(memory + TSTATE, layout.tstate_frame, BASE + at, 8);
}

static void line(__u32 at, unsigned int function, unsigned int number)
{
	forge_put(memory + at, layout.frame_instr, instr(function, number), 8);
}

/* What the thread does, again and again: main(), in line 1, calls one() and so on. */
static const struct action {
	enum { LINE, CALL, RETURN } what;
	__u32 at, function, number, caller;
} actions[] = {
	{ LINE, MAIN, F_MAIN, 1, 0 },
	{ CALL, TOP, F_ONE, 1, MAIN },
	{ CALL, ABOVE, F_WITHIN, 1, TOP },
	{ RETURN, TOP, 0, 0, 0 },
	{ LINE, TOP, F_ONE, 2, 0 },
	{ RETURN, MAIN, 0, 0, 0 },
	{ LINE, MAIN, F_MAIN, 2, 0 },
	{ CALL, TOP, F_TWO, 1, MAIN },
	{ RETURN, MAIN, 0, 0, 0 },
	{ LINE, MAIN, F_MAIN, 3, 0 },
	{ CALL, TOP, F_TAKES_ONE, 1, MAIN },
	{ CALL, HEAP, F_GENERATOR, 1, TOP },
	{ CALL, ABOVE, F_WITHIN, 1, HEAP },
	{ RETURN, HEAP, 0, 0, 0 },
	{ RETURN, TOP, 0, 0, 0 },
	{ RETURN, MAIN, 0, 0, 0 },
	{ LINE, MAIN, F_MAIN, 4, 0 },
	{ CALL, TOP, F_TAKES_TWO, 1, MAIN },
	{ CALL, HEAP, F_GENERATOR, 2, TOP },
	{ CALL, ABOVE, F_WITHIN, 1, HEAP },
	{ RETURN, HEAP, 0, 0, 0 },
	{ RETURN, TOP, 0, 0, 0 },
	{ RETURN, MAIN, 0, 0, 0 },
};

static void act(const struct action *a)
{
	if (a->what == LINE)
		line(a->at, a->function, a->number);
	if (a->what == CALL)
		frame(a->at, a->function, a->number, a->caller);
	if (a->what != LINE)
		current(a->at);
}

static void go_on(unsigned int steps)
{
	while (steps--)
		act(&actions[step++ % ARRAY_SIZE(actions)]);
}

/* A thread that has done all of it once, and so many steps more. */
static void begin(unsigned int steps)
{
	memset(memory, 0, sizeof(memory));
	forge_put(memory + TSTATE, layout.tstate_chunk, BASE + CHUNK, 8);
	forge_chunk(memory + CHUNK, 0, CHUNK_SIZE);
	forge_frame(memory + SHIM, &layout,
		    &(struct forge_frame){ .code = CODE, .owner = layout.owner_shim });
	if (layout.root_rule == ROOT_BASE)
		forge_put(memory + TSTATE, layout.tstate_base_frame, BASE + SHIM, 8);
	frame(MAIN, F_MAIN, 1, SHIM);
	step = reads = 0;
	go_on(ARRAY_SIZE(actions) + steps);
}

static int mem_read(void *dst, __u32 size, __u64 address)
{
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++)
		if (moves[i].before == reads)
			go_on(moves[i].steps);
	reads++;
	memset(dst, 0, size);
	if (address < BASE || address - BASE > sizeof(memory) || size > sizeof(memory) - (address - BASE))
		return -EFAULT;
	memcpy(dst, memory + (address - BASE), size);
	return 0;
}

/* Whether the thread calls the callee from where the caller is. */
static bool is_call(const struct frame *callee, const struct frame *caller)
{
	const struct {
		unsigned int callee, callee_line, caller, caller_line;
	} calls[] = {
		{ F_ONE, 0, F_MAIN, 1 },       { F_TWO, 0, F_MAIN, 2 },
		{ F_TAKES_ONE, 0, F_MAIN, 3 }, { F_TAKES_TWO, 0, F_MAIN, 4 },
		{ F_WITHIN, 0, F_ONE, 1 },     { F_WITHIN, 0, F_GENERATOR, 1 },
		{ F_WITHIN, 0, F_GENERATOR, 2 }, { F_GENERATOR, 1, F_TAKES_ONE, 1 },
		{ F_GENERATOR, 2, F_TAKES_TWO, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (callee->code == code(calls[i].callee) &&
		    caller->instr == instr(calls[i].caller, calls[i].caller_line) &&
		    (!calls[i].callee_line || callee->instr == instr(calls[i].callee, calls[i].callee_line)))
			return true;
	return false;
}

/* Whether what is shown can be. */
static bool is_possible(const struct scratch *s, __u32 left_out)
{
	const struct walk *w = &s->walk;

	for (__u32 i = left_out; i + 1 < w->depth; i++)
		if (!is_call(&w->frames[i], &w->frames[i + 1]))
			return false;
	return w->depth > left_out && w->frames[w->depth - 1].code == code(F_MAIN);
}

static struct scratch *scratch(void)
{
	static struct scratch s;

	memset(&s.walk, 0, offsetof(struct walk, mem));
	return &s;
}

#define READS 24 /* of all looks, if none fails, at most */

/*
 * One look is wrong for some of these; so it can be told here. When the thread goes on twice, at any reads,
 * one of the looks sees it stand still.
 */
static void goes_on(__u32 minor, unsigned int *ret_wrong, unsigned int *ret_shown)
{
	struct scratch *s = scratch();

	layout = forge_layout(minor);
	for (unsigned int from = 0; from < ARRAY_SIZE(actions); from++)
		for (unsigned int steps = 1; steps < ARRAY_SIZE(actions); steps++) {
			moves[0] = (struct move){ 1, steps };
			moves[1] = (struct move){};
			begin(from);
			s = scratch();
			*ret_wrong += holder_look(s, &layout, BASE + TSTATE, 0) && !is_possible(s, 0);
			for (unsigned int at = 0; at < READS * READS; at++) {
				moves[0] = (struct move){ at % READS, steps };
				moves[1] = (struct move){ at / READS, 7 * steps % ARRAY_SIZE(actions) };
				begin(from);
				s = scratch();
				if (!holder_walk(s, &layout, BASE + TSTATE))
					continue;
				assert_true(is_possible(s, s->gil.left_out));
				++*ret_shown;
			}
		}
}

TEST(never_what_cannot_be)
{
	const __u32 versions[] = { 0x030d, 0x030e, 0x030f };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		unsigned int wrong = 0, shown = 0;

		goes_on(versions[i], &wrong, &shown);
		assert_true(wrong > 0);
		/* The thread has but few frames of which none is left. */
		assert_true(shown > READS * READS * ARRAY_SIZE(actions) * (ARRAY_SIZE(actions) - 1) / 2);
	}
}

/* A thread that stands still is shown as it is. */
TEST(all_of_it)
{
	struct scratch *s;

	layout = forge_layout(0x030f);
	memset(moves, 0, sizeof(moves));
	begin(13); /* in within(), which the generator called */
	s = scratch();
	assert_true(holder_walk(s, &layout, BASE + TSTATE));
	assert_int_equal(s->gil.left_out, 0);
	assert_int_equal(s->walk.depth, 4);
	assert_true(is_possible(s, 0));
}

/* Up to 3.10 a frame says whether it is of a call. One that is none keeps its link to its caller. */
TEST(no_call_that_has_ended)
{
	const __u32 versions[] = { 0x0308, 0x0309, 0x030a }, frames[] = { MAIN, TOP, ABOVE };
	struct scratch *s = scratch();

	memset(moves, 0, sizeof(moves));
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		layout = forge_layout(versions[i]);
		memset(memory, 0, sizeof(memory));
		for (size_t k = 0; k < ARRAY_SIZE(frames); k++) {
			forge_frame(memory + frames[k], &layout,
				    &(struct forge_frame){ .code = code(F_MAIN + k),
							   .previous = k ? BASE + frames[k - 1] : 0 });
			forge_put(memory + frames[k], layout.frame_running, layout.running, 1);
		}
		current(ABOVE);
		assert_true(holder_walk(s, &layout, BASE + TSTATE));
		assert_int_equal(s->walk.depth, ARRAY_SIZE(frames));
		for (size_t k = 0; k < ARRAY_SIZE(frames); k++) {
			forge_put(memory + frames[k], layout.frame_running, layout.running + 1, 1);
			assert_false(holder_walk(s, &layout, BASE + TSTATE));
			forge_put(memory + frames[k], layout.frame_running, layout.running, 1);
		}
	}
}

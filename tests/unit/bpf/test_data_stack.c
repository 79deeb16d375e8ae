// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_data_stack.c - bpf/python/data_stack.h: while a CFrame is overwritten, the newest frame of the data
 * stack is the leaf if nothing else can be, and in no other case.
 */

#include "tests/forge/hosted.h"
#include "base/cleanup.h"
#include "tests/forge/forge.h"
#include "tests/forge/test.h"

#define BASE	  0x7f0000000000ULL
#define CHUNK	  BASE
#define FIRST	  (CHUNK + 32) /* the first chunk of all leaves out a word */
#define CODE(n)	  (BASE + 2048 + 128 * (n))
#define OBJECT(n) (BASE + 3072 + 64 * (n))
#define GARBAGE	  (BASE + 3584) /* what was a CFrame */
#define EXC_INFO  (BASE + 3840)
#define MANY	  (BASE + 4096) /* a chunk of many frames */
#define STACK	  (BASE - (1ULL << 40)) /* far from everything */
#define LOCALS	  3
#define WORDS	  5 /* of each frame's own stack */

static __u8 memory[32768];
static __u64 hole; /* no byte of this line can be read */

static int mem_read(void *dst, __u32 size, __u64 address)
{
	memset(dst, 0, size);
	if (address < BASE || address - BASE > sizeof(memory) || size > sizeof(memory) - (address - BASE))
		return -EFAULT;
	if (hole && hole - address < size)
		return -EFAULT;
	memcpy(dst, memory + (address - BASE), size);
	return 0;
}

static struct layout layout;
static struct scratch s;
static __u64 top;

static void put(__u64 address, __u64 value, size_t size)
{
	forge_put(memory, address - BASE, value, size);
}

static void code(__u32 n, __u32 words, __u32 locals)
{
	put(CODE(n) + layout.code_numbers, words, 4);
	put(CODE(n) + layout.code_numbers + 4, 1000, 4);
	put(CODE(n) + layout.code_numbers + 8, locals, 4);
}

static __u64 size_of(__u32 n)
{
	return layout.frame_locals + 8 * (LOCALS + n + WORDS);
}

static __u64 at(__u32 n)
{
	return n ? at(n - 1) + size_of(n - 1) : FIRST;
}

/* Frame n, with its code and its object. */
static void frame(__u32 n, __u64 previous)
{
	const struct forge_frame f = { .code = CODE(n), .previous = previous, .is_entry = !n };

	code(n, WORDS, LOCALS + n);
	forge_frame(memory + (at(n) - BASE), &layout, &f);
	put(at(n) + layout.frame_object, OBJECT(n), 8);
	put(OBJECT(n) + layout.object_frame, at(n), 8);
}

static const __u32 versions[] = { 0x030b, 0x030c };

/* Three frames of who leaves. In 3.12 they are exposed, and the shim is gone. */
static void begin(__u32 minor)
{
	hole = 0;
	memset(memory, 0, sizeof(memory));
	layout = forge_layout(minor);
	frame(0, 0);
	frame(1, at(0));
	frame(2, at(1));
	top = at(3);
	if (layout.object_data)
		put(OBJECT(0) + layout.object_data, STACK + 4096, 8);
	hosted_regs.sp = STACK;
	memset(memory + (GARBAGE - BASE), 0x55, 64);
	memset(&s, 0, sizeof(s));
	s.walk.max_depth = 16;
}

static enum outcome walked(void)
{
	forge_put(s.tstate, layout.tstate_frame, GARBAGE, 8);
	forge_put(s.tstate, layout.tstate_chunk, CHUNK, 8);
	forge_put(s.tstate, layout.tstate_chunk + 8, top, 8);
	forge_put(s.tstate, layout.tstate_chunk + 16, BASE + 2048, 8);
	forge_put(s.tstate, layout.tstate_exc_info, EXC_INFO, 8);
	return walk_thread(&s, &layout);
}

TEST(whole)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		begin(versions[i]);
		assert_int_equal(walked(), OUTCOME_WHOLE);
		assert_int_equal(s.walk.depth, 3);
		for (__u32 n = 0; n < 3; n++)
			assert_int_equal(s.walk.frames[n].code, CODE(2 - n));
	}
}

/* A chunk that is not the first begins a word earlier. */
TEST(later_chunk)
{
	begin(0x030b);
	put(CHUNK, BASE + (1 << 20), 8);
	assert_int_equal(walked(), OUTCOME_UNREADABLE);
	begin(0x030b);
	put(CHUNK, BASE + (1 << 20), 8);
	memmove(memory + 24, memory + 32, 1024);
	for (__u32 n = 0; n < 3; n++) {
		put(OBJECT(n) + layout.object_frame, at(n) - 8, 8);
		put(at(n) - 8 + layout.frame_previous, n ? at(n - 1) - 8 : 0, 8);
	}
	top -= 8;
	assert_int_equal(walked(), OUTCOME_WHOLE);
}

/* Whatever is not as it is at that moment. */
TEST(other)
{
	for (size_t v = 0; v < ARRAY_SIZE(versions); v++)
		for (int i = 0; i < 13; i++) {
			begin(versions[v]);
			switch (i) {
			case 0: put(EXC_INFO + 8, EXC_INFO, 8); break; /* a generator runs */
			case 1: top += 8; break;
			case 2: top -= 8; break;
			case 3: top = FIRST; break;
			case 4: put(at(2) + layout.frame_object, 0, 8); break;
			case 5: put(at(2) + layout.frame_object, OBJECT(1), 8); break;
			case 6: put(at(2) + layout.frame_owner, OWNED_BY_GENERATOR, 1); break;
			case 7: put(at(1) + layout.frame_code, 0, 8); break;
			case 8: code(1, NUMBER_LIMIT, 0); break;
			case 9: code(0, WORDS + 1, LOCALS); break;
			case 10: put(at(2) + layout.frame_previous, GARBAGE + 1, 8); break;
			case 11: /* it does not end as a chain does */
				put(at(0) + layout.frame_is_entry, 0, 1);
				put(OBJECT(0) + layout.object_frame, 0, 8);
				break;
			case 12: layout.code_numbers = 0; break;
			}
			assert_int_not_equal(walked(), OUTCOME_WHOLE);
		}
}

/* None of what it reads may be missing. */
TEST(holes)
{
	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		begin(versions[v]);
		const __u64 places[] = { CHUNK, EXC_INFO + 8, at(0) + layout.frame_code,
					 at(2) + layout.frame_code, CODE(1) + layout.code_numbers,
					 at(2) + layout.frame_owner, at(2) + layout.frame_object,
					 OBJECT(2) + layout.object_frame, at(1) + layout.frame_previous };

		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			begin(versions[v]);
			hole = places[i];
			assert_int_not_equal(walked(), OUTCOME_WHOLE);
		}
	}
}

/* No more frames than this are looked at. */
TEST(bounded)
{
	static const struct {
		__u32 frames, found;
	} cases[] = { { 1, 1 }, { DATA_STACK_FRAMES, 1 }, { DATA_STACK_FRAMES + 1, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		__u64 end = MANY + 32;

		begin(0x030b);
		code(0, 0, 0);
		for (__u32 n = 0; n < cases[i].frames; n++, end += layout.frame_locals) {
			put(end + layout.frame_code, CODE(0), 8);
			put(end + layout.frame_object, OBJECT(0), 8);
		}
		put(OBJECT(0) + layout.object_frame, end - layout.frame_locals, 8);
		assert_int_equal(data_stack_find(&s.walk, &layout, MANY, end, EXC_INFO), cases[i].found);
	}
}

TEST(arguments)
{
	begin(0x030b);
	assert_int_equal(data_stack_find(NULL, &layout, CHUNK, top, EXC_INFO), 0);
	assert_int_equal(data_stack_find(&s.walk, NULL, CHUNK, top, EXC_INFO), 0);
	assert_int_equal(data_stack_find(&s.walk, &layout, 0, top, EXC_INFO), 0);
	assert_int_equal(data_stack_find(&s.walk, &layout, CHUNK, top, 0), 0);
	assert_int_equal(data_stack_find(&s.walk, &layout, CHUNK, top, EXC_INFO), 1);
	assert_int_equal(s.walk.last, at(2));
}

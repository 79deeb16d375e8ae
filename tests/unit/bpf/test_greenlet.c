// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_greenlet.c - bpf/python/greenlet.h and greenlet_links.h: a chain that ends at a frame of Python
 * code is all of a stack if greenlet has left its link to the outermost shim in the frame's object, and in
 * no other case.
 */

#include "tests/forge/hosted.h"
#include "base/cleanup.h"
#include "tests/forge/forge.h"
#include "tests/forge/test.h"

#define BASE  0x7f0000000000ULL
#define CODE  0x7f0000100000ULL
#define STACK (BASE + (1ULL << 40)) /* far from everything */

static __u8 memory[4096];
static __u64 hole; /* no byte of this frame or object can be read */

static int mem_read(void *dst, __u32 size, __u64 address)
{
	memset(dst, 0, size);
	if (address < BASE || address - BASE > sizeof(memory) || size > sizeof(memory) - (address - BASE))
		return -EFAULT;
	if (hole && address - hole < 128)
		return -EFAULT;
	memcpy(dst, memory + (address - BASE), size);
	return 0;
}

static struct layout layout;
static struct scratch s;

static __u64 at(__u32 n)
{
	return BASE + 128 * n;
}

static void frame(__u32 n, __u8 owner, __u64 previous, __u64 object)
{
	const struct forge_frame f = { .code = CODE, .previous = previous, .owner = owner };

	memset(memory + 128 * n, 0, 128);
	forge_frame(memory + 128 * n, &layout, &f);
	forge_put(memory + 128 * n, layout.frame_object, object, 8);
}

static void object(__u32 n, __u64 of, __u64 link)
{
	memset(memory + 128 * n, 0, 128);
	forge_put(memory + 128 * n, layout.object_frame, of, 8);
	forge_put(memory + 128 * n, layout.object_data, link, 8);
}

/* Frames 1 and 2 are of Python code; the latter's object is 3, and its link to shim 4 was taken away. */
static void begin(__u32 minor)
{
	hole = 0;
	layout = forge_layout(minor);
	layout.has_cframe = 0;
	frame(1, OWNED_BY_THREAD, at(2), 0);
	frame(2, OWNED_BY_THREAD, 0, at(3));
	object(3, at(2), at(4));
	frame(4, layout.owner_shim, 0, 0);
	hosted_regs.sp = STACK;
}

static enum outcome walked(void)
{
	const __u64 first = at(1);

	memset(&s, 0, sizeof(s));
	s.walk.max_depth = 16;
	memcpy(s.tstate + layout.tstate_frame, &first, sizeof(first));
	return walk_thread(&s, &layout);
}

static const __u32 versions[] = { 0x030c, 0x030d, 0x030e, FORGE_THREADED | 0x030d, FORGE_THREADED | 0x030e };

TEST(whole)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		begin(versions[i]);
		assert_int_equal(walked(), OUTCOME_WHOLE);
		assert_int_equal(s.walk.depth, 2);
	}
}

/* The shim is gone, as its part of the C stack is. That the link leads there is enough. */
TEST(overwritten)
{
	begin(0x030d);
	frame(4, OWNED_BY_THREAD, at(2), 0);
	assert_int_equal(walked(), OUTCOME_INCOMPLETE);
	hosted_regs.sp = at(4) - 4096;
	assert_int_equal(walked(), OUTCOME_WHOLE);
	hosted_regs.sp = at(4) + 4096;
	assert_int_equal(walked(), OUTCOME_WHOLE);
	hosted_regs.sp = at(4) + GREENLET_STACK + 4096;
	assert_int_equal(walked(), OUTCOME_INCOMPLETE);
}

/* Whatever of it is not as greenlet leaves it. */
TEST(other)
{
	for (int i = 0; i < 9; i++) {
		begin(0x030e);
		switch (i) {
		case 0: frame(2, OWNED_BY_THREAD, 0, 0); break;
		case 1: frame(2, OWNED_BY_THREAD, 0, CODE); break;
		case 2: object(3, at(1), at(4)); break;
		case 3: object(3, at(2), 0); break;
		case 4: object(3, at(2), CODE); break;
		case 5: object(3, at(2), at(4) + 1); break;
		case 6: frame(4, layout.owner_shim, at(2), 0); break;
		case 7: frame(4, OWNED_BY_THREAD, 0, 0); break;
		case 8: frame(2, OWNED_BY_GENERATOR, 0, at(3)); break;
		}
		assert_int_equal(walked(), OUTCOME_INCOMPLETE);
	}
	for (__u32 n = 2; n <= 4; n++) {
		begin(0x030d);
		hole = at(n);
		assert_int_equal(walked(), OUTCOME_INCOMPLETE);
	}
}

/* 3.11 has no shims, so nothing is taken apart. */
TEST(not_before)
{
	begin(0x030d);
	layout.object_data = 0;
	assert_int_equal(walked(), OUTCOME_INCOMPLETE);
}

/* 3.15: a greenlet's outermost shim has no caller; a thread's has the thread state's own frame. */
TEST(base)
{
	const __u64 base_frame = at(20);

	begin(0x030f);
	frame(2, OWNED_BY_THREAD, at(4), 0);
	memset(&s, 0, sizeof(s));
	s.walk.max_depth = 16;
	walk_from(&s.walk, &layout, at(1), 0);
	assert_true(walk_is_whole(&s.walk, &layout, base_frame));
	frame(2, OWNED_BY_THREAD, 0, 0);
	walk_from(&s.walk, &layout, at(1), 0);
	assert_false(walk_is_whole(&s.walk, &layout, base_frame));
}

/* What is exposed in part leaves out shims as well, though it may end as ever. */
TEST(links)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		const __u64 sp = at(4) - 4096;

		begin(versions[i]);
		frame(5, layout.owner_shim, at(2), 0);
		frame(1, OWNED_BY_THREAD, at(5), at(6)); /* as ever, and has been exposed before */
		object(6, at(1), at(5));
		frame(2, OWNED_BY_THREAD, at(4), at(3));
		assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), sp), 0);
		frame(1, OWNED_BY_THREAD, at(2), at(6)); /* the first step of exposing */
		assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), sp), 1);
		assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), 0), 0);
		/* No shim is there. */
		assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), STACK), 0);
		frame(1, OWNED_BY_GENERATOR, at(2), at(6));
		assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), sp), 0);
		frame(1, OWNED_BY_THREAD, at(2), 0); /* without an object */
		assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), sp), 0);
		frame(1, OWNED_BY_THREAD, at(5), at(6)); /* the last but one of taking it back */
		frame(2, OWNED_BY_THREAD, 0, at(3));
		assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), sp), 1);
	}
}

TEST(arguments)
{
	begin(0x030d);
	assert_int_equal(greenlet_is_exposed(NULL, &layout, 0), 0);
	assert_int_equal(greenlet_is_exposed(&s.walk, NULL, 0), 0);
	assert_int_equal(greenlet_skips_shims(NULL, &layout, at(1), STACK), 0);
	assert_int_equal(greenlet_skips_shims(&s.walk, NULL, at(1), STACK), 0);
	assert_int_equal(greenlet_skips_shims(&s.walk, &layout, 0, STACK), 0);
}

/* A ring of frames of which each has an object that names it: what is read counts, and ends with the time. */
TEST(rings)
{
	static const struct walk none;

	begin(0x030d);
	frame(1, OWNED_BY_THREAD, at(2), at(6));
	object(6, at(1), at(5));
	frame(2, OWNED_BY_THREAD, at(1), at(3));
	s.walk = none;
	assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), STACK), 0);
	assert_int_equal(s.walk.reads, 5 * GREENLET_FRAMES);
	s.walk = none;
	s.walk.patience = 1;
	s.walk.deadline = 1;
	assert_int_equal(greenlet_skips_shims(&s.walk, &layout, at(1), STACK), 1);
	assert_in_range(s.walk.reads, 1, 5 * LATE_STEPS);
}

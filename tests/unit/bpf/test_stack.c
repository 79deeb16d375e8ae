// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stack.c - what a thread's chain of frames is taken for when little of it is left.
 */

#include "tests/forge/hosted.h"
#include "tests/forge/test.h"

#define BASE 0x7f0000000000ULL
#define CODE 0x7f0000100000ULL

static __u8 memory[4096];

static int mem_read(void *dst, __u32 size, __u64 address)
{
	memset(dst, 0, size);
	if (address < BASE || address - BASE > sizeof(memory) || size > sizeof(memory) - (address - BASE))
		return -EFAULT;
	memcpy(dst, memory + (address - BASE), size);
	return 0;
}

/* As 3.14 has them, with a shim at the root. */
static const struct layout layout = {
	.root_rule = ROOT_SHIM, .frame_size = FRAME_READ, .frame_code = 0, .frame_previous = 8,
	.frame_instr = 56, .frame_owner = 74, .frame_is_entry = 75, .owner_shim = 3, .owner_generator = 1,
	.tstate_frame = 72,
};

/* Puts a frame at BASE + 128 * n, whose caller is at BASE + 128 * previous; 0 = it has none. */
static void frame(__u32 n, __u8 owner, __u32 previous)
{
	const __u64 code = CODE, caller = previous ? BASE + 128 * previous : 0;
	__u8 *at = memory + 128 * n;

	memset(at, 0, 128);
	memcpy(at + layout.frame_code, &code, sizeof(code));
	memcpy(at + layout.frame_previous, &caller, sizeof(caller));
	at[layout.frame_owner] = owner;
}

static enum outcome walked(__u64 first)
{
	static struct scratch s;

	memset(&s.walk, 0, sizeof(s.walk));
	s.walk.max_depth = 16;
	memcpy(s.tstate + layout.tstate_frame, &first, sizeof(first));
	return walk_thread(&s, &layout);
}

TEST(whole)
{
	frame(1, 0, 2);
	frame(2, 3, 0);
	assert_int_equal(walked(BASE + 128), OUTCOME_WHOLE);
}

/* For some instructions after the last Python frame has gone its shim is still there. */
TEST(only_a_shim)
{
	frame(1, 3, 0);
	assert_int_equal(walked(BASE + 128), OUTCOME_NO_FRAMES);
	frame(1, 3, 2);
	frame(2, 3, 0);
	assert_int_equal(walked(BASE + 128), OUTCOME_NO_FRAMES);
}

TEST(no_shim)
{
	frame(1, 0, 0);
	assert_int_equal(walked(BASE + 128), OUTCOME_INCOMPLETE);
}

TEST(nothing)
{
	assert_int_equal(walked(0), OUTCOME_NO_FRAMES);
	assert_int_equal(walked(CODE), OUTCOME_UNREADABLE);
}

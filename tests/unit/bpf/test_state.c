// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_state.c - which states the words of a thread state tell, by what a version has of them.
 */

#include "tests/forge/hosted.h"
#include "tests/forge/no_memory.h"
#include "tests/forge/test.h"

#define TSTATE 0x7f0000001000ULL
#define OTHER  0x7f0000002000ULL
#define FRAME  0x7f0000003000ULL
#define ACTIVE 2

/* As 3.15 has them, with other offsets. */
static struct layout layout(void)
{
	return (struct layout){ .tstate_status = 8, .status_active = ACTIVE, .tstate_exception = 16,
				.tstate_frame = 24 };
}

static struct scratch *scratch(void)
{
	static struct scratch s;

	memset(&s, 0, sizeof(s));
	return &s;
}

static void put(struct scratch *s, __u32 offset, __u64 value)
{
	memcpy(s->tstate + offset, &value, sizeof(value));
}

TEST(who_is_attached)
{
	struct layout l = layout();
	struct scratch *s = scratch();

	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED));
	put(s, l.tstate_status, ACTIVE | 1);
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(HOLDS));
	l.free_threaded = 1;
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(ATTACHED));
	put(s, l.tstate_status, 1);
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(DETACHED));
}

/* Up to 3.11 the runtime names the one thread; where not even that is known nothing is said. */
TEST(older_versions)
{
	struct layout l = { .runtime_tstate = 8 };
	struct scratch *s = scratch();

	s->search.current = TSTATE;
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(HOLDS));
	s->search.current = OTHER;
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED));
	s->search.current = 0;
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED));
	l.runtime_tstate = 0;
	assert_int_equal(state_of(s, &l, TSTATE), 0);
}

TEST(exceptions)
{
	struct layout l = layout();
	struct scratch *s = scratch();

	put(s, l.tstate_exception, OTHER);
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED) | STATE_BIT(EXCEPTION));
	l.tstate_exception = 0;
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED));
}

/* The collection is this thread's only if it began in the frame where the thread is. */
TEST(collections)
{
	struct layout l = layout();
	struct scratch *s = scratch();

	put(s, l.tstate_frame, FRAME);
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED));
	s->code.gc_frame = FRAME;
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED) | STATE_BIT(GC));
	put(s, l.tstate_frame, FRAME + 80);
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED));
	s->code.gc_frame = 0;
	put(s, l.tstate_frame, 0);
	assert_int_equal(state_of(s, &l, TSTATE), STATE_BIT(RELEASED));
}

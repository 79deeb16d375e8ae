// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_coroutines.c - chains of coroutines, whole and spoilt in every word. That real ones are read rightly
 * is shown by tests/e2e/tasks/test_tasks.py.
 */
#include <errno.h>
#include <stdlib.h>

#include "remote/coroutines.h"
#include "tests/forge/test.h"
#include "tests/unit/remote/forge_tasks.h"

static struct chain chain;
static forged other;

static void forge_object(__u64 *object, int type, __u64 first)
{
	object[AT_TYPE] = address_of(types[type]);
	object[AT_FIRST] = first;
}

TEST(outermost_first)
{
	__u64 inner;

	forge_begin();
	forge_object(other, TYPE_FUTURE, 0);
	inner = forge_coroutine(2, FORGED_AWAITING, address_of(other));
	inner = forge_coroutine(1, FORGED_AWAITING, inner | 1);
	assert_int_equal(chain_read(&reader, forge_coroutine(0, FORGED_AWAITING, inner), &chain), 0);
	assert_int_equal(chain.end, CHAIN_WAITS);
	assert_int_equal(chain.count, 3);
	for (__u32 i = 0; i < 3; i++) {
		assert_int_equal(chain.frames[i].code, address_of(code));
		assert_int_equal(chain.frames[i].address, address_of(&coroutines[i][AT_FRAME]));
		assert_int_equal(chain_instruction(&reader, &chain.frames[i]), i + 1);
	}
}

TEST(how_it_ends)
{
	static const struct {
		int state;
		enum chain_end end;
		__u32 count;
	} rows[] = {
		{ FORGED_CREATED, CHAIN_CREATED, 1 }, { FORGED_SUSPENDED, CHAIN_WAITS, 1 },
		{ FORGED_EXECUTING, CHAIN_RUNS, 1 },  { FORGED_ENDED, CHAIN_ENDED, 0 },
		{ 0x7f, CHAIN_ENDED, 0 },
	};
	__u64 outer;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		forge_begin();
		assert_int_equal(chain_read(&reader, forge_coroutine(0, rows[i].state, 0), &chain), 0);
		assert_int_equal(chain.end, rows[i].end);
		assert_int_equal(chain.count, rows[i].count);
	}
	assert_int_equal(chain_read(&reader, 0, &chain), 0);
	assert_int_equal(chain.end, CHAIN_ENDED);
	/* An inner one that has ended ends no task. */
	forge_begin();
	outer = forge_coroutine(0, FORGED_AWAITING, forge_coroutine(1, FORGED_ENDED, 0));
	assert_int_equal(chain_read(&reader, outer, &chain), 0);
	assert_int_equal(chain.end, CHAIN_WAITS);
	assert_int_equal(chain.count, 1);
}

/* Through what an async generator is asked by, but not through a class of that name. */
TEST(wrappers)
{
	static forged second;

	forge_begin();
	forge_object(second, TYPE_ASEND, forge_coroutine(1, FORGED_SUSPENDED, 0));
	forge_object(other, TYPE_ASEND, address_of(second));
	forge_coroutine(0, FORGED_AWAITING, address_of(other));
	assert_int_equal(chain_read(&reader, address_of(coroutines[0]), &chain), 0);
	assert_int_equal(chain.count, 2);
	forge_object(other, TYPE_ASEND, address_of(other)); /* of itself */
	assert_int_equal(chain_read(&reader, address_of(coroutines[0]), &chain), 0);
	assert_int_equal(chain.count, 1);
	coroutines[1][AT_TYPE] = address_of(types[TYPE_POSER]);
	forge_object(other, TYPE_ASEND, address_of(coroutines[1]));
	assert_int_equal(chain_read(&reader, address_of(coroutines[0]), &chain), 0);
	assert_int_equal(chain.count, 1);
	assert_int_equal(chain_read(&reader, address_of(coroutines[1]), &chain), -EBADMSG);
}

TEST(circles_and_lengths)
{
	static forged many[CHAIN_MAX + 8];

	forge_begin();
	forge_coroutine(1, FORGED_AWAITING, forge_coroutine(0, FORGED_AWAITING, address_of(coroutines[1])));
	assert_int_equal(chain_read(&reader, address_of(coroutines[0]), &chain), 0);
	assert_int_equal(chain.end, CHAIN_LONG);
	assert_int_equal(chain.count, 2);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		forge_coroutine(0, FORGED_AWAITING, address_of(many[i + 1]));
		memcpy(many[i], coroutines[0], sizeof(many[i]));
		many[i][AT_FRAME + 4] = address_of(&many[i][AT_STACK + 1]);
	}
	assert_int_equal(chain_read(&reader, address_of(many[0]), &chain), 0);
	assert_int_equal(chain.end, CHAIN_LONG);
	assert_int_equal(chain.count, CHAIN_MAX);
}

/* Each word of a chain, with what may be anywhere in memory: some chain or an error, and never more. */
TEST(every_word)
{
	static const __u64 values[] = { 0,	     1,		 8,	     4096,	 ~0ULL,
					1ULL << 47, 1ULL << 63, 0x7fffffff, 0x7ffffffffff8 };

	for (int i = 0; i < 3; i++) {
		for (int word = 0; word < FORGE_WORDS; word++) {
			for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
				forge_begin();
				forge_coroutine(0, FORGED_AWAITING,
						forge_coroutine(1, FORGED_AWAITING,
								forge_coroutine(2, FORGED_SUSPENDED, 0)));
				coroutines[i][word] = values[k];
				if (!chain_read(&reader, address_of(coroutines[0]), &chain))
					assert_true(chain.count <= 3);
				for (__u32 n = 0; n < chain.count; n++)
					chain_instruction(&reader, &chain.frames[n]);
			}
		}
	}
}

/* A thread's frames down to the coroutine; those of the interpreter itself are none. */
TEST(running)
{
	static __u64 frames[3][16], tstate[16];
	const __u64 at = address_of(tstate);

	forge_begin();
	forge_coroutine(0, FORGED_EXECUTING, 0);
	for (int i = 0; i < 3; i++) {
		frames[i][0] = address_of(code);
		frames[i][1] = i < 2 ? address_of(frames[i + 1]) : address_of(&coroutines[0][AT_FRAME]);
		frames[i][3] = i == 1 ? 3 : 0;
	}
	tstate[10] = address_of(frames[0]);
	assert_int_equal(chain_read_running(&reader, at, address_of(coroutines[0]), &chain), 0);
	assert_int_equal(chain.count, 3);
	assert_int_equal(chain.frames[0].address, address_of(&coroutines[0][AT_FRAME]));
	assert_int_equal(chain.frames[2].address, address_of(frames[0]));
	/* It is another one's; the frames lead round in a circle; there are none. */
	assert_int_equal(chain_read_running(&reader, at, address_of(coroutines[1]), &chain), -EBADMSG);
	frames[2][1] = address_of(frames[0]);
	assert_int_equal(chain_read_running(&reader, at, address_of(coroutines[0]), &chain), -EBADMSG);
	tstate[10] = 0;
	assert_int_equal(chain_read_running(&reader, at, address_of(coroutines[0]), &chain), -EBADMSG);
}

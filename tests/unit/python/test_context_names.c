// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_context_names.c - names of context variables as they are asked for, what the worker may say of a
 * process, and how what is found later is added.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "python/context_names.h"
#include "tests/forge/test.h"

TEST(names_are_taken_as_they_are)
{
	static const char *const bad[] = { "", ",", "a,", ",a", "a,,b", "a,b,a", "a,b,c,d,e",
					   "0123456789012345678901234567890123456789"
					   "012345678901234567890123" };
	struct context_names names = { .count = 77 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(context_names_parse(bad[i], &names), -EINVAL);
	assert_int_equal(names.count, 77);
	assert_int_equal(context_names_parse("a b,T\xc3\xa4g,a,*", &names), 0);
	assert_int_equal(names.count, 4);
	assert_string_equal(names.name[0], "a b");
	assert_int_equal(context_names_find(&names, "a"), 2);
	assert_int_equal(context_names_find(&names, "*"), 3);
	assert_int_equal(context_names_find(&names, "anything"), CONTEXT_LABELS);
}

static struct context_vars found(__u64 address, __u64 hash, __u8 label)
{
	return (struct context_vars){ .tstate_context = 208, .head = 16, .var_hash = 56, .count = 1,
				      .keys = { { address, hash } }, .label = { label },
				      .types = { [CONTEXT_BITMAP] = 0x1000 } };
}

TEST(what_cannot_be_is_refused)
{
	struct context_names names;
	struct context_vars good = found(0x7000, 1, 1), bad[11];

	assert_int_equal(context_names_parse("a,b", &names), 0);
	assert_true(context_vars_are_sane(&good, &names));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].head = 24;
	bad[1].var_hash = 8;
	bad[2].var_hash = 200;
	bad[3].count = CONTEXT_KEYS + 1;
	bad[4].int_tag = 2;
	bad[5].tstate_context = 0;
	bad[6].tstate_context = 12;
	bad[7].types[CONTEXT_NONE] = 12;
	bad[8].keys[0].address = 1ULL << 63;
	bad[9].label[0] = 2;
	bad[10].pad = 1;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(context_vars_are_sane(&bad[i], &names));
}

/* Of ids that threads publish, with which a process need not have a context. */
TEST(what_threads_publish)
{
	const struct thread_context_place by_module = { .kind = THREAD_CONTEXT_MODULE, .module = 3,
							.offset = 16, .generation = 5 },
					  by_offset = { .kind = THREAD_CONTEXT_STATIC, .offset = -16 };
	struct context_names names = { .trace = 1 };
	struct context_vars known = { 0 }, v = { .head = 16, .var_hash = 56 }, bad[10];

	assert_false(context_vars_are_sane(&v, &names));
	v.thread = by_module;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = v;
	bad[0].thread.kind = THREAD_CONTEXT_KINDS;
	bad[1].thread.kind = THREAD_CONTEXT_NONE;
	bad[2].thread.kind = THREAD_CONTEXT_STATIC;
	bad[3].thread.module = 0;
	bad[4].thread.module = THREAD_CONTEXT_MODULES + 1;
	bad[5].thread.offset = -8;
	bad[6].thread.offset = THREAD_CONTEXT_FAR + 8;
	bad[7].thread.offset = 12;
	bad[8].count = 1;
	bad[9].thread = (struct thread_context_place){ .kind = THREAD_CONTEXT_STATIC,
						       .offset = -THREAD_CONTEXT_FAR - 8 };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(context_vars_are_sane(&bad[i], &names));
	assert_true(context_vars_are_sane(&v, &names));
	known = found(0x7000, 1, 0);
	assert_true(context_vars_merge(&known, &v));
	assert_int_equal(known.tstate_context, 208);
	assert_true(known.thread.kind == THREAD_CONTEXT_MODULE && known.count == 1);
	assert_true(context_vars_are_all(&v, &names));
	v.thread = by_offset;
	assert_true(context_vars_are_sane(&v, &names));
	assert_true(context_vars_merge(&known, &v));
	v.thread = (struct thread_context_place){};
	assert_false(context_vars_merge(&known, &v)); /* what is not met now is kept, */
	assert_false(context_vars_are_all(&v, &names));
	v.thread.kind = THREAD_CONTEXT_UNTRUE; /* ... and what must not be read any longer is not */
	assert_true(context_vars_are_sane(&v, &names));
	assert_false(context_vars_are_all(&v, &names));
	assert_true(context_vars_merge(&known, &v));
	assert_false(thread_context_is_read(&known.thread));
}

TEST(what_is_found_is_added)
{
	struct context_vars known = { 0 }, more = found(0x7000, 1, 0);
	struct context_names names;

	assert_int_equal(context_names_parse("a,b", &names), 0);
	assert_true(context_vars_merge(&known, &more));
	assert_memory_equal(&known, &more, sizeof(more));
	assert_false(context_vars_merge(&known, &more));
	assert_false(context_vars_are_all(&known, &names));
	more.count = 0;
	more.types[CONTEXT_BITMAP] = 0;
	assert_false(context_vars_merge(&known, &more)); /* what is not met now is kept */
	more = found(0x8000, 2, 1);
	assert_true(context_vars_merge(&known, &more));
	assert_true(context_vars_are_all(&known, &names));
	assert_int_equal(known.count, 2);
	more = found(0x7000, 3, 1); /* another one at that address */
	assert_true(context_vars_merge(&known, &more));
	assert_true(known.count == 2 && known.keys[0].hash == 3 && known.label[0] == 1);
}

/* In a full list one of the same name makes room, and no other. */
TEST(there_is_room_for_so_many)
{
	struct context_vars known = { 0 }, more;

	for (__u64 i = 0; i < CONTEXT_KEYS; i++) {
		more = found(0x7000 + 8 * i, i, i == 5);
		assert_true(context_vars_merge(&known, &more));
	}
	more = found(0x9000, 99, 1);
	assert_true(context_vars_merge(&known, &more));
	assert_true(known.count == CONTEXT_KEYS && known.keys[5].hash == 99);
	more = found(0xa000, 99, 2);
	assert_false(context_vars_merge(&known, &more));
}

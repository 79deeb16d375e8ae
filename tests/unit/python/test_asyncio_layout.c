// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_asyncio_layout.c - asyncio's table of offsets, and what the debug offsets say of its objects: taken as
 * they are in 3.14 and 3.15, refused when a word cannot be true.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "python/asyncio_layout.h"
#include "python/debug_offsets.h"
#include "tests/forge/test.h"
#include "tests/unit/python/forge_offsets.h"

static const __u64 good[ASYNCIO_WORDS] = {
	168, 136, 96, 108, 109, 128, 152, 225864, 10880, 936, 864, 872, 880
};

TEST(the_words_of_3_14)
{
	struct asyncio_layout l = { 0 };

	assert_int_equal(asyncio_layout_parse(good, &l), 0);
	assert_int_equal(l.task_name, 136);
	assert_int_equal(l.task_awaited_by, 96);
	assert_int_equal(l.task_is_task, 108);
	assert_int_equal(l.task_awaited_by_is_set, 109);
	assert_int_equal(l.task_coro, 128);
	assert_int_equal(l.task_node, 152);
	assert_int_equal(l.interp_tasks, 10880);
	assert_int_equal(l.tstate_loop, 864);
	assert_int_equal(l.tstate_task, 872);
	assert_int_equal(l.tstate_tasks, 880);
}

TEST(words_that_cannot_be_true)
{
	static const __u64 values[] = { 0, 1ULL << 40, ~0ULL, (16 << 20) + 8 };
	struct asyncio_layout l;

	for (int i = 0; i < ASYNCIO_WORDS; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			__u64 words[ASYNCIO_WORDS];

			memcpy(words, good, sizeof(words));
			words[i] = values[k];
			assert_int_equal(asyncio_layout_parse(words, &l), -EINVAL);
		}
	}
	for (int i = 0; i < ASYNCIO_WORDS; i++) {
		const bool is_pointer = good[i] % 8 == 0 && i != 0 && i != 7 && i != 9;
		__u64 words[ASYNCIO_WORDS];

		memcpy(words, good, sizeof(words));
		words[i] += 4;
		assert_int_equal(asyncio_layout_parse(words, &l), is_pointer ? -EINVAL : 0);
	}
}

TEST(a_task_larger_than_is_read)
{
	__u64 words[ASYNCIO_WORDS];
	struct asyncio_layout l;

	memcpy(words, good, sizeof(words));
	words[0] = ASYNCIO_TASK_READ + 1;
	assert_int_equal(asyncio_layout_parse(words, &l), -EINVAL);
	words[0] = ASYNCIO_TASK_READ;
	words[6] = ASYNCIO_TASK_READ - 8; /* half of a node */
	assert_int_equal(asyncio_layout_parse(words, &l), -EINVAL);
}

/* Each word of the debug offsets that says something of an object. */
TEST(objects)
{
	static const __u32 versions[] = { 0x030e06f0, 0x030f02f0 };

	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		const struct cpython *cpython = layout_find(versions[v]);
		struct layout layout = cpython->layout;
		struct object_offsets o;
		__u64 words[128];
		const size_t count = forge_offsets(versions[v], false, words);
		int used = 0;

		layout.version = versions[v];
		assert_int_equal(debug_offsets_objects(words, count * 8, &layout, &o), 0);
		assert_int_equal(o.gen_state, 64);
		assert_int_equal(debug_offsets_objects(words, count * 8 - 1, &layout, &o), -EINVAL);
		for (size_t i = 0; i < cpython->word_count; i++) {
			if (!cpython->words[i].has_object)
				continue;
			used++;
			words[3 + i] = 0;
			assert_int_equal(debug_offsets_objects(words, count * 8, &layout, &o), -EINVAL);
			words[3 + i] = OBJECT_FIELD_MAX + 8;
			assert_int_equal(debug_offsets_objects(words, count * 8, &layout, &o), -EINVAL);
			words[3 + i] = 64;
		}
		assert_int_equal(used, sizeof(o) / sizeof(o.gen_state));
		layout.version++;
		assert_int_equal(debug_offsets_objects(words, count * 8, &layout, &o), -EINVAL);
	}
}

TEST(from_a_process)
{
	struct layout layout = layout_find(0x030e06f0)->layout;
	struct asyncio_layout l;
	__u64 words[128];

	forge_offsets(0x030e06f0, false, words);
	layout.version = 0x030e06f0;
	assert_int_equal(asyncio_layout_read(getpid(), &layout, (uintptr_t)words, (uintptr_t)good, &l), 0);
	assert_int_equal(l.task_size, 168);
	assert_int_equal(l.objects.gen_frame, 64);
	assert_int_equal(l.states.awaited, 1);
	assert_int_equal(asyncio_layout_read(getpid(), &layout, (uintptr_t)words, 4096, &l), -EFAULT);
	assert_int_equal(asyncio_layout_read(getpid(), &layout, 4096, (uintptr_t)good, &l), -EFAULT);
	layout.version = 0x030700f0;
	assert_int_equal(asyncio_layout_read(getpid(), &layout, (uintptr_t)words, (uintptr_t)good, &l),
			 -ENOTSUP);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_debug_offsets.c - a table is taken only if it is believable: every word at hostile values, every
 * length.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "python/debug_offsets.h"
#include "tests/unit/python/forge_offsets.h"

static const __u32 versions[] = { 0x030d00f0, 0x030e06f0 };
static const size_t sizes[] = { 584, 760 };

static void believable(void **state)
{
	__u64 words[128];

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		struct layout layout, expected = layout_find(versions[v])->layout;
		const char *reason = "";

		assert_int_equal(forge_offsets(versions[v], words) * 8, sizes[v]);
		assert_int_equal(debug_offsets_parse(words, sizes[v], &layout, &reason), 0);
		assert_null(reason);
		expected.version = versions[v];
		assert_memory_equal(&layout, &expected, sizeof(layout));
	}
}

/* A length with the table in memory that ends there: ASan sees a read beyond it. */
static void every_length(void **state)
{
	__u64 words[128];

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		forge_offsets(versions[v], words);
		for (size_t len = 0; len < sizes[v]; len++) {
			_cleanup_free_ void *copy = malloc(len ? len : 1);
			struct layout layout = { .version = 7 };
			const char *reason = NULL;

			memcpy(copy, words, len);
			assert_true(debug_offsets_parse(copy, len, &layout, &reason) < 0);
			assert_non_null(reason);
			assert_int_equal(layout.version, 7);
		}
	}
}

static void headers(void **state)
{
	static const struct {
		__u64 version, free_threaded;
		int error;
	} cases[] = {
		{ 0x030d00f0, 1, -ENOTSUP }, { 0x030d00f0, 2, -EINVAL },  { 0x030e00f0, ~0ULL, -EINVAL },
		{ 0x030f00f0, 0, -ENOTSUP }, { 0x030f02f0, 0, -ENOTSUP }, { 0x040000f0, 0, -ENOTSUP },
		{ 0x030c00f0, 0, -ENOTSUP }, { 0x030b00f0, 0, -ENOTSUP }, { 0x030d00a1, 0, -ENOTSUP },
		{ 0x030e00b4, 0, -ENOTSUP }, { 0, 0, -ENOTSUP },	  { ~0U, 0, -ENOTSUP },
		{ 0x1030d00f0, 0, -EINVAL }, { ~0ULL, 0, -EINVAL },	  { 0x030d00c2, 0, 0 },
		{ 0x030dfff0, 0, 0 },
	};
	__u64 words[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *reason = NULL;
		struct layout layout;

		forge_offsets(versions[0], words);
		words[1] = cases[i].version;
		words[2] = cases[i].free_threaded;
		assert_int_equal(debug_offsets_parse(words, sizeof(words), &layout, &reason), cases[i].error);
		if (cases[i].error)
			assert_non_null(reason);
		else
			assert_int_equal(layout.version, cases[i].version);
	}
	forge_offsets(versions[0], words);
	for (int i = 0; i < 8; i++) {
		const char *reason = NULL;
		struct layout layout;

		((char *)words)[i] ^= 0x20;
		assert_int_equal(debug_offsets_parse(words, sizeof(words), &layout, &reason), -EBADMSG);
		assert_non_null(reason);
		((char *)words)[i] ^= 0x20;
	}
}

/* What may come of one wrong word: refused; or of no influence; or taken and said. */
static void judge(const struct word *word, __u64 value, int err, const struct layout *layout,
		  const struct layout *truth, const char *reason)
{
	if (err) {
		assert_int_equal(err, -EINVAL);
		assert_non_null(reason);
		return;
	}
	if (!memcmp(layout, truth, sizeof(*layout))) {
		assert_int_not_equal(word->use, WORD_FIXED);
		assert_int_not_equal(word->use, WORD_FREE);
		assert_int_not_equal(word->use, WORD_HOLDER);
		assert_null(reason);
		return;
	}
	assert_int_equal(word->use, WORD_FREE);
	assert_non_null(reason);
	assert_true(value && value % 8 == 0 && value + 8 <= 300000);
}

static void every_word(void **state)
{
	static const __u64 values[] = { 0,
					1,
					2,
					4,
					8,
					1 << 15,
					(1 << 15) + 1,
					1 << 16,
					299992,
					299996,
					300000,
					1 << 24,
					1ULL << 31,
					1ULL << 32,
					(1ULL << 32) + 72,
					(1ULL << 63) - 1,
					1ULL << 63,
					~0ULL - 7,
					~0ULL };
	unsigned int refused = 0;
	__u64 words[128];

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		const struct cpython *cpython = layout_find(versions[v]);
		struct layout truth = cpython->layout;

		truth.version = versions[v];
		for (size_t i = 0; i < cpython->word_count; i++) {
			for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
				const char *reason = NULL;
				struct layout layout;
				int err;

				forge_offsets(versions[v], words);
				if (words[3 + i] == values[k])
					continue;
				words[3 + i] = values[k];
				err = debug_offsets_parse(words, sizes[v], &layout, &reason);
				judge(&cpython->words[i], values[k], err, &layout, &truth, reason);
				refused += !!err;
			}
		}
	}
	assert_true(refused > 1500);
}

/* The key's offset is ours; it holds only where the rest of the runtime is where we know it. */
static void moved_runtime(void **state)
{
	const char *reason = NULL;
	struct layout layout;
	__u64 words[128];

	(void)state;
	forge_offsets(versions[0], words);
	assert_int_equal(words[3 + 2], 632);
	words[3 + 2] = 640;
	assert_int_equal(debug_offsets_parse(words, sizes[0], &layout, &reason), 0);
	assert_string_equal(reason, "debug offsets: unusual runtime_state.interpreters_head");
	assert_int_equal(layout.runtime_interpreters, 640);
	assert_int_equal(layout.runtime_tss_key, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(believable), cmocka_unit_test(every_length),  cmocka_unit_test(headers),
		cmocka_unit_test(every_word), cmocka_unit_test(moved_runtime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

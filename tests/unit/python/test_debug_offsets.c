// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_debug_offsets.c - a table is taken only if it is believable: every word at hostile values, every
 * length.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "python/debug_offsets.h"
#include "tests/forge/test.h"
#include "tests/unit/python/forge_offsets.h"

static const struct {
	__u32 version;
	bool free_threaded;
	size_t size;
} tables[] = {
	{ 0x030d00f0, false, 584 }, { 0x030d00f0, true, 584 }, { 0x030e06f0, false, 760 },
	{ 0x030e06f0, true, 760 },  { 0x030f02f0, false, 888 }, { 0x030f02f0, true, 888 },
};

static size_t forge_table(size_t i, __u64 words[128])
{
	return forge_offsets(tables[i].version, tables[i].free_threaded, words);
}

/* With the padding, because layouts are compared as bytes. */
static void truth_of(size_t i, struct layout *ret)
{
	memcpy(ret, layout_of_build(layout_find(tables[i].version), tables[i].free_threaded), sizeof(*ret));
	ret->version = tables[i].version;
}

TEST(believable)
{
	__u64 words[128];

	for (size_t v = 0; v < ARRAY_SIZE(tables); v++) {
		struct layout layout, expected;
		const char *reason = "";

		truth_of(v, &expected);
		assert_int_equal(forge_table(v, words) * 8, tables[v].size);
		assert_int_equal(debug_offsets_parse(words, tables[v].size, &layout, &reason), 0);
		assert_null(reason);
		assert_memory_equal(&layout, &expected, sizeof(layout));
	}
}

/* A length with the table in memory that ends there: ASan sees a read beyond it. */
TEST(every_length)
{
	__u64 words[128];

	for (size_t v = 0; v < ARRAY_SIZE(tables); v++) {
		forge_table(v, words);
		for (size_t len = 0; len < tables[v].size; len++) {
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

TEST(headers)
{
	static const struct {
		__u64 version, free_threaded;
		int error;
	} cases[] = {
		{ 0x030c00f0, 1, -ENOTSUP }, { 0x030d00f0, 2, -EINVAL },  { 0x030e00f0, ~0ULL, -EINVAL },
		{ 0x031000a1, 0, -ENOTSUP }, { 0x031000b4, 1, -ENOTSUP }, { 0x040000f0, 0, -ENOTSUP },
		{ 0x030c00f0, 0, -ENOTSUP }, { 0x030b00f0, 0, -ENOTSUP }, { 0x030d00a1, 0, -ENOTSUP },
		{ 0x030e00b4, 0, -ENOTSUP }, { 0, 0, -ENOTSUP },	  { ~0U, 0, -ENOTSUP },
		{ 0x1030d00f0, 0, -EINVAL }, { ~0ULL, 0, -EINVAL },	  { 0x030d00c2, 0, 0 },
		{ 0x030dfff0, 0, 0 },
	};
	__u64 words[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *reason = NULL;
		struct layout layout;

		forge_table(0, words);
		words[1] = cases[i].version;
		words[2] = cases[i].free_threaded;
		assert_int_equal(debug_offsets_parse(words, sizeof(words), &layout, &reason), cases[i].error);
		if (cases[i].error)
			assert_non_null(reason);
		else
			assert_int_equal(layout.version, cases[i].version);
	}
	forge_table(0, words);
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
	__u64 ours = 0;

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
	if (word->use == WORD_GC || word->use == WORD_GC_FRAME) {
		struct layout without = *layout;

		without.interp_gc_frame = truth->interp_gc_frame;
		assert_memory_equal(&without, truth, sizeof(without));
		assert_true(!layout->interp_gc_frame ||
			    (layout->interp_gc_frame < layout->interp_epoch &&
			     layout->interp_epoch + 8 - layout->interp_gc_frame <= INTERP_READ));
		return;
	}
	memcpy(&ours, (const char *)truth + word->target, word->target_width);
	assert_int_equal(word->use, WORD_FREE);
	assert_non_null(reason);
	assert_true(value && value % word->width == 0 && value + 2048 >= ours && value <= ours + 2048);
}

TEST(every_word)
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

	for (size_t v = 0; v < ARRAY_SIZE(tables); v++) {
		const struct cpython *cpython = layout_find(tables[v].version);
		struct layout truth;

		truth_of(v, &truth);
		for (size_t i = 0; i < cpython->word_count; i++) {
			for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
				const char *reason = NULL;
				struct layout layout;
				int err;

				forge_table(v, words);
				if (words[3 + i] == values[k])
					continue;
				words[3 + i] = values[k];
				err = debug_offsets_parse(words, tables[v].size, &layout, &reason);
				judge(&cpython->words[i], values[k], err, &layout, &truth, reason);
				refused += !!err;
			}
		}
	}
	assert_true(refused > 4500);
}

/* The key's offset is ours; it holds only where the rest of the runtime is where we know it. */
TEST(moved_runtime)
{
	const char *reason = NULL;
	struct layout layout;
	__u64 words[128];

	forge_table(0, words);
	assert_int_equal(words[3 + 2], 632);
	words[3 + 2] = 640;
	assert_int_equal(debug_offsets_parse(words, tables[0].size, &layout, &reason), 0);
	assert_string_equal(reason, "debug offsets: unusual runtime_state.interpreters_head");
	assert_int_equal(layout.runtime_interpreters, 640);
	assert_int_equal(layout.runtime_tss_key, 0);
}

/* --- releases that nothing is known of ----------------------------------------------------------------- */

static size_t word_of(const struct cpython *cpython, size_t target)
{
	for (size_t i = 0; i < cpython->word_count; i++) {
		if (cpython->words[i].target_width && cpython->words[i].target == target)
			return 3 + i;
	}
	fail();
	return 0;
}

#define WORD_OF(cpython, member) word_of(cpython, offsetof(struct layout, member))

/* The table of 3.15 under another number. */
static int parse_as(__u32 version, bool free_threaded, __u64 words[128], struct layout *ret,
		    const char **ret_reason)
{
	words[1] = version;
	words[2] = free_threaded;
	return debug_offsets_parse(words, 888, ret, ret_reason);
}

TEST(next_minor)
{
	static const __u32 next[] = { 0x030f03f0, 0x031000f0, 0x031000c1, 0x0310fff0, 0x031200f0 };
	__u64 words[128];

	for (size_t i = 0; i < 2 * ARRAY_SIZE(next); i++) {
		struct layout layout, expected;
		const char *reason = "";

		forge_offsets(0x030f02f0, i % 2, words);
		assert_int_equal(parse_as(next[i / 2], i % 2, words, &layout, &reason), 0);
		assert_null(reason);
		truth_of(4 + i % 2, &expected);
		expected.version = next[i / 2];
		expected.tstate_exception = 0; /* nobody has looked at it there */
		expected.tstate_size = expected.tstate_chunk + 8;
		assert_memory_equal(&layout, &expected, sizeof(layout));
	}
}

/* What a known release cannot have moved, a newer one can; the rest of the layout follows. */
TEST(moved_fields)
{
	const struct cpython *cpython = &cpython_3_15;
	__u64 words[128];

	for (int newer = 0; newer < 2; newer++) {
		const char *reason = "";
		struct layout layout;

		forge_offsets(0x030f02f0, false, words);
		words[WORD_OF(cpython, tstate_chunk)] = 280;
		words[WORD_OF(cpython, code_bytecode)] = 216;
		words[WORD_OF(cpython, frame_owner)] = 75;
		words[WORD_OF(cpython, str_ascii)] = 48;
		words[WORD_OF(cpython, str_compact)] = 64;
		if (!newer) {
			assert_int_equal(parse_as(0x030f02f0, false, words, &layout, &reason), -EINVAL);
			assert_string_equal(reason, "debug offsets: bad thread_state.datastack_chunk");
			continue;
		}
		assert_int_equal(parse_as(0x031000f0, false, words, &layout, &reason), 0);
		assert_string_equal(reason, "debug offsets: unusual thread_state.datastack_chunk");
		assert_int_equal(layout.tstate_size, 288);
		assert_int_equal(layout.code_size, 216);
		assert_int_equal(layout.code_version, 0);
		assert_int_equal(layout.frame_owner, 75);
		assert_int_equal(layout.str_compact, 64);
		assert_int_equal(layout.str_data, 64);
	}
}

/* Further apart than what the sampler reads at once, or on top of each other. */
TEST(moved_too_far)
{
	static const struct {
		size_t target;
		__u64 value;
		const char *reason;
	} cases[] = {
		{ offsetof(struct layout, tstate_chunk), 384,
		  "debug offsets: fields lie further apart than can be read" },
		{ offsetof(struct layout, frame_owner), 80,
		  "debug offsets: fields lie further apart than can be read" },
		{ offsetof(struct layout, frame_instr), 80,
		  "debug offsets: fields lie further apart than can be read" },
		{ offsetof(struct layout, frame_instr), 512,
		  "debug offsets: bad interpreter_frame.instr_ptr" },
		{ offsetof(struct layout, code_bytecode), 264,
		  "debug offsets: fields lie further apart than can be read" },
		{ offsetof(struct layout, code_linetable), 216,
		  "debug offsets: fields lie further apart than can be read" },
		{ offsetof(struct layout, code_name), 112, "debug offsets: bad code_object.name" },
		{ offsetof(struct layout, frame_previous), 0,
		  "debug offsets: bad interpreter_frame.previous" },
		{ offsetof(struct layout, tstate_interp), 8, "debug offsets: bad thread_state.interp" },
		{ offsetof(struct layout, str_ascii), 24,
		  "debug offsets: fields lie further apart than can be read" },
		{ offsetof(struct layout, tstate_next), 1ULL << 32, "debug offsets: bad thread_state.next" },
	};
	__u64 words[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct layout layout = { .version = 7 };
		const char *reason = NULL;

		forge_offsets(0x030f02f0, false, words);
		words[word_of(&cpython_3_15, cases[i].target)] = cases[i].value;
		assert_int_equal(parse_as(0x031000f0, false, words, &layout, &reason), -EINVAL);
		assert_string_equal(reason, cases[i].reason);
		assert_int_equal(layout.version, 7);
	}
}

/* Whatever is taken from a release that nothing is known of keeps the bounds by which the sampler reads. */
TEST(newer_stays_in_bounds)
{
	__u64 words[128], seed = 1, taken = 0;

	for (int round = 0; round < 200000; round++) {
		const char *reason = NULL;
		struct layout l;

		forge_offsets(0x030f02f0, round % 2, words);
		for (int k = 0; k < 1 + round % 3; k++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			words[3 + (seed >> 33) % cpython_3_15.word_count] =
				(seed >> 20) % (round % 5 ? 600 : 300000) & ~3ULL;
		}
		if (parse_as(0x031000f0, round % 2, words, &l, &reason))
			continue;
		taken++;
		assert_true(l.frame_code + 8 <= FRAME_READ && l.frame_previous + 8 <= FRAME_READ &&
			    l.frame_instr + 8 <= FRAME_READ && l.frame_owner < FRAME_READ);
		assert_true(l.tstate_size <= TSTATE_READ && l.tstate_size % 8 == 0);
		assert_true(l.tstate_chunk + 8 <= l.tstate_size && l.tstate_base_frame + 8 <= l.tstate_size);
		assert_true(l.code_size <= 256 && l.code_qualname + 8 <= l.code_size);
		assert_true(l.str_ascii <= 256 && l.str_length + 8 <= l.str_ascii);
	}
	assert_true(taken > 1000);
}

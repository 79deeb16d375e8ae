// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_layout.c - which versions have a layout, why the others have none, and that each layout keeps the
 * bounds by which the sampler reads. That the numbers are right is the business of
 * tests/oracle/test_layouts.py.
 */

#include "base/cleanup.h"
#include "python/layout.h"
#include "tests/forge/test.h"

static const struct cpython *const known[] = {
#define CPYTHON(major_, minor_) &cpython_##major_##_##minor_,
#include "python/layouts/versions.def"
#undef CPYTHON
};

TEST(by_version)
{
	assert_int_equal(layout_for_version(0x030b07f0, false)->frame_owner, 69);
	assert_int_equal(layout_for_version(0x030b07f0, false)->version, 0x030b07f0);
	assert_int_equal(layout_for_version(0x030c01f0, false)->tstate_thread_id, 136);
	/* 3.13 and later must be asked. */
	assert_null(layout_for_version(0x030d00f0, false));
	assert_null(layout_for_version(0x030e00f0, false));
	assert_null(layout_for_version(0x030c01f0, true));
	assert_null(layout_for_version(0x030c00c1, false));
	assert_null(layout_for_version(0x030c00a7, false));
	assert_int_equal(layout_for_version(0x030a0df0, false)->frame_instr, 96);
	assert_int_equal(layout_for_version(0x03060ff0, false)->frame_instr, 120);
	assert_null(layout_for_version(0x030a0df0, true));
	assert_null(layout_for_version(0x030900a6, false));
	assert_null(layout_for_version(0x03050af0, false));
	assert_null(layout_for_version(0x030f00f0, false));
	assert_null(layout_for_version(0x031000f0, false));
	assert_int_equal(layout_for_version(0x020712f0, false)->tstate_thread_id, 144);
	assert_null(layout_for_version(0x020712c1, false));
	assert_null(layout_for_version(0x020712f0, true));
	assert_null(layout_for_version(0x020609f0, false));
	assert_null(layout_for_version(0x020800f0, false));
	assert_null(layout_for_version(0, false));
	assert_null(layout_for_version(~0U, false));
	assert_null(layout_find(0x031000f0));
	assert_ptr_equal(layout_find(0x030d12f0), &cpython_3_13);
	assert_ptr_equal(layout_of_build(&cpython_3_13, false), &cpython_3_13.layout);
	assert_int_equal(layout_of_build(&cpython_3_13, true)->str_ascii, 56);
	assert_null(layout_of_build(&cpython_3_12, true));
}

/* By what the tables of debug offsets are read, that of the next version too. */
TEST(models)
{
	assert_ptr_equal(layout_model(0x030d12f0), &cpython_3_13);
	assert_ptr_equal(layout_model(0x030f00f0), &cpython_3_15);
	assert_ptr_equal(layout_model(0x031000f0), &cpython_3_15);
	assert_ptr_equal(layout_model(0x032000f0), &cpython_3_15);
	assert_null(layout_model(0x040000f0));
	assert_null(layout_model(0x030c00f0));
	assert_null(layout_model(0x03050af0));
	assert_true(layout_is_released(0x031000f0) && layout_is_released(0x031000c1));
	assert_false(layout_is_released(0x031000b1));
}

/* 3.7.4 moved what comes behind the collector's part of the runtime. */
TEST(patch_release)
{
	static const __u32 versions[] = { 0x030700f0, 0x030703f0, 0x030704f0, 0x030710f0 };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		const struct layout *l = layout_for_version(versions[i], false);

		assert_int_equal(l->runtime_tss_key - l->runtime_tstate, 24);
		assert_int_equal(l->runtime_tstate - GILSTATE_SHIFT, i < 2 ? 1392 : 1480);
		assert_int_equal(l->runtime_interpreters, 24);
	}
}

TEST(reasons)
{
	assert_string_equal(layout_refusal(0x03050af0, false), "CPython older than 3.6, and not 2.7");
	assert_string_equal(layout_refusal(0x020609f0, false), "CPython older than 3.6, and not 2.7");
	assert_string_equal(layout_refusal(0x020712c1, false), "pre-release of CPython");
	assert_string_equal(layout_refusal(0x030a00b4, false), "pre-release of CPython");
	assert_string_equal(layout_refusal(0x031000a1, false), "pre-release of CPython");
	assert_string_equal(layout_refusal(0x040000f0, false), "version of CPython without a known layout");
	assert_string_equal(layout_refusal(0x030c00f0, true),
			    "free-threaded build of a version that has none");
	assert_string_equal(layout_refusal(0x030c00c1, false), "pre-release of CPython");
	assert_string_equal(layout_refusal(0x030d00a1, false), "pre-release of CPython");
	for (__u32 minor = 0; minor < 0x10000; minor += 7)
		assert_non_null(layout_refusal(minor << 16, minor & 1));
}

TEST(texts)
{
	static const struct {
		__u32 version;
		bool free_threaded;
		const char *text;
	} cases[] = {
		{ 0x030b07f0, false, "3.11.7" },      { 0x030d12f0, true, "3.13.18t" },
		{ 0x030e00c2, false, "3.14.0rc2" },   { 0x030f00a1, false, "3.15.0a1" },
		{ 0x030f00b4, false, "3.15.0b4" },    { 0x03000000, false, "3.0.0?0" },
		{ 0xffffffff, true, "255.255.255t" },
	};
	char text[VERSION_STRING_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		layout_version_string(cases[i].version, cases[i].free_threaded, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void check_bounds(const struct layout *l)
{
	const __u16 thread[] = { l->tstate_next,  l->tstate_interp, l->tstate_frame,	 l->tstate_thread_id,
				 l->tstate_chunk, l->tstate_status, l->tstate_base_frame };
	const __u16 code[] = { l->code_filename,  l->code_name,	      l->code_qualname,
			       l->code_linetable, l->code_first_line, l->code_version };

	assert_true(l->frame_size >= FRAME_READ && l->frame_size <= FRAME_READ_MAX);
	assert_true(l->frame_code + 8 <= l->frame_size && l->frame_previous + 8 <= l->frame_size);
	assert_true(l->frame_instr + 8 <= l->frame_size && l->frame_owner < l->frame_size &&
		    l->frame_is_entry < l->frame_size);
	assert_true(l->tstate_size <= TSTATE_READ && l->tstate_size % 8 == 0);
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++)
		assert_true(thread[i] + 8 <= l->tstate_size);
	for (size_t i = 0; i < ARRAY_SIZE(code); i++)
		assert_true(code[i] + 8 <= l->code_size);
	assert_true(l->tstate_frame && l->tstate_thread_id && l->interp_threads);
	assert_true(l->code_filename && l->code_name && l->code_linetable && l->code_first_line);
	assert_true(l->str_ascii && l->bytes_data);
	if (l->str_implied) { /* complete, and all that the state is asked for */
		assert_int_equal(l->str_implied,
				 1 << l->str_kind_shift | 1 << l->str_compact_bit | 1 << l->str_ascii_bit);
		assert_int_equal(l->str_compact | l->str_data, 0);
	} else {
		assert_true(l->str_compact > l->str_ascii && l->str_data);
	}
	assert_int_equal(l->root_rule == ROOT_ENTRY, l->frame_is_entry != 0);
	assert_int_equal(l->root_rule == ROOT_BASE, l->tstate_base_frame != 0);
	assert_int_equal(l->owner_shim, l->root_rule == ROOT_SHIM || l->root_rule == ROOT_BASE ? 3 : 256);
	assert_int_equal(l->frame_object != 0, l->root_rule != ROOT_NULL);
	assert_int_equal(l->frame_object != 0, l->object_frame != 0);
	assert_int_equal(l->object_data > l->object_frame,
			 l->root_rule == ROOT_SHIM || l->root_rule == ROOT_BASE);
	assert_int_equal(l->code_numbers != 0, l->has_cframe);
	assert_int_equal(l->code_numbers != 0, l->frame_locals && l->tstate_exc_info);
	assert_int_equal(l->code_tlbc != 0,
			 l->frame_tlbc_index && l->code_count && l->interp_tlbc_generation);
	assert_int_equal(l->epoch_size != 0, l->interp_epoch != 0);
	assert_true(!l->interp_gc_frame || (l->interp_gc_frame < l->interp_epoch &&
					    l->interp_epoch + 8 - l->interp_gc_frame <= INTERP_READ));
	assert_int_equal(!l->interp_gil && !l->runtime_gil, !l->gil_holder);
	assert_int_equal(l->version, 0);
}

/*
 * Up to 3.10 frames are objects; from 3.11 on they lie on a stack of their own, and code has a qualified
 * name.
 */
static void check_kind(const struct layout *l, bool objects, bool two)
{
	assert_int_equal(l->frame_lasti, objects);
	assert_int_equal(l->frame_generator != 0, objects && !two);
	assert_int_equal(l->str_implied != 0, two);
	assert_int_equal(l->line_format == LINES_27, two);
	assert_true(l->frame_generator + 8 <= l->frame_size);
	assert_true(l->frame_running < l->frame_size);
	assert_true(objects || !(l->frame_running | l->running));
	assert_int_equal(l->root_rule == ROOT_NULL, objects);
	assert_int_equal(l->line_format != LINES_LOCATIONS, objects);
	assert_int_equal(l->frame_size == FRAME_READ_MAX, objects);
	assert_int_equal(!l->tstate_chunk, objects);
	assert_int_equal(!l->code_qualname, objects);
	assert_int_equal(!l->code_bytecode, objects);
	assert_int_equal(l->code_size, objects ? l->code_linetable + 8 : l->code_bytecode);
}

TEST(bounds)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		check_bounds(&known[i]->layout);
		check_kind(&known[i]->layout, known[i]->minor < 0x030b, known[i]->minor == 0x0207);
		assert_int_equal(known[i]->layout.free_threaded, 0);
		assert_int_equal(!known[i]->free_threaded, known[i]->minor < 0x030d);
		if (known[i]->free_threaded) {
			check_bounds(known[i]->free_threaded);
			assert_int_equal(known[i]->free_threaded->free_threaded, 1);
		}
		assert_int_equal(!known[i]->words, !known[i]->word_count);
		assert_int_equal(known[i]->words ? known[i]->newest >> 16 : 0,
				 known[i]->words ? known[i]->minor : 0);
		assert_int_equal(!known[i]->words, known[i]->minor < 0x030d);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(known[k]->minor, known[i]->minor);
	}
}

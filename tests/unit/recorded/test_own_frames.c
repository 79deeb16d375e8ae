// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_own_frames.c - whose time the stacks of a recorded profile are, by functions and by packages.
 */
#include <string.h>

#include "recorded/own_frames.h"
#include "tests/forge/recording.h"

static __u32 place(struct recorded *r, enum frame_kind kind, const char *name, const char *file)
{
	const struct recorded_function f = { .name = recording_string(r, name),
					     .file = kind == FRAME_NATIVE ? 0 : recording_string(r, file) };
	const struct recorded_mapping m = { .file = recording_string(r, file) };
	struct recorded_place p = { .kind = kind };
	__u32 id;

	assert_int_equal(recorded_function(r, &f, &p.function), 0);
	if (kind == FRAME_NATIVE)
		assert_int_equal(recorded_mapping(r, &m, &p.mapping), 0);
	assert_int_equal(recorded_place(r, &p, &id), 0);
	return id;
}

/* Each letter of a stack is a frame, leaf first. */
TEST(stacks)
{
	static const struct {
		const char *frames;
		size_t function, package;
		bool any;
	} rows[] = {
		{ "p", 0, 0, true },	{ "cp", 1, 1, true },	{ "cnp", 2, 1, true },
		{ "ncp", 2, 0, true },	{ "snp", 2, 1, true },	{ "cc", 0, 0, false },
		{ "ccn", 0, 2, true },	{ "cm", 1, 1, true },	{ "", 0, 0, false },
		{ "cpnp", 1, 1, true },
	};
	_cleanup_recorded_ struct recorded r = { .type_count = 1 };
	const struct {
		char letter;
		__u32 place;
	} known[] = {
		{ 'p', place(&r, FRAME_PYTHON, "f", "/srv/app.py") },
		{ 'n', place(&r, FRAME_NATIVE, "sort", "/v/lib/python3.11/site-packages/numpy/x.so") },
		{ 'c', place(&r, FRAME_NATIVE, "memcpy", "/lib/libc.so.6") },
		{ 's', place(&r, FRAME_SYSCALL, "[syscall read]", "") },
		{ 'm', place(&r, FRAME_MARKER, "[truncated]", "") },
	};
	struct own_frames own;

	assert_int_equal(own_frames_open(&r, &own), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct recorded_stack s = { 0 };
		__u32 places[8];
		bool any;

		for (; rows[i].frames[s.n]; s.n++)
			for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
				if (known[k].letter == rows[i].frames[s.n])
					places[s.n] = known[k].place;
		s.places = places;
		assert_int_equal(own_frames_function(&r, &s), rows[i].function);
		assert_int_equal(own_frames_package(&own, &s, &any), rows[i].package);
		assert_int_equal(any, rows[i].any);
	}
	assert_true(own_frames_is_of_package(&own, known[1].place));
	assert_false(own_frames_is_of_package(&own, known[2].place));
	assert_string_equal(recorded_get_string(&r, own_frames_file(&r, known[2].place)), "/lib/libc.so.6");
	assert_string_equal(recorded_get_string(&r, own_frames_file(&r, known[0].place)), "/srv/app.py");
	own_frames_close(&own);
}

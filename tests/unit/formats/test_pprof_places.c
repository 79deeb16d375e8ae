// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pprof_places.c - what samples of a pprof file refer to is there; machine code has names, or what a
 * server needs to find them.
 */
#include <errno.h>

#include <stdlib.h>
#include <string.h>

#include "profile/filter.h"
#include "tests/forge/test.h"
#include "tests/unit/formats/pprof_example.h"

/* The records are found by id; ids are unique because each is its place in the list. */
TEST(every_reference_leads_somewhere)
{
	_cleanup_profile_ struct profile *p = example();
	Pyperf__Profile *d = encode_and_decode(p);
	assert_int_equal(d->n_mapping, 2);
	for (size_t i = 0; i < d->n_mapping; i++) {
		const Pyperf__Mapping *m = d->mapping[i];

		assert_int_equal(m->id, i + 1);
		assert_true(m->memory_start && m->memory_limit > m->memory_start);
		if (i) /* neither in one another nor side by side */
			assert_true(m->memory_start > d->mapping[0]->memory_limit ||
				    m->memory_limit < d->mapping[0]->memory_start);
		assert_true(*string(d, m->filename));
		string(d, m->build_id);
		assert_true(m->has_functions && m->has_filenames && m->has_line_numbers);
	}
	assert_int_equal(d->n_function, 5);
	for (size_t i = 0; i < d->n_function; i++) {
		assert_int_equal(d->function[i]->id, i + 1);
		assert_true(*string(d, d->function[i]->name));
		string(d, d->function[i]->filename);
	}
	assert_int_equal(d->n_location, 5);
	for (size_t i = 0; i < d->n_location; i++) {
		const uint64_t of = d->location[i]->mapping_id, address = d->location[i]->address;

		/* No address lies outside of its mapping. */
		if (of)
			assert_in_range(address, d->mapping[of - 1]->memory_start,
					d->mapping[of - 1]->memory_limit - 1);
		else
			assert_int_equal(address, 0);
		assert_int_equal(d->location[i]->id, i + 1);
		assert_in_range(d->location[i]->mapping_id, 0, d->n_mapping);
		assert_int_equal(d->location[i]->n_line, 1);
		assert_in_range(d->location[i]->line[0]->function_id, 1, d->n_function);
	}
	for (size_t i = 0; i < d->n_sample; i++)
		for (size_t j = 0; j < d->sample[i]->n_location_id; j++)
			assert_in_range(d->sample[i]->location_id[j], 1, d->n_location);
	for (size_t i = 0; i < d->n_string_table; i++)
		for (const char *at = d->string_table[i]; *at; at += buf_utf8_length(at))
			assert_int_not_equal(buf_utf8_length(at), 0);
	pyperf__profile__free_unpacked(d, NULL);
}

/* Where a store has seen it once it is in each profile, whatever else is in there. */
TEST(a_mapping_begins_where_it_does_in_other_profiles)
{
	static const char *const files[] = { "/usr/bin/python3.14", "/usr/bin/python3.11", "/lib/x.so" };
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	const size_t count = ARRAY_SIZE(files);
	uint64_t start[2][ARRAY_SIZE(files)];
	__u32 mapping;

	for (int turned = 0; turned < 2; turned++) {
		_cleanup_profile_ struct profile *p = NULL;
		Pyperf__Profile *d;

		assert_int_equal(profile_new(&info, &p), 0);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(profile_mapping(p, files[turned ? count - 1 - i : i], NULL,
							 &mapping), 0);
		d = encode_and_decode(p);
		assert_int_equal(d->n_mapping, count);
		for (size_t i = 0; i < count; i++)
			start[turned][turned ? count - 1 - i : i] = d->mapping[i]->memory_start;
		pyperf__profile__free_unpacked(d, NULL);
	}
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(start[0][i], start[1][i]);
		assert_int_not_equal(start[0][i], start[0][(i + 1) % count]);
	}
}

/* Of what the server is to name there are addresses of the file, and of the rest what is known. */
TEST(names_for_the_server)
{
	static const __u64 shift = 0x1000;
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	struct profile_labels labels = { .pid = 12, .comm = "web" };
	__u32 mapping, function, l[4];

	for (int bare = 0; bare < 2; bare++) {
		_cleanup_profile_ struct profile *p = NULL, *copy = NULL;
		const struct profile_filter everything = { 0 };
		Pyperf__Profile *d;

		info.bare_natives = bare;
		assert_int_equal(profile_new(&info, &p), 0);
		assert_int_equal(profile_function(p, FRAME_NATIVE, "deflate", "", 0, &function), 0);
		assert_int_equal(profile_mapping_native(p, "/lib/libz.so", "cafe", &shift, &mapping), 0);
		assert_int_equal(profile_location_native(p, function, mapping, 0x57e0, &l[0]), 0);
		assert_int_equal(profile_mapping_native(p, "/lib/odd.so", "cafe", NULL, &mapping), 0);
		assert_int_equal(profile_location_native(p, function, mapping, 0x10, &l[1]), 0);
		assert_int_equal(profile_mapping_native(p, "/lib/unknown.so", "", &shift, &mapping), 0);
		assert_int_equal(profile_location_native(p, function, mapping, 0x20, &l[2]), 0);
		assert_int_equal(profile_mapping(p, "/lib/libz.so", "cafe", &mapping), 0);
		assert_int_equal(mapping, 4); /* not that of its machine code */
		assert_int_equal(profile_location(p, function, 7, 0, mapping, &l[3]), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, l, 4, &labels, 1), 0);
		assert_int_equal(profile_filter_apply(&everything, p, &copy), 0);
		d = encode_and_decode(copy);
		for (int i = 0; i < 4; i++) {
			const bool without = bare && !i;

			assert_int_equal(d->mapping[i]->has_functions, !without);
			assert_int_equal(d->mapping[i]->has_line_numbers, i == 3);
			assert_int_equal(d->mapping[i]->has_filenames, i == 3);
			assert_int_equal(d->mapping[i]->has_inline_frames, 0);
			assert_int_equal(d->location[i]->n_line, !without);
		}
		if (bare) {
			assert_int_equal(d->location[0]->address, 0x57e0 + 0x1000);
			assert_int_equal(d->mapping[0]->memory_start, 0x1000);
		} else {
			assert_int_equal(d->location[0]->address - d->mapping[0]->memory_start, 0x57e0);
			assert_true(d->mapping[0]->memory_start >= 1ULL << 32);
		}
		pyperf__profile__free_unpacked(d, NULL);
	}
}

/* Functions that were inlined are lines of one location, after a copy and without one; "bare" it has none. */
TEST(inlined_functions)
{
	static const __u64 shift = 0x1000;
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	const struct profile_filter everything = { 0 };
	const struct profile_labels labels = { .pid = 12 };
	__u32 mapping, f[3], l[3];

	for (int i = 0; i < 4; i++) {
		_cleanup_profile_ struct profile *p = NULL, *copy = NULL;
		Pyperf__Profile *d;

		info.bare_natives = i & 1;
		assert_int_equal(profile_new(&info, &p), 0);
		assert_int_equal(profile_mapping_native(p, "/lib/libz.so", "cafe", &shift, &mapping), 0);
		assert_int_equal(profile_function(p, FRAME_NATIVE, "innermost", "a.h", 0, &f[0]), 0);
		assert_int_equal(profile_function(p, FRAME_NATIVE, "outermost", "a.c", 0, &f[1]), 0);
		assert_int_equal(profile_function(p, FRAME_NATIVE, "caller", "b.c", 0, &f[2]), 0);
		assert_int_equal(profile_location_line(p, f[0], 3, mapping, 16, 1, &l[0]), -EINVAL);
		assert_int_equal(profile_location_line(p, f[1], 5, mapping, 16, 0, &l[1]), 0);
		assert_int_equal(profile_location_line(p, f[0], 3, mapping, 16, l[1], &l[0]), 0);
		assert_int_equal(profile_location_line(p, f[2], 8, mapping, 32, 0, &l[2]), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, l, 3, &labels, 1), 0);
		assert_int_equal(profile_filter_apply(&everything, p, &copy), 0);
		d = encode_and_decode(i & 2 ? copy : p);
		assert_int_equal(d->sample[0]->n_location_id, 2);
		assert_int_equal(d->mapping[0]->has_line_numbers, !(i & 1));
		assert_int_equal(d->mapping[0]->has_filenames, !(i & 1));
		assert_int_equal(d->mapping[0]->has_inline_frames, !(i & 1));
		for (int k = 0; k < 2; k++) {
			const Pyperf__Location *location = d->location[d->sample[0]->location_id[k] - 1];

			assert_int_equal(location->address - d->mapping[0]->memory_start, k ? 32 : 16);
			assert_int_equal(location->n_line, i & 1 ? 0 : 2 - k);
			for (size_t n = 0; n < location->n_line; n++)
				assert_int_equal(location->line[n]->line, k ? 8 : n ? 5 : 3);
		}
		pyperf__profile__free_unpacked(d, NULL);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_otlp.c - what pprof says of a profile OTLP says, too: each value of each sample type, once, in the
 * profile of its process. Whether the message is one by OpenTelemetry's own definitions is judged by
 * tests/e2e/output/test_otlp.py.
 */
#include <stdio.h>
#include <string.h>

#include "formats/otlp.h"
#include "tests/forge/otlp.h"
#include "tests/forge/test.h"
#include "tests/unit/formats/pprof_example.h"

static struct buf plain;

static struct message encode(const struct profile *p)
{
	_cleanup_buf_ struct buf out = {};

	buf_clear(&plain);
	assert_int_equal(otlp_encode_of_host(p, "here", &out), 0);
	decompress(&out, &plain);
	return (struct message){ plain.data, plain.size };
}

static struct message string_of(struct message all, __u64 index)
{
	return otlp_message(otlp_message(all, OTLP_DATA_DICTIONARY, 0), OTLP_STRING, index);
}

static void assert_type(struct message all, struct message profile, unsigned int field, const char *type,
			const char *unit)
{
	struct message m = otlp_message(profile, field, 0);

	assert_text(string_of(all, otlp_number(m, OTLP_VALUE_TYPE_TYPE)), type);
	assert_text(string_of(all, otlp_number(m, OTLP_VALUE_TYPE_UNIT)), unit);
}

/* The nth profile of a resource. */
static struct message profile_of(struct message all, size_t resource, size_t nth)
{
	struct message r = otlp_message(all, OTLP_DATA_RESOURCE_PROFILES, resource);
	struct message scope = otlp_message(r, OTLP_RESOURCE_PROFILES_SCOPE_PROFILES, 0);

	return otlp_message(scope, OTLP_SCOPE_PROFILES_PROFILES, nth);
}

static __u64 sum_of(struct message profile)
{
	__u64 sum = 0;

	for (size_t i = 0; i < otlp_count(profile, OTLP_PROFILE_SAMPLES); i++)
		sum += otlp_packed(otlp_message(profile, OTLP_PROFILE_SAMPLES, i), OTLP_SAMPLE_VALUES, 0);
	return sum;
}

/* Of the example two processes have 47 and 3 samples. */
TEST(a_profile_for_each_process_and_type)
{
	static const __u64 samples[] = { 47, 3 };
	_cleanup_profile_ struct profile *p = example();
	struct message all = encode(p);

	assert_int_equal(otlp_count(all, OTLP_DATA_RESOURCE_PROFILES), 2);
	for (size_t i = 0; i < 2; i++) {
		struct message count = profile_of(all, i, 0), time = profile_of(all, i, 1);

		assert_type(all, count, OTLP_PROFILE_SAMPLE_TYPE, "samples", "count");
		assert_type(all, time, OTLP_PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
		assert_int_equal(otlp_count(count, OTLP_PROFILE_PERIOD_TYPE), 0);
		assert_type(all, time, OTLP_PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
		assert_int_equal(otlp_number(time, OTLP_PROFILE_PERIOD), PERIOD);
		assert_int_equal(otlp_number(time, OTLP_PROFILE_TIME_UNIX_NANO), 1700000000000000000);
		assert_int_equal(otlp_number(time, OTLP_PROFILE_DURATION_NANO), 2000000000);
		assert_int_equal(sum_of(count), samples[i]);
		assert_int_equal(sum_of(time), samples[i] * PERIOD);
	}
	buf_free(&plain);
}

/* A type that a process has nothing of is not there, nor a stack of which only another type has something. */
TEST(what_is_nothing_is_left_out)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU),
						  .period_ns = PERIOD,
						  .start_unix_ns = 17 };
	_cleanup_profile_ struct profile *p = NULL;
	struct message all;
	__u32 f, g;

	assert_int_equal(profile_new(&info, &p), 0);
	f = location(p, "f", "", 0, 0, 0);
	g = location(p, "g", "", 0, 0, 0);
	assert_int_equal(profile_sample(p, EVENT_OFFCPU, &f, 1, &(struct profile_labels){ .pid = 1 }, 5), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &g, 1, &(struct profile_labels){ .pid = 2 }, 1), 0);
	assert_int_equal(profile_sample(p, EVENT_OFFCPU, &f, 1, &(struct profile_labels){ .pid = 2 }, 9), 0);
	all = encode(p);
	assert_type(all, profile_of(all, 0, 0), OTLP_PROFILE_SAMPLE_TYPE, "offcpu", "nanoseconds");
	assert_int_equal(sum_of(profile_of(all, 0, 0)), 5);
	assert_type(all, profile_of(all, 1, 0), OTLP_PROFILE_SAMPLE_TYPE, "samples", "count");
	assert_int_equal(otlp_count(profile_of(all, 1, 0), OTLP_PROFILE_SAMPLES), 1);
	assert_type(all, profile_of(all, 1, 2), OTLP_PROFILE_SAMPLE_TYPE, "offcpu", "nanoseconds");
	assert_int_equal(sum_of(profile_of(all, 1, 2)), 9);
	buf_free(&plain);
}

/* Of --symbols server: two functions in one place, and each of their values. */
TEST(stacks_that_become_one_are_one_sample)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU), .period_ns = PERIOD, .start_unix_ns = 17, .bare_natives = true
	};
	static const __u64 shift;
	_cleanup_profile_ struct profile *p = NULL;
	struct message all, profile;
	__u32 mapping, function, place;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_mapping_native(p, "/lib/libz.so", "c0ffee", &shift, &mapping), 0);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(profile_function(p, FRAME_NATIVE, i % 2 ? "a" : "b", "", 0, &function), 0);
		assert_int_equal(profile_location_native(p, function, mapping, 0x10, &place), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, &place, 1,
						&(struct profile_labels){ .pid = 1, .tid = 1 + i / 2 },
						i == 5 ? INT64_MAX : 1 << i),
				 0);
	}
	all = encode(p);
	profile = profile_of(all, 0, 0);
	assert_int_equal(otlp_count(profile, OTLP_PROFILE_SAMPLES), 3);
	assert_int_equal(otlp_packed(otlp_message(profile, OTLP_PROFILE_SAMPLES, 0), OTLP_SAMPLE_VALUES, 0),
			 3);
	assert_int_equal(otlp_packed(otlp_message(profile, OTLP_PROFILE_SAMPLES, 1), OTLP_SAMPLE_VALUES, 0),
			 12);
	assert_true(otlp_packed(otlp_message(profile, OTLP_PROFILE_SAMPLES, 2), OTLP_SAMPLE_VALUES, 0) ==
		    INT64_MAX);
	buf_free(&plain);
}

TEST(an_empty_profile_has_a_dictionary)
{
	_cleanup_profile_ struct profile *p = new_profile();
	struct message all = encode(p);

	assert_int_equal(otlp_count(all, OTLP_DATA_RESOURCE_PROFILES), 0);
	assert_int_equal(otlp_count(otlp_message(all, OTLP_DATA_DICTIONARY, 0), OTLP_STRING), 1);
	buf_free(&plain);
}

/* What a reader has to know of the ticks stands in each profile. */
TEST(missing_ticks_are_said)
{
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU),
				     .period_ns = PERIOD,
				     .start_unix_ns = 17,
				     .ticks_came = 90,
				     .ticks_wanted = 100 };
	_cleanup_profile_ struct profile *p = NULL;
	struct message all, dictionary, value;
	__u32 f;

	assert_int_equal(profile_new(&info, &p), 0);
	f = location(p, "f", "", 0, 0, 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &f, 1, &(struct profile_labels){ .pid = 1 }, 5), 0);
	all = encode(p);
	dictionary = otlp_message(all, OTLP_DATA_DICTIONARY, 0);
	for (size_t i = 0; i < 2; i++) {
		__u64 index = otlp_packed(profile_of(all, 0, i), OTLP_PROFILE_ATTRIBUTE_INDICES, 0);
		struct message attribute = otlp_message(dictionary, OTLP_ATTRIBUTE, index);

		assert_text(string_of(all, otlp_number(attribute, OTLP_ATTRIBUTE_KEY)),
			    "pprof.profile.comment");
		value = otlp_message(otlp_message(attribute, OTLP_ATTRIBUTE_VALUE, 0), OTLP_ANY_ARRAY, 0);
		value = otlp_message(otlp_message(value, OTLP_ARRAY_VALUES, 0), OTLP_ANY_STRING, 0);
		assert_non_null(memmem(value.data, value.size, "90 of 100 ticks came", 20));
	}
	buf_free(&plain);
}

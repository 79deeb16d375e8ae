// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pprof_header.c - what a pprof file says of itself: its sample types, its time, and the ticks that are
 * missing.
 */
#include <string.h>

#include "tests/forge/test.h"
#include "tests/unit/formats/pprof_example.h"

static struct profile *profile;
static struct profile_info info; /* of the profile, which a test changes before say() */
static Pyperf__Profile *d;

static int setup(void **state)
{
	(void)state;
	profile = example();
	info = *profile_get_info(profile);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (d)
		pyperf__profile__free_unpacked(d, NULL);
	d = NULL;
	profile_free(profile);
	return 0;
}

/* What the file is then, with so many comments. */
static void say(size_t comments)
{
	assert_int_equal(profile_set_info(profile, &info), 0);
	if (d)
		pyperf__profile__free_unpacked(d, NULL);
	d = encode_and_decode(profile);
	assert_int_equal(d->n_comment, comments);
}

static void assert_type(const Pyperf__ValueType *t, const char *type, const char *unit)
{
	assert_string_equal(string(d, t->type), type);
	assert_string_equal(string(d, t->unit), unit);
}

TEST(header_says_what_is_measured)
{
	say(0);
	assert_int_equal(d->n_sample_type, 2);
	assert_type(d->sample_type[0], "samples", "count");
	assert_type(d->sample_type[1], "cpu", "nanoseconds");
	assert_type(d->period_type, "cpu", "nanoseconds");
	assert_string_equal(string(d, d->default_sample_type), "cpu");
	assert_int_equal(d->period, PERIOD);
	assert_true(d->time_nanos == 1700000000000000000);
	assert_int_equal(d->duration_nanos, 2000000000);
	assert_string_equal(d->string_table[0], "");
}

TEST(ticks_that_are_missing)
{
	info.period_ns = 2 * PERIOD;
	info.ticks_came = 600;
	info.ticks_wanted = 1200;
	say(1);
	assert_int_equal(d->period, 2 * PERIOD);
	assert_string_equal(string(d, d->comment[0]), "600 of 1200 ticks came: times are made up for that, "
						      "a sample stands for 20000000 ns");
	assert_int_equal(d->sample[0]->value[1], d->sample[0]->value[0] * 2 * PERIOD);
}

TEST(processes_that_were_not_looked_at)
{
	info.unlooked = 300;
	say(1);
	assert_string_equal(string(d, d->comment[0]),
			    "300 processes could not be looked at: what they did is not in this profile");
	snprintf(info.whose_unlooked, sizeof(info.whose_unlooked), "300 of uid 7");
	say(1);
	assert_string_equal(string(d, d->comment[0]), "300 processes could not be looked at (300 of uid 7): "
						      "what they did is not in this profile");
}

TEST(ticks_of_what_had_only_begun)
{
	info.unanalysed = 12;
	info.forbidden = 3;
	say(2);
	assert_string_equal(string(d, d->comment[1]),
			    "3 ticks of processes that may not be read are not in this profile");
	assert_string_equal(string(d, d->comment[0]), "12 ticks of programs that had only begun and were not "
						      "analysed yet are not in this profile");
}

TEST(what_the_log_has_lost)
{
	info.losses[0] = (struct profile_loss){ 1764079397123000000, 1764079398400999999, 12 };
	info.loss_count = 1;
	say(1);
	assert_string_equal(string(d, d->comment[0]),
			    "samples that the log has lost are missing: 12 from 2025-11-25T14:03:17.123Z to "
			    "2025-11-25T14:03:18.400Z");
}

TEST(tables_without_room)
{
	info.full[FULL_TABLE_waits_full] = 7;
	say(1);
	assert_memory_equal(string(d, d->comment[0]), "7 waits of threads found no room", 32);
}

TEST(ticks_that_are_missing_on_some_cpus)
{
	info.short_cpus[0] = (struct profile_cpu){ 3, 0, 5940 };
	info.short_cpu_count = 1;
	say(1);
	assert_string_equal(string(d, d->comment[0]),
			    "ticks are missing on some CPUs: 0 of 5940 came on CPU 3");
	info.ticks_came = 600;
	info.ticks_wanted = 1200;
	info.short_cpu_count = 260;
	for (int i = 0; i < PROFILE_CPUS_MAX; i++)
		info.short_cpus[i] = (struct profile_cpu){ ~0U, ~0ULL - 1, ~0ULL };
	say(2);
	assert_memory_equal(string(d, d->comment[0]), "600 of 1200 ticks came:", 23);
	assert_non_null(strstr(string(d, d->comment[1]), ", and less than should on 256 others"));
}

AROUND_EACH(setup, teardown);

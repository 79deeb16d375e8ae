// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pushed_books.c - the books that are pushed with a profile come back: they are samples, so whoever adds
 * profiles up adds them up, too. The ticks are as they are without them. And a store may say anything.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "formats/pprof.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "tests/forge/test.h"

static struct recorded answer;
static struct pushed_books books;

static int setup(void **state)
{
	(void)state;
	memset(&answer, 0, sizeof(answer));
	memset(&books, 0, sizeof(books));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	recorded_free(&answer);
	return 0;
}

static void add_pushed(__u32 frequency, __u64 missing)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10,
					   .start_unix_ns = 1, .duration_ns = 2000000, .frequency = frequency,
					   .ticks_came = missing ? 100 - missing : 0,
					   .ticks_wanted = missing ? 100 : 0 };
	const struct profile_labels labels = { 0 };
	_cleanup_profile_ struct profile *p = NULL;
	_cleanup_buf_ struct buf out = { 0 };
	const char *why = "";
	__u32 function, location;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "work", "work.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 2, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 7), 0);
	assert_int_equal(pprof_encode_carrying(p, &out), 0);
	assert_int_equal(read_pprof(&answer, out.data, out.size, &why), 0);
}

TEST(they_are_added_up)
{
	__s64 ticks = 0;
	int type;

	add_pushed(99, 0);
	add_pushed(99, 3);
	add_pushed(49, 7);
	pushed_books_add(&books, &answer);
	assert_int_equal(books.amount[CARRIED_PROFILES], 3);
	assert_int_equal(books.amount[CARRIED_MILLISECONDS], 6);
	assert_int_equal(books.amount[CARRIED_TICKS_WANTED], 200);
	assert_int_equal(books.amount[CARRIED_TICKS_CAME], 190);
	assert_int_equal(books.run_count, 2);
	assert_string_equal(books.runs[0].text, "pyperf-bpf " PYPERF_VERSION ", 99 Hz");
	assert_int_equal(books.runs[0].profiles, 2);
	type = recorded_find_type(&answer, "samples", "count");
	for (__u32 id = 1; id <= recorded_stacks(&answer); id++)
		ticks += recorded_get_stack(&answer, id).values[type];
	assert_int_equal(ticks, 21);
}

/* As a store may have it: a stack of these names, with this amount. */
static void say(const char *name, const char *root, __s64 amount)
{
	const char *names[] = { name, root };
	struct recorded_type type = { 0 };
	__u32 places[2];
	size_t column;

	assert_int_equal(recorded_string(&answer, CARRIED_TYPE, strlen(CARRIED_TYPE), &type.type), 0);
	assert_int_equal(recorded_string(&answer, "count", 5, &type.unit), 0);
	assert_int_equal(recorded_type(&answer, &type, &column), 0);
	for (size_t i = 0; i < 2; i++) {
		struct recorded_function f = { 0 };
		struct recorded_place p = { 0 };

		assert_int_equal(recorded_string(&answer, names[i], strlen(names[i]), &f.name), 0);
		assert_int_equal(recorded_function(&answer, &f, &p.function), 0);
		assert_int_equal(recorded_place(&answer, &p, &places[i]), 0);
	}
	assert_int_equal(recorded_add(&answer, places, 2, NULL, 0, &amount), 0);
}

TEST(a_store_may_say_anything)
{
	char name[200], longer[200] = CARRIED_RUN;

	say("profiles", "[books]", INT64_MAX);
	say("profiles", "[other]", 5);
	say("milliseconds", "[books]", -1);
	say("full", "[books]", 1);
	say("full nothing_of_ours", "[books]", 1);
	memset(longer + strlen(longer), 'x', 150);
	say(longer, "[books]", 1);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), CARRIED_RUN "%d", i);
		say(name, "[books]", INT64_MAX);
	}
	for (int again = 0; again < 3; again++)
		pushed_books_add(&books, &answer);
	assert_int_equal(books.amount[CARRIED_PROFILES], UINT64_MAX);
	assert_int_equal(books.amount[CARRIED_MILLISECONDS], 0);
	for (int i = 0; i < FULL_TABLES; i++)
		assert_int_equal(books.full[i], 0);
	assert_int_equal(books.run_count, PUSHED_RUNS_MAX);
	assert_int_equal(books.runs[0].profiles, UINT64_MAX);
	assert_int_equal(books.other_runs, UINT64_MAX);
}

AROUND_EACH(setup, teardown);

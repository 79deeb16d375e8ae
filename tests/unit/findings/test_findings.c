// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_findings.c - rules on profiles that are written down: what makes a rule say something, on which side
 * of its limit, of which stacks, and which line it names. That programs with such a fault are found is
 * tests/e2e/report/test_findings.py.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "findings/findings.h"
#include "tests/forge/recording.h"

#define SECOND	  1000000000LL
#define APP	  "/srv/app.py"
#define IMPORTLIB "_find_and_load@<frozen importlib._bootstrap>:1360"
#define COPY	  "/usr/lib/python3.11/copy.py"
#define THREAD	  "/usr/lib/python3.11/concurrent/futures/thread.py"

static struct recorded r;
static struct findings found;

/* Ten seconds, 100 samples a second of a CPU: the values of a stack are samples and ns. */
static int setup(void **state)
{
	(void)state;
	recording_type(&r, "samples", "count");
	recording_type(&r, "cpu", "nanoseconds");
	r.duration_ns = 10 * SECOND;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	recorded_free(&r);
	r = (struct recorded){ 0 };
	found = (struct findings){ 0 };
	return 0;
}

AROUND_EACH(setup, teardown);

static void add(const char *frames, const char *labels, __s64 samples)
{
	recording_add(&r, frames, labels, (const __s64[]){ samples, samples * SECOND / 100, 0, 0 });
}

static const struct finding *find(const char *code)
{
	assert_int_equal(findings_make(&r, &found), 0);
	for (size_t i = 0; i < found.count; i++)
		if (!strcmp(found.rows[i].code, code))
			return &found.rows[i];
	return NULL;
}

static void assert_silent(void)
{
	assert_int_equal(findings_make(&r, &found), 0);
	if (found.count)
		fail_msg("%s: %s", found.rows[0].code, found.rows[0].text);
}

TEST(nothing_stands_out_of_nothing)
{
	assert_silent();
}

TEST(a_program_that_computes_is_no_fault)
{
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 900);
	assert_silent();
}

TEST(copies_name_who_asked_for_them)
{
	const struct finding *f;

	add("deepcopy@" COPY ":130;deepcopy@" COPY ":140;ask@" APP ":5;main@" APP ":9", "pid=1,tid=1", 400);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 400);
	f = find("deep_copies");
	assert_non_null(f);
	assert_true(f->share > 0.499 && f->share < 0.501);
	assert_true(f->low < 0.5 && f->high > 0.5 && f->low > 0.45);
	assert_int_equal(f->samples, 800);
	assert_string_equal(f->place.name, "ask");
	assert_int_equal(f->place.line, 5);
}

TEST(few_samples_are_chance)
{
	add("deepcopy@" COPY ":130;main@" APP ":9", "pid=1,tid=1", 2);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 6);
	assert_null(find("deep_copies")); /* a quarter, which by chance may be less than the 15 % */
	add("deepcopy@" COPY ":130;main@" APP ":9", "pid=1,tid=1", 200);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 600);
	assert_non_null(find("deep_copies"));
}

TEST(a_share_below_the_limit_says_nothing)
{
	add("deepcopy@" COPY ":130;main@" APP ":9", "pid=1,tid=1", 100);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 900);
	assert_null(find("deep_copies"));
}

TEST(a_function_of_the_same_name_is_the_programs_own)
{
	add("deepcopy@/srv/copy.py:130;main@" APP ":9", "pid=1,tid=1", 900);
	assert_silent();
}

TEST(imports_name_the_newest_one_of_the_program)
{
	const struct finding *f;

	add("g@/v/lib/python3.11/site-packages/x/y.py:3;" IMPORTLIB ";<module>@/srv/plug.py:4;" IMPORTLIB
	    ";main@" APP ":9",
	    "pid=1,tid=1", 600);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 300);
	f = find("imports");
	assert_non_null(f);
	assert_string_equal(f->place.file, "/srv/plug.py");
	assert_int_equal(f->place.line, 4);
}

TEST(the_first_half_second_of_imports_is_no_word_worth)
{
	add("g@" APP ":3;" IMPORTLIB ";main@" APP ":9", "pid=1,tid=1", 45);
	assert_null(find("imports"));
}

TEST(states_of_the_interpreter_are_found_by_their_labels)
{
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1,exception=yes", 300);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1,gc=yes", 300);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 300);
	assert_non_null(find("exceptions"));
	assert_non_null(find("collections"));
}

TEST(the_gil_is_full_only_with_a_rival)
{
	add("f@" APP ":2", "pid=1,tid=1,gil=holds", 980);
	assert_null(find("gil_full"));
	teardown(NULL);
	setup(NULL);
	add("f@" APP ":2", "pid=1,tid=1,gil=holds", 490);
	add("f@" APP ":2", "pid=1,tid=2,gil=holds", 490);
	assert_non_null(find("gil_full"));
	teardown(NULL);
	setup(NULL);
	add("f@" APP ":2", "pid=1,tid=1,gil=holds", 490);
	add("f@" APP ":2", "pid=2,tid=2,gil=holds", 490); /* another process has a GIL of its own */
	assert_null(find("gil_full"));
}

TEST(a_pool_starves_while_another_thread_computes)
{
	const __s64 idle[] = { 0, 0, 9 * SECOND, 0 };

	recording_type(&r, "offcpu", "nanoseconds");
	for (int tid = 2; tid < 6; tid++) {
		char labels[32];

		snprintf(labels, sizeof(labels), "pid=1,tid=%d", tid);
		recording_add(&r, "[syscall futex];_worker@" THREAD ":81", labels, idle);
	}
	assert_null(find("pool_starves")); /* nobody could have given them work */
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 950);
	assert_non_null(find("pool_starves"));
}

TEST(stacks_of_a_finding_are_those_that_it_counted)
{
	bool *takes = NULL;

	add("deepcopy@" COPY ":130;main@" APP ":9", "pid=1,tid=1", 400);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1", 400);
	assert_int_equal(findings_select(&r, "deep_copies", &takes), 0);
	assert_true(takes[0]);
	assert_false(takes[1]);
	free(takes);
	takes = NULL;
	assert_int_equal(findings_select(&r, "imports", &takes), -ESRCH);
	assert_int_equal(findings_select(&r, "no_such_rule", &takes), -ENOENT);
	assert_null(takes);
}

TEST(the_largest_comes_first)
{
	add("deepcopy@" COPY ":130;main@" APP ":9", "pid=1,tid=1", 300);
	add("f@" APP ":2;main@" APP ":9", "pid=1,tid=1,exception=yes", 600);
	assert_int_equal(findings_make(&r, &found), 0);
	assert_int_equal(found.count, 2);
	assert_string_equal(found.rows[0].code, "exceptions");
	assert_string_equal(found.rows[1].code, "deep_copies");
}

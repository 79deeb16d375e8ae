// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_write_profile.c - a profile whose pprof is read and made a profile again is written as the first one
 * is; and what a profile cannot hold is refused.
 */
#include <errno.h>

#include "base/protobuf.h"
#include "formats/folded.h"
#include "formats/pprof.h"
#include "formats/svg.h"
#include "profile/filter.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "recorded/write_profile.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/profiles.h"

#define PROFILES 60

static void read_back(const struct profile *p, struct recorded *r)
{
	_cleanup_buf_ struct buf file = { 0 };
	const char *why;

	assert_int_equal(pprof_encode(p, &file), 0);
	assert_int_equal(read_pprof(r, file.data, file.size, &why), 0);
}

static struct profile *written(struct recorded *r, const struct write_profile_wish *wish)
{
	struct profile *p = NULL;
	char error[256] = "";

	assert_int_equal(write_profile(r, wish, &p, error, sizeof(error)), 0);
	assert_string_equal(error, "");
	return p;
}

/* A function that the forge puts at the very beginning of a file of machine code is taken for Python's. */
static int svg_without_colours(const struct profile *p, struct buf *out)
{
	int err = svg_encode(p, out) ?: buf_add(out, "", 1);
	char *at = out->data;

	while (!err && (at = strstr(at, "fill=\"#"))) {
		at += strlen("fill=\"#");
		memset(at, 'c', 6);
	}
	return err;
}

static void assert_same(const struct profile *a, const struct profile *b,
			int (*encode)(const struct profile *p, struct buf *out))
{
	_cleanup_buf_ struct buf of_a = { 0 }, of_b = { 0 };

	assert_int_equal(encode(a, &of_a) ?: buf_add(&of_a, "", 1), 0);
	assert_int_equal(encode(b, &of_b) ?: buf_add(&of_b, "", 1), 0);
	assert_string_equal(of_b.data, of_a.data);
}

static struct profile *forged(__u32 i)
{
	const struct profiles_wish wish = { .samples = i % 2 ? 200 : i, .timed = i % 3 == 1 };

	return profiles_forge(&wish);
}

TEST(is_written_as_the_first_one)
{
	static const struct write_profile_wish all = { 0 };

	for (__u32 i = 1; i < PROFILES; i++) {
		_cleanup_profile_ struct profile *p = forged(i), *again = NULL;
		_cleanup_recorded_ struct recorded r = { 0 };
		const struct profile_info *is, *was = profile_get_info(p);

		read_back(p, &r);
		again = written(&r, &all);
		is = profile_get_info(again);
		assert_int_equal(is->events, was->events);
		assert_int_equal(is->start_unix_ns, was->start_unix_ns);
		assert_int_equal(is->duration_ns, was->duration_ns);
		if (was->events & EVENT_BIT(EVENT_CPU))
			assert_int_equal(is->period_ns, was->period_ns);
		for (int kind = 0; kind < EVENT_KINDS; kind++)
			assert_int_equal(profile_total_of(again, kind), profile_total_of(p, kind));
		assert_same(p, again, folded_encode);
		assert_same(p, again, svg_without_colours);
	}
}

TEST(one_kind_of_event)
{
	_cleanup_profile_ struct profile *p = forged(1);
	_cleanup_recorded_ struct recorded r = { 0 };

	read_back(p, &r);
	for (size_t type = 0; type < r.type_count; type++) {
		const struct write_profile_wish wish = { .only_type = &type };
		_cleanup_profile_ struct profile *one = written(&r, &wish);
		const __u32 events = profile_get_info(one)->events;

		assert_int_equal(__builtin_popcount(events), 1);
		assert_int_equal(profile_total_of(one, __builtin_ctz(events)),
				 profile_total_of(p, __builtin_ctz(events)));
	}
}

TEST(some_stacks)
{
	_cleanup_profile_ struct profile *p = forged(1), *none = NULL;
	_cleanup_recorded_ struct recorded r = { 0 };
	_cleanup_free_ bool *takes = NULL;

	read_back(p, &r);
	takes = calloc(recorded_stacks(&r), sizeof(*takes));
	takes[2] = true;
	for (int i = 0; i < 2; i++) {
		const struct write_profile_wish wish = { .takes = takes };
		_cleanup_profile_ struct profile *some = written(&r, &wish);

		assert_int_equal(profile_count(some, PROFILE_SAMPLE), !i);
		takes[2] = false;
	}
}

/* --- of others ------------------------------------------------------------------------------------------ */

static __u32 add_string(struct recorded *r, const char *text)
{
	__u32 id;

	assert_int_equal(recorded_string(r, text, strlen(text), &id), 0);
	return id;
}

static void add_type(struct recorded *r, const char *type, const char *unit)
{
	const struct recorded_type t = { add_string(r, type), add_string(r, unit) };
	size_t index;

	assert_int_equal(recorded_type(r, &t, &index), 0);
}

static void add_stack(struct recorded *r, __s64 value, const char *key, const char *text)
{
	const struct recorded_function f = { add_string(r, "main.work"), add_string(r, "main.go"), 7 };
	struct recorded_place p = { .line = 1LL << 40, .address = 0x401000 };
	struct recorded_label label = { .key = add_string(r, key), .text = add_string(r, text) };
	__u32 place;

	assert_int_equal(recorded_function(r, &f, &p.function), 0);
	assert_int_equal(recorded_place(r, &p, &place), 0);
	assert_int_equal(recorded_add(r, &place, 1, &label, 1, &value), 0);
}

TEST(of_another_program)
{
	static const struct write_profile_wish all = { 0 };
	_cleanup_recorded_ struct recorded r = { .files = 1 };
	_cleanup_profile_ struct profile *p = NULL;
	_cleanup_buf_ struct buf folded = { 0 };

	add_type(&r, "cpu", "nanoseconds");
	add_stack(&r, 30000000, "tenant", "acme");
	p = written(&r, &all);
	assert_int_equal(profile_total(p), 30000000);
	assert_string_equal(profile_get_info(p)->extra[0], "tenant");
	assert_string_equal(profile_get_labels(p, 1).extra[0], "acme");
	assert_int_equal(folded_encode(p, &folded) ?: buf_add(&folded, "", 1), 0);
	assert_non_null(strstr(folded.data, "main.work (main.go) 30000000\n"));
}

static void assert_refused(struct recorded *r, const char *why)
{
	static const struct write_profile_wish all = { 0 };
	struct profile *p = NULL;
	char error[256] = "";

	assert_int_equal(write_profile(r, &all, &p, error, sizeof(error)), -EINVAL);
	assert_null(p);
	assert_non_null(strstr(error, why));
	assert_non_null(strstr(error, "FILE.pb.gz"));
}

TEST(what_nobody_here_measures)
{
	_cleanup_recorded_ struct recorded r = { .files = 1 };

	add_type(&r, "alloc_space", "bytes");
	add_stack(&r, 4096, "a", "b");
	assert_refused(&r, "no kind");
}

TEST(a_difference)
{
	_cleanup_recorded_ struct recorded r = { .files = 1 };

	add_type(&r, "cpu", "nanoseconds");
	add_stack(&r, -1, "a", "b");
	assert_refused(&r, "difference");
}

TEST(each_allocation_fails)
{
	static const struct write_profile_wish all = { 0 };
	_cleanup_profile_ struct profile *p = NULL;
	int err = -ENOMEM;

	if (!fail_malloc_works())
		skip();
	p = forged(20);
	for (long n = 0; err; n++) {
		_cleanup_recorded_ struct recorded r = { 0 };
		_cleanup_profile_ struct profile *again = NULL;
		char error[256];

		read_back(p, &r);
		allocations_left = n;
		err = write_profile(&r, &all, &again, error, sizeof(error));
		allocations_left = -1;
		if (err)
			assert_int_equal(err, -ENOMEM);
	}
}

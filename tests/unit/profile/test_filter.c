// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_filter.c - a part of a profile by labels: just the samples that match, with all that belongs to them.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "formats/folded.h"
#include "formats/pprof.h"
#include "profile/filter.h"
#include "tests/forge/test.h"

static void add(struct profile *p, const char *function, __u32 pid, __u32 tid, const char *comm, __u64 count)
{
	struct profile_labels labels = { .pid = pid, .tid = tid, .comm = comm, .thread = "worker" };
	__u32 mapping, id, locations[2];

	if (!strcmp(comm, "queue")) {
		labels.container_id = "c0ffee";
		labels.container = "py";
		labels.pod = "queue-1";
		labels.namespace = "demo";
		labels.pod_uid = "9e449ecd";
	}
	assert_int_equal(profile_mapping(p, "/usr/bin/python3", "abcd", &mapping), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, function, "/srv/app.py", 3, &id), 0);
	assert_int_equal(profile_location(p, id, 4, 8, mapping, &locations[0]), 0);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "<module>", "/srv/app.py", 1, &id), 0);
	assert_int_equal(profile_location(p, id, 9, 5, 0, &locations[1]), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, locations, 2, &labels, count), 0);
}

static struct profile *make(void)
{
	struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 10000000, .start_unix_ns = 5, .duration_ns = 7, .frequency = 99,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	add(p, "one", 12, 12, "web", 5);
	add(p, "two", 12, 13, "web", 7);
	add(p, "one", 120, 120, "web", 11);
	add(p, "three", 99, 99, "queue", 13);
	return p;
}

static struct profile *part_of(const struct profile *p, const char *key, const char *value)
{
	struct profile_filter f = {};
	struct profile *part;

	assert_int_equal(profile_filter_set(&f, key, value), 0);
	assert_int_equal(profile_filter_apply(&f, p, &part), 0);
	return part;
}

TEST(by_label)
{
	static const struct {
		const char *key, *value;
		__u64 total;
	} rows[] = {
		{ "pid", "12", 12 }, { "pid", "120", 11 },   { "pid", "1", 0 },	  { "comm", "web", 23 },
		{ "comm", "we", 0 }, { "comm", "webs", 0 }, { "comm", "queue", 13 },
		{ "container_id", "c0ffee", 13 }, { "container", "py", 13 }, { "pod", "queue-1", 13 },
		{ "namespace", "demo", 13 }, { "namespace", "prod", 0 }, { "pod_uid", "9e449ecd", 13 },
	};
	_cleanup_profile_ struct profile *p = make();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_profile_ struct profile *part = part_of(p, rows[i].key, rows[i].value);

		assert_int_equal(profile_total(part), rows[i].total);
	}
}

TEST(all_of_them)
{
	_cleanup_profile_ struct profile *p = make(), *part = NULL;
	struct profile_filter f = {};

	assert_true(profile_filter_is_empty(&f));
	assert_int_equal(profile_filter_set(&f, "pid", "12"), 0);
	assert_int_equal(profile_filter_set(&f, "comm", "queue"), 0);
	assert_int_equal(profile_filter_set(&f, "pid", "13"), -EINVAL); /* has one */
	assert_int_equal(profile_filter_set(&f, "shoe-size", "44"), -ENOENT);
	assert_false(profile_filter_is_empty(&f));
	assert_int_equal(profile_filter_apply(&f, p, &part), 0);
	assert_int_equal(profile_total(part), 0);
}

/* A part that is everything is the same, byte by byte; one of a process has nothing of the others. */
TEST(complete_and_no_more)
{
	_cleanup_buf_ struct buf whole = {}, copy = {}, text = {};
	_cleanup_profile_ struct profile *p = make(), *all = NULL, *queue = part_of(p, "comm", "queue");
	struct profile_filter f = {};

	assert_int_equal(profile_filter_apply(&f, p, &all), 0);
	assert_int_equal(pprof_encode(p, &whole), 0);
	assert_int_equal(pprof_encode(all, &copy), 0);
	assert_int_equal(whole.size, copy.size);
	assert_memory_equal(whole.data, copy.data, copy.size);
	assert_int_equal(profile_get_info(queue)->duration_ns, 7);
	assert_int_equal(profile_count(queue, PROFILE_FUNCTION), 2);
	assert_int_equal(profile_count(queue, PROFILE_OWNER), 1);
	assert_int_equal(folded_encode(queue, &text), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	assert_string_equal(text.data, "queue (pid 99);worker (tid 99);"
				       "<module> (/srv/app.py:9);three (/srv/app.py:4) 13\n");
}

/* Stacks of one Python line, each with what it was in: as a profile with --native has them, or without. */
static struct profile *make_native(bool with_native)
{
	static const enum frame_kind kinds[] = { FRAME_PYTHON, FRAME_NATIVE, FRAME_SYSCALL, FRAME_UNPLACED };
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	struct profile_labels labels = { .pid = 12, .comm = "web" };
	__u32 python[2], library, function, native;
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		assert_int_equal(profile_function(p, FRAME_PYTHON, "line", "/srv/app.py", 3, &function), 0);
		assert_int_equal(profile_location(p, function, 4, 0, 0, &python[0]), 0);
		assert_int_equal(profile_function(p, FRAME_PYTHON, "main", "/srv/app.py", 1, &function), 0);
		assert_int_equal(profile_location(p, function, 9, 0, 0, &python[1]), 0);
		if (!with_native || kinds[i] == FRAME_PYTHON) {
			assert_int_equal(profile_sample(p, EVENT_CPU, python, 2, &labels, 1 + i), 0);
			continue;
		}
		assert_int_equal(profile_mapping_native(p, "/lib/libc.so.6", "cafe", NULL, &library), 0);
		assert_int_equal(profile_function(p, kinds[i], "f", "/lib/libc.so.6", 0, &function), 0);
		assert_int_equal(profile_location_native(p, function, library, 0x100, &native), 0);
		/* Above the newest Python line, between two of them, and below. */
		assert_int_equal(profile_sample(p, EVENT_CPU,
						(__u32[]){ native, python[0], native, python[1], native }, 5,
						&labels, 1 + i),
				 0);
	}
	return p;
}

TEST(without_native)
{
	const struct profile_filter f = { .hide_native = true };
	_cleanup_buf_ struct buf hidden = {}, off = {};
	_cleanup_profile_ struct profile *with = make_native(true), *without = make_native(false);
	_cleanup_profile_ struct profile *part = NULL;

	assert_false(profile_filter_is_empty(&f));
	assert_int_equal(profile_filter_apply(&f, with, &part), 0);
	assert_int_equal(profile_count(part, PROFILE_SAMPLE), 1);
	assert_int_equal(profile_total(part), 1 + 2 + 3 + 4);
	assert_int_equal(profile_count(part, PROFILE_MAPPING), 0);
	assert_int_equal(pprof_encode(part, &hidden), 0);
	assert_int_equal(pprof_encode(without, &off), 0);
	assert_int_equal(hidden.size, off.size);
	assert_memory_equal(hidden.data, off.data, off.size);
}

/* Its count stays, and says why there is no frame. */
TEST(nothing_but_native)
{
	const struct profile_filter f = { .hide_native = true };
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	struct profile_labels labels = { .pid = 12, .comm = "web" };
	_cleanup_profile_ struct profile *p = NULL, *part = NULL;
	_cleanup_buf_ struct buf text = {};
	__u32 function, location;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_function(p, FRAME_NATIVE, "f", "", 0, &function), 0);
	assert_int_equal(profile_location_native(p, function, 0, 1, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 3), 0);
	assert_int_equal(profile_filter_apply(&f, p, &part), 0);
	assert_int_equal(folded_encode(part, &text), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	assert_string_equal(text.data, "web (pid 12);[native hidden] 3\n");
}

TEST(the_same)
{
	struct profile_filter a = {}, b = {};

	assert_true(profile_filter_is_same(&a, &b));
	assert_int_equal(profile_filter_set(&a, "pid", "12"), 0);
	assert_false(profile_filter_is_same(&a, &b));
	assert_int_equal(profile_filter_set(&b, "pid", "12"), 0);
	assert_true(profile_filter_is_same(&a, &b));
	a.hide_native = true;
	assert_false(profile_filter_is_same(&a, &b));
	b.hide_native = true;
	b.events = EVENT_BIT(EVENT_CPU);
	assert_false(profile_filter_is_same(&a, &b));
}

TEST(keys_are_named)
{
	char keys[FILTER_KEYS_SIZE];

	profile_filter_keys(keys);
	assert_string_equal(keys, ", pid, comm, gil, import, exception, gc, task, ready, endpoint, "
				  "service_instance, service, environment, container_id, "
				  "container, pod, namespace, pod_uid");
}

/* Whoever is in the part has its account, which is of no state of the interpreter. */
TEST(accounts_of_a_part)
{
	const struct profile_labels twelve = { .pid = 12, .tid = 13, .comm = "web", .thread = "worker" };
	const struct profile_labels other = { .pid = 120, .tid = 120, .comm = "web", .thread = "worker" };
	struct profile *p = make(), *part;
	__u64 sum = 0;

	assert_int_equal(profile_account(p, &twelve, 5000), 0);
	assert_int_equal(profile_account(p, &other, 300), 0);
	part = part_of(p, "pid", "12");
	for (__u32 id = 1; id <= profile_count(part, PROFILE_OWNER); id++)
		sum += profile_get_account(part, id);
	assert_int_equal(sum, 5000);
	profile_free(part);
	part = part_of(p, "gil", "holds");
	assert_false(profile_has_accounts(part));
	profile_free(part);
	profile_free(p);
}

/* CPU time that is not the ticks' goes with the samples, also with one that has no tick. */
TEST(time_of_its_own)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU),
						  .period_ns = 10000000, .timed = true };
	const struct profile_filter f = { .events = EVENT_BIT(EVENT_CPU) };
	const struct profile_labels labels = { .pid = 3 };
	struct buf text = {};
	struct profile *p, *part;
	__u32 function, location, sum = 0;

	assert_int_equal(profile_new(&info, &p), 0);
	add(p, "one", 12, 12, "web", 5);
	assert_int_equal(profile_function(p, FRAME_MARKER, "[unseen]", "", 0, &function), 0);
	assert_int_equal(profile_location(p, function, 0, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, PROFILE_TIME, &location, 1, &labels, 77), 0);
	assert_int_equal(folded_encode(p, &text), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	assert_non_null(strstr(text.data, "[unseen] 77\n"));
	buf_free(&text);
	assert_int_equal(profile_filter_apply(&f, p, &part), 0);
	assert_int_equal(profile_count(part, PROFILE_SAMPLE), 2);
	for (__u32 id = 1; id <= 2; id++)
		sum += profile_get_sample(part, id).counts[PROFILE_TIME];
	assert_int_equal(sum, 77);
	assert_int_equal(folded_encode(part, &text), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	assert_non_null(strstr(text.data, "[unseen] 77\n")); /* which has no tick */
	buf_free(&text);
	profile_free(part);
	profile_free(p);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_push_parts.c - what is pushed of a profile over forged tables: one for each service, in the series
 * that it belongs to, with labels whose names a receiver takes.
 */
#include <errno.h>
#include <sys/utsname.h>

#include "tests/forge/decode.h"
#include "tests/forge/test.h"
#include "tests/forge/windows.h"

#include "export/push/item.h"
#include "export/push_parts.h"
#include "profile/moments.h"
#include "profile/split.h"

static struct push_series series;
static struct pod_label_names names;
static bool stop;

static int setup_parts(void **state)
{
	int err = setup_windows(state);

	names = (struct pod_label_names){ 0 };
	stop = false;
	grow_tree();
	set_root(30, 2, 0); /* another process */
	set_node(31, 30, 100, 1, 0);
	nodes[27].count = 5;
	nodes[31].count = 7;
	return err;
}

static unsigned long long samples_of(const struct push_item *item)
{
	Pyperf__Profile *d = decode(&item->encoded);
	unsigned long long sum = 0;

	for (size_t i = 0; i < d->n_sample; i++)
		sum += d->sample[i]->value[0];
	pyperf__profile__free_unpacked(d, NULL);
	return sum;
}

TEST(there_is_room_for_all_labels)
{
	int n = 1 + POD_LABELS_MAX; /* the node's */

	for (int i = 0; i < LABEL_COUNT; i++)
		n += !!(label_rows[i].outputs & IN_SERIES);
	assert_in_range(n, 1, PUSH_LABELS_MAX);
}

TEST(one_for_each_service)
{
	struct push_list list = {};
	struct push_item *item;
	struct utsname u;
	unsigned int n = 0;
	unsigned long long sum = 0;

	run();
	uname(&u);
	push_series_make(&names, &series);
	assert_int_equal(push_parts_make(&series, PUSH_PYROSCOPE, profile, NULL, &stop, &list), 0);
	while ((item = push_list_take(&list))) {
		struct push_profile p = push_item_profile(item);

		assert_string_equal(p.series, "process_cpu");
		assert_int_equal(p.label_count, 1);
		assert_string_equal(p.labels[0].name, "node");
		assert_string_equal(p.labels[0].value, u.nodename);
		sum += samples_of(item);
		n++;
		push_item_free(item);
	}
	assert_int_equal(n, 2);
	assert_int_equal(sum, 12);
}

/* Its processes and threads are told apart, and all kinds of events are in one. */
TEST(otlp_is_one_for_each_service)
{
	struct push_list list = {};
	struct push_item *item;
	unsigned int n = 0;

	run();
	push_series_make(&names, &series);
	assert_int_equal(push_parts_make(&series, PUSH_OTLP, profile, NULL, &stop, &list), 0);
	while ((item = push_list_take(&list))) {
		_cleanup_buf_ struct buf plain = {};

		decompress(&item->encoded, &plain);
		assert_true(item->is_otlp);
		assert_int_equal(item->labels.size, 0);
		assert_non_null(memmem(plain.data, plain.size, item->service, strlen(item->service)));
		assert_non_null(memmem(plain.data, plain.size, series.node, strlen(series.node)));
		assert_non_null(memmem(plain.data, plain.size, "process.pid", 11));
		assert_non_null(memmem(plain.data, plain.size, "process.title", 13));
		n++;
		push_item_free(item);
	}
	assert_int_equal(n, 2);
	stop = true;
	assert_int_equal(push_parts_make(&series, PUSH_OTLP, profile, NULL, &stop, &list), -ECANCELED);
	assert_null(list.first);
}

/*
 * What a user has beyond its number of services is one resource, which names none of them and no process,
 * whatever names are looked at first.
 */
TEST(otlp_services_are_bounded)
{
	struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1, .start_unix_ns = 1,
				     .services = { 1, { SERVICE_FROM_COMM } } };
	_cleanup_profile_ struct profile *p = NULL;
	struct push_list list = {};
	struct push_item *item;
	unsigned int n = 0, more = 0;

	assert_int_equal(profile_new(&info, &p), 0);
	for (__u32 i = 0; i < 2 * PUSH_SERIES_MAX; i++) {
		char comm[16];
		const struct profile_labels labels = { .pid = 1000 + i, .comm = comm, .user = 7 };
		__u32 function, location;

		snprintf(comm, sizeof(comm), "evil%u", i);
		assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", 1, &function), 0);
		assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1), 0);
	}
	assert_int_equal(push_parts_make(&series, PUSH_OTLP, p, NULL, &stop, &list), 0);
	while ((item = push_list_take(&list))) {
		_cleanup_buf_ struct buf plain = {};
		bool is_more = !strcmp(item->service, SPLIT_MORE);

		decompress(&item->encoded, &plain);
		assert_int_equal(!memmem(plain.data, plain.size, "evil", 4), is_more);
		assert_int_equal(!memmem(plain.data, plain.size, "process.pid", 11), is_more);
		assert_non_null(memmem(plain.data, plain.size, item->service, strlen(item->service)));
		more += is_more;
		n++;
		push_item_free(item);
	}
	assert_int_equal(more, 1);
	assert_int_equal(n, 1 + PUSH_SERIES_MAX);
}

/*
 * Of every kind of event, each stack in a process and a thread of its own: what a collector takes by default
 * is 20 MiB, not compressed.
 */
TEST(otlp_parts_are_small_enough)
{
	const struct profile_info info = { .events = (1 << EVENT_KINDS) - 1,
					   .period_ns = 1,
					   .start_unix_ns = 1 };
	_cleanup_profile_ struct profile *p = NULL;
	struct push_list list = {};
	struct push_item *item;
	unsigned int n = 0;

	assert_int_equal(profile_new(&info, &p), 0);
	for (__u32 i = 0; i < 40000; i++) {
		struct profile_labels labels = { .pid = 1000000 + i,
						 .tid = 1000000 + i,
						 .comm = "gunicorn: master",
						 .thread = "ThreadPoolExecuto",
						 .container = "a-container",
						 .pod = "a-pod-of-a-deployment-1234567890-abcde",
						 .container_id = "c0ffeec0ffeec0ffeec0ffeec0ffeec0" };
		__u32 function, location;

		assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", i, &function), 0);
		assert_int_equal(profile_location(p, function, i, 0, 0, &location), 0);
		for (int kind = 0; kind < EVENT_KINDS; kind++)
			assert_int_equal(profile_sample(p, kind, &location, 1, &labels, 1ULL << 40), 0);
	}
	assert_int_equal(push_parts_make(&series, PUSH_OTLP, p, NULL, &stop, &list), 0);
	while ((item = push_list_take(&list))) {
		_cleanup_buf_ struct buf plain = {};

		decompress(&item->encoded, &plain);
		if (plain.size > 20 << 20)
			fail_msg("%zu bytes", plain.size);
		n++;
		push_item_free(item);
	}
	assert_int_equal(n, 3);
}

/* ... nor do their times, of which ticks one after the other have one each. */
TEST(otlp_parts_with_times_are_small_enough)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000,
					   .start_unix_ns = 1, .duration_ns = 1ULL << 40 };
	const __u64 ticks[] = { 128 << 10, 3, (128 << 10) + 1, 1000, 100000, 30000 };
	_cleanup_profile_ struct profile *p = NULL;
	struct push_list list = {};
	struct push_item *item;
	size_t with = 0, without = 0;

	assert_int_equal(profile_new(&info, &p), 0);
	for (__u32 i = 0; i < ARRAY_SIZE(ticks); i++) {
		const struct profile_labels labels = { .pid = 1, .comm = "main" };
		__u32 function, location;
		struct moment m;

		assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", i, &function), 0);
		assert_int_equal(profile_location(p, function, i, 0, 0, &location), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, ticks[i]), 0);
		m = (struct moment){ 1, 1ULL << 39, ticks[i], i + 1, EVENT_CPU };
		assert_int_equal(profile_moment(p, &m), 0);
	}
	assert_int_equal(push_parts_make(&series, PUSH_OTLP, p, NULL, &stop, &list), 0);
	while ((item = push_list_take(&list))) {
		_cleanup_buf_ struct buf plain = {};

		decompress(&item->encoded, &plain);
		assert_true(plain.size < 4 << 20);
		if (plain.size > 21 * 1000)
			with++;
		else
			without++;
		push_item_free(item);
	}
	assert_int_equal(with, 2); /* the first one, and the last three together */
	assert_int_equal(without, 2);
}

TEST(it_can_be_stopped)
{
	struct push_list list = {};

	run();
	stop = true;
	assert_int_equal(push_parts_make(&series, PUSH_PYROSCOPE, profile, NULL, &stop, &list), -ECANCELED);
	assert_null(list.first);
}

/* Receivers take letters, digits and '_', and have some names of their own. No two labels get the same. */
TEST(names_of_pods_labels)
{
	static const char *const named[][2] = {
		{ "app", "app" },
		{ "app.kubernetes.io/name", "app_kubernetes_io_name" },
		{ "node", "label_node" },
		{ "container", "label_container" },
		{ "service_name", "label_service_name" },
		{ "__x", "label___x" },
		{ "1st", "label_1st" },
		{ "a.b", "a_b" },
		{ "a-b", "label_a_b" },
		{ "a/b", "" },
		{ "label_node", "label_label_node" },
	};

	names.count = ARRAY_SIZE(named);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		strcpy(names.name[i], named[i][0]);
	push_series_make(&names, &series);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		assert_string_equal(series.label_names[i], named[i][1]);
}

/* Pyroscope's rate lets no larger one through, however long one waits: a real 1.0 answered 429 to 2.2 MiB. */
TEST(pprof_parts_fit_through_the_rate)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1, .duration_ns = 1,
					   .start_unix_ns = 1 };
	_cleanup_profile_ struct profile *p = NULL;
	struct push_list list = {};
	struct push_item *item;
	size_t parts = 0;

	assert_int_equal(profile_new(&info, &p), 0);
	for (__u32 i = 0; i < 5000; i++) {
		const struct profile_labels labels = { .comm = "main" };
		__u32 function, location;
		char name[1000];

		snprintf(name, sizeof(name), "%0990u", i);
		assert_int_equal(profile_function(p, FRAME_PYTHON, name, "f.py", 1, &function), 0);
		assert_int_equal(profile_location(p, function, 1, 0, 0, &location), 0);
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1), 0);
	}
	assert_int_equal(push_parts_make(&series, PUSH_PYROSCOPE, p, NULL, &stop, &list), 0);
	for (; (item = push_list_take(&list)); parts++) {
		_cleanup_buf_ struct buf plain = {};

		decompress(&item->encoded, &plain);
		assert_in_range(plain.size, 1, (2 << 20) - (32 << 10));
		push_item_free(item);
	}
	assert_in_range(parts, 3, 4);
}

AROUND_EACH(setup_parts, teardown_windows);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_split.c - large profiles in parts: each within the limits as it is really encoded, of one service, and
 * all of them together what was there before.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/pprof.h"
#include "profile/moments.h"
#include "profile/series_names.h"
#include "profile/split.h"
#include "tests/forge/decode.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

#define MIB 1048576

static struct profile *p;
static struct split_limits limits;
static int parts, stop_at;
static __u64 sum;
static char services[1024];
static size_t largest; /* encoded, of all parts */

static int setup(void **state)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 10000000, .start_unix_ns = 17, .duration_ns = 5,
	};

	(void)state;
	limits = (struct split_limits){ .samples = 16000, .bytes = 4 * MIB };
	stop_at = 0;
	return profile_new(&info, &p);
}

static int teardown(void **state)
{
	(void)state;
	profile_free(p);
	return 0;
}

static void add(const char *comm, __u32 pid, __u32 tid, const char *name, int line, __u32 depth, __u64 count)
{
	struct profile_labels labels = { .pid = pid, .tid = tid, .comm = comm, .thread = "MainThread" };
	__u32 function, mapping, frames[1000];
	char text[64];

	assert_true(depth <= 1000);
	snprintf(text, sizeof(text), "/usr/bin/%s", comm);
	assert_int_equal(profile_mapping(p, text, "b1d", &mapping), 0);
	for (__u32 i = 0; i < depth; i++) {
		assert_int_equal(profile_function(p, FRAME_PYTHON, name, "/srv/app.py", 3, &function), 0);
		assert_int_equal(profile_location(p, function, line + i, INT_MAX, mapping, &frames[i]), 0);
	}
	assert_int_equal(profile_sample(p, EVENT_CPU, frames, depth, &labels, count), 0);
}

static size_t encoded_size(const struct profile *part)
{
	_cleanup_buf_ struct buf packed = {}, plain = {};

	assert_int_equal(pprof_encode(part, &packed), 0);
	decompress(&packed, &plain);
	return plain.size;
}

/* The binary of each frame is named after the process: frames of one service only. */
static void check_service(const char *service, const struct profile *part)
{
	for (__u32 id = 1; id <= profile_count(part, PROFILE_MAPPING); id++) {
		const char *file = profile_get_string(part, profile_get_mapping(part, id)->file);

		assert_string_equal(file + strlen("/usr/bin/"), strcmp(service, "unknown") ? service : "");
	}
	for (__u32 id = 1; id <= profile_count(part, PROFILE_LOCATION); id++)
		assert_int_equal(profile_get_location(part, id)->column, INT_MAX);
	for (__u32 id = 1; id <= profile_count(part, PROFILE_OWNER); id++) {
		const struct profile_owner *o = profile_get_owner(part, id);

		assert_int_equal(o->pid + o->tid + o->comm + o->thread, 0);
	}
}

static int take(void *context, const struct split_service *of, const struct profile *part)
{
	const char *service = of->name;
	size_t size;

	assert_ptr_equal(context, &parts);
	assert_memory_equal(profile_get_info(part), profile_get_info(p), sizeof(struct profile_info));
	assert_true(profile_count(part, PROFILE_SAMPLE) <= limits.samples);
	check_service(service, part);
	if (strlen(services) < sizeof(services) - 64)
		snprintf(services + strlen(services), 64, "%s%s", *services ? " " : "", service);
	size = encoded_size(part);
	if (size > largest)
		largest = size;
	sum += profile_total(part);
	return ++parts == stop_at ? 77 : 0;
}

static int note_service(void *context, const struct split_service *service, const struct profile *part)
{
	(void)context;
	snprintf(services + strlen(services), sizeof(services) - strlen(services), " %s", service->name);
	sum += profile_total(part);
	return 0;
}

static int note_first(void *context, const struct split_service *service, const struct profile *part)
{
	return strcmp(service->name, "old001") < 0 ? note_service(context, service, part) : 0;
}

static int ignore(void *context, const struct split_service *service, const struct profile *part)
{
	(void)service;
	*(__u64 *)context += profile_total(part);
	return 0;
}

static int split(void)
{
	parts = 0;
	sum = 0;
	largest = 0;
	services[0] = '\0';
	return profile_split(p, &limits, take, &parts);
}

TEST(nothing)
{
	assert_int_equal(split(), 0);
	assert_int_equal(parts, 0);
}

TEST(by_service)
{
	add("web", 10, 11, "f", 1, 3, 5);
	add("", 0, 0, "f", 1, 1, 1);
	add("celery", 20, 20, "f", 1, 3, 7);
	add("web", 12, 13, "f", 1, 3, 11);
	assert_int_equal(split(), 0);
	assert_string_equal(services, "celery unknown web");
	assert_int_equal(sum, 24);
}

/* Of one user; another one keeps what it has. */
TEST(services_of_a_user_are_bounded)
{
	struct profile_labels labels = { .pid = 1, .comm = "honest", .user = 7 };
	__u32 function, location;
	char name[16];

	for (__u32 i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "evil%02u", i);
		add(name, 100 + i, 100 + i, "f", 1, 1, 1 + (i == 13 || i == 17));
	}
	add("honest", 99, 99, "f", 1, 1, 1);
	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, INT_MAX, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1), 0);
	limits.services = 2;
	sum = parts = 0;
	services[0] = '\0';
	assert_int_equal(profile_split(p, &limits, note_service, NULL), 0);
	assert_string_equal(services, " " SPLIT_MORE " evil13 evil17 honest");
	assert_int_equal(sum, 24);
}

/* Users that have all of their names together have as many as they would have alone. */
TEST(services_of_two_users_are_bounded)
{
	__u32 function, location;
	char name[16];

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, INT_MAX, 0, &location), 0);
	for (__u32 i = 0; i < 20; i++) {
		const struct profile_labels labels = { .pid = 200 + i, .comm = name, .user = 7 };

		snprintf(name, sizeof(name), "evil%02u", i);
		add(name, 100 + i, 100 + i, "f", 1, 1, 1 + (i == 13 || i == 17));
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, 1 + (i == 4)), 0);
	}
	limits.services = 2;
	sum = parts = 0;
	services[0] = '\0';
	assert_int_equal(profile_split(p, &limits, note_service, NULL), 0);
	assert_string_equal(services, " " SPLIT_MORE " evil00 evil04 evil13 evil17");
	assert_int_equal(sum, 43);
}

/* Over time: what is there again is there, and of new ones some are. */
TEST(services_are_bounded_over_time)
{
	char name[16];

	limits.services = 1000;
	assert_int_equal(series_names_new(&limits.names), 0);
	series_names_begin(limits.names, 0);
	for (__u32 i = 0; i < SERIES_AT_ONCE; i++) {
		snprintf(name, sizeof(name), "old%03u", i);
		add(name, 1, 1, "f", 1, 1, 1);
	}
	sum = 0;
	assert_int_equal(profile_split(p, &limits, ignore, &sum), 0);
	assert_int_equal(series_names_left(limits.names), 0);
	for (__u32 i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "new%u", i);
		add(name, 1, 1, "f", 1, 1, 1 + (i == 7));
	}
	series_names_begin(limits.names, SERIES_NEXT_SECONDS);
	services[0] = '\0';
	assert_int_equal(profile_split(p, &limits, note_first, NULL), 0);
	assert_string_equal(services, " " SPLIT_MORE " new7 old000");
	assert_int_equal(series_names_left(limits.names), 9);
	series_names_free(limits.names);
}

/* A stack of several threads and processes is one. */
static int is_one_stack(void *context, const struct split_service *service, const struct profile *part)
{
	(void)context;
	assert_string_equal(service->name, "web");
	assert_string_equal(service->label[LABEL_pod], "");
	assert_int_equal(profile_count(part, PROFILE_SAMPLE), 1);
	assert_int_equal(profile_get_sample(part, 1).n, 2);
	assert_int_equal(profile_get_sample(part, 1).count, 300);
	return 0;
}

TEST(threads_are_added_up)
{
	for (__u32 i = 1; i <= 100; i++)
		add("web", 1 + i / 10, i, "f", 1, 2, 3);
	assert_int_equal(profile_split(p, &limits, is_one_stack, NULL), 0);
}

static int keeps_labels(void *context, const struct split_service *service, const struct profile *part)
{
	(void)context;
	(void)service;
	assert_int_equal(profile_count(part, PROFILE_OWNER), 100);
	assert_string_equal(profile_get_labels(part, 1).thread, "MainThread");
	sum += profile_total(part);
	return 0;
}

/* For a receiver that can tell them apart. */
TEST(threads_are_told_apart)
{
	for (__u32 i = 1; i <= 100; i++)
		add("web", 1 + i / 10, i, "f", 1, 2, 3);
	limits.keeps_labels = true;
	sum = 0;
	assert_int_equal(profile_split(p, &limits, keeps_labels, NULL), 0);
	assert_int_equal(sum, 300);
}

static int count_moments(void *context, const struct split_service *service, const struct profile *part)
{
	const struct moments *m = profile_moments(part);
	__u64 *most = context, n = 0;

	(void)service;
	for (size_t i = 0; i < m->count; i++) {
		assert_true(m->list[i].sample && m->list[i].sample <= profile_count(part, PROFILE_SAMPLE));
		assert_int_equal(profile_get_sample(part, m->list[i].sample).count, m->list[i].amount);
		n += m->list[i].amount;
	}
	assert_true(n <= limits.moments);
	*most += n;
	sum += profile_total(part);
	parts++;
	return 0;
}

/* Each has those of its own stacks, and not too many; a stack with more than that has none. */
TEST(moments_go_with_their_stacks)
{
	__u64 moments = 0;
	struct moment m;

	for (__u32 i = 1; i <= 100; i++) {
		add("web", 1 + i / 10, i, "f", 1, 2, i);
		m = (struct moment){ 0, i == 1 ? 0 : 1, i, i, EVENT_CPU };
		assert_int_equal(profile_moment(p, &m), 0);
	}
	limits.keeps_labels = true;
	limits.moments = 99;
	sum = parts = 0;
	assert_int_equal(profile_split(p, &limits, count_moments, &moments), 0);
	assert_int_equal(sum, 5050);
	assert_int_equal(moments, 4950);
	assert_true(parts >= 51);
	limits.keeps_labels = false;
	moments = 0;
	assert_int_equal(profile_split(p, &limits, count_moments, &moments), 0);
	assert_int_equal(moments, 0);
}

static int list_pods(void *context, const struct split_service *s, const struct profile *part)
{
	(void)context;
	snprintf(services + strlen(services), 64, "%s:%s/%s/%s=%llu ", s->name, s->label[LABEL_namespace],
		 s->label[LABEL_pod], s->label[LABEL_container], profile_total(part));
	return 0;
}

/* What Kubernetes calls it comes before the name of a process. */
TEST(containers)
{
	static const struct profile_labels labels[] = {
		{ .pid = 1, .comm = "python3", .container = "app", .pod = "web-1", .namespace = "shop" },
		{ .pid = 2, .comm = "gunicorn", .container = "app", .pod = "web-1", .namespace = "shop" },
		{ .pid = 3, .comm = "python3", .container = "app", .pod = "web-2", .namespace = "shop" },
		{ .pid = 4, .comm = "python3", .container = "app", .pod = "web-1", .namespace = "test" },
		{ .pid = 5, .comm = "python3", .pod = "job", .namespace = "test" },
		{ .pid = 6, .comm = "python3", .container_id = "abcdef" },
		{ .pid = 7, .comm = "python3" },
	};
	__u32 function, location;

	assert_int_equal(profile_function(p, FRAME_PYTHON, "f", "f.py", 1, &function), 0);
	assert_int_equal(profile_location(p, function, 1, INT_MAX, 0, &location), 0);
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels[i], 1ULL << i), 0);
	services[0] = '\0';
	assert_int_equal(profile_split(p, &limits, list_pods, NULL), 0);
	assert_string_equal(services, "app:shop/web-1/app=3 app:shop/web-2/app=4 app:test/web-1/app=8 "
				      "job:test/job/=16 python3://=96 ");
}

static int list_extra(void *context, const struct split_service *s, const struct profile *part)
{
	(void)context;
	assert_null(s->extra[2]);
	assert_int_equal(profile_get_info(part)->extra_count, 0);
	snprintf(services + strlen(services), 64, "%s:%s/%s=%llu ", s->label[LABEL_pod], s->extra[0],
		 s->extra[1], profile_total(part));
	return 0;
}

/* Labels of the caller's own belong to the service, and not to its samples. */
TEST(extra_labels)
{
	struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 1, .extra = { "app", "tier" }, .extra_count = 2, .extra_in_series = 2,
	};
	struct profile_labels labels[] = {
		{ .pid = 1, .container = "web", .pod = "a", .extra = { "shop", "front" } },
		{ .pid = 2, .container = "web", .pod = "a", .extra = { "shop", "front" } },
		{ .pid = 3, .container = "web", .pod = "a", .extra = { "shop", "" } },
		{ .pid = 4, .container = "web", .pod = "b", .extra = { "shop", "front" } },
		{ .pid = 5, .container = "web", .pod = "b" },
	};
	_cleanup_profile_ struct profile *whole = NULL;
	__u32 function, location;

	assert_int_equal(profile_new(&info, &whole), 0);
	assert_int_equal(profile_function(whole, FRAME_PYTHON, "f", "f.py", 1, &function), 0);
	assert_int_equal(profile_location(whole, function, 1, 0, 0, &location), 0);
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		assert_int_equal(profile_sample(whole, EVENT_CPU, &location, 1, &labels[i], 1ULL << i), 0);
	services[0] = '\0';
	assert_int_equal(profile_split(whole, &limits, list_extra, NULL), 0);
	assert_string_equal(services, "a:shop/=4 a:shop/front=3 b:/=16 b:shop/front=8 ");
}

TEST(many_stacks)
{
	char name[32];

	for (__u32 i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "f%u", i % 997);
		add("web", 1, 1, name, (int)i, 3, i % 7 + 1);
	}
	for (__u32 i = 0; i < 10; i++)
		add("zoo", 2, 2, "g", (int)i, 1, 1);
	assert_int_equal(split(), 0);
	assert_int_equal(parts, 5);
	assert_string_equal(services, "web web web web zoo");
	assert_int_equal(sum, profile_total(p));
	assert_true(largest <= limits.bytes);
}

/* The bound is near the truth: parts are not much smaller than they may be. */
TEST(many_bytes)
{
	char name[300];

	limits.bytes = MIB;
	memset(name, 'n', sizeof(name));
	for (__u32 i = 0; i < 15000; i++) {
		snprintf(name + 200, sizeof(name) - 200, "%u", i);
		add("web", 1, 1, name, (int)i + 1000000, 200, 1);
	}
	assert_int_equal(split(), 0);
	assert_int_equal(sum, 15000);
	assert_true(parts > 10);
	assert_true(largest <= limits.bytes);
	assert_true(largest > limits.bytes / 2);
}

TEST(one_that_is_too_large)
{
	char name[4000];

	limits.bytes = 8192;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	add("web", 1, 1, "small", 1, 1, 1);
	add("web", 1, 1, name, 1, 1000, 2);
	add("web", 1, 1, "small", 2, 1, 4);
	assert_int_equal(split(), 0);
	assert_int_equal(parts, 3);
	assert_int_equal(sum, 7);
	assert_true(largest > limits.bytes); /* the receiver of the part can tell */
}

TEST(stops_when_told)
{
	limits.samples = 1;
	for (int i = 0; i < 10; i++)
		add("web", 1, 1, "f", i, 1, 1);
	stop_at = 4;
	assert_int_equal(split(), 77);
	assert_int_equal(parts, 4);
	stop_at = 0;
	assert_int_equal(split(), 0);
	assert_int_equal(parts, 10);
}

TEST(memory_runs_short)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int i = 0; i < 10; i++)
		add(i % 2 ? "web" : "zoo", 1, 1, "f", i, 2, 1);
	for (int n = 0;; n++) {
		__u64 samples = 0;

		allocations_left = n;
		err = profile_split(p, &limits, ignore, &samples);
		allocations_left = -1;
		if (!err) {
			assert_int_equal(samples, 10);
			break;
		}
		assert_int_equal(err, -ENOMEM);
		failures++;
	}
	assert_true(failures > 10);
}

AROUND_EACH(setup, teardown);

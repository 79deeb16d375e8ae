// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_texts.c - what it costs to add a sample whose labels were met before, in look-ups by hash:
 * the labels of samples are texts in the same places again and again. And that a place is not taken for what
 * was there before.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "profile/profile.h"
#include "tests/forge/test.h"

static unsigned int hashed;

/* FNV-1a, in the place of base/hash.c: it counts. */
unsigned int hash_bytes(const void *bytes, size_t size)
{
	unsigned int hash = 2166136261U;

	hashed++;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619U;
	return hash;
}

#define STACKS 100

static struct profile *p;
static __u32 locations[STACKS];

static int setup(void **state)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1, .extra = { "app" },
					   .extra_count = 1, .extra_in_series = 1 };
	__u32 function;
	char name[16];

	(void)state;
	if (profile_new(&info, &p))
		return -1;
	for (int i = 0; i < STACKS; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(profile_function(p, FRAME_PYTHON, name, "x.py", 1, &function), 0);
		assert_int_equal(profile_location(p, function, 1, 0, 0, &locations[i]), 0);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_free(p);
	return 0;
}

static void add(int stack, const struct profile_labels *labels)
{
	assert_int_equal(profile_sample(p, EVENT_CPU, &locations[stack], 1, labels, 1), 0);
}

/* They were eleven, when every label was made valid and looked up for each node of the tree. */
TEST(a_sample_is_one_look_up)
{
	struct profile_labels labels = {
		.pid = 1, .tid = 2, .comm = "gunicorn", .thread = "worker", .gil = "holds", .import = "yes",
		.endpoint = "shop.views:order", .container = "web", .pod = "web-1", .namespace = "prod",
		.extra = { "shop" },
	};

	add(0, &labels);
	hashed = 0;
	for (int i = 1; i < STACKS; i++)
		add(i, &labels);
	assert_true(hashed <= 3 * STACKS); /* each stack; two texts may share a place of what was met */
	hashed = 0;
	for (int i = 0; i < STACKS; i++) { /* each of another one than that before it */
		labels.endpoint = i % 2 ? "shop.views:order" : "shop.views:cart";
		add(i, &labels);
	}
	assert_true(hashed <= 4 * STACKS); /* each stack and its owner */
}

static const char *endpoint_of(__u32 sample)
{
	const struct profile_stack s = profile_get_sample(p, sample);

	return profile_get_string(p, profile_get_owner(p, s.owner)->endpoint);
}

TEST(another_text_in_the_same_place)
{
	char text[PROFILE_STRING_MAX + 16] = "first";
	const struct profile_labels labels = { .pid = 1, .endpoint = text };

	add(0, &labels);
	strcpy(text, "second");
	add(1, &labels);
	strcpy(text, "sec");
	add(2, &labels);
	strcpy(text, "");
	add(3, &labels);
	strcpy(text, "bad \xff byte");
	add(4, &labels);
	add(5, &labels); /* it is equal to nothing that is kept */
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	add(6, &labels);
	text[PROFILE_STRING_MAX] = 'y'; /* beyond what is kept */
	add(7, &labels);
	strcpy(text, "first");
	add(8, &labels);
	assert_string_equal(endpoint_of(1), "first");
	assert_string_equal(endpoint_of(2), "second");
	assert_string_equal(endpoint_of(3), "sec");
	assert_string_equal(endpoint_of(4), "");
	assert_string_equal(endpoint_of(5), "bad \xef\xbf\xbd byte");
	assert_int_equal(profile_get_sample(p, 6).owner, profile_get_sample(p, 5).owner);
	assert_int_equal(strlen(endpoint_of(7)), PROFILE_STRING_MAX);
	assert_int_equal(profile_get_sample(p, 8).owner, profile_get_sample(p, 7).owner);
	assert_int_equal(profile_get_sample(p, 9).owner, profile_get_sample(p, 1).owner);
}

BY_ITSELF("it has a hash_bytes() of its own, with which texts collide");
AROUND_EACH(setup, teardown);

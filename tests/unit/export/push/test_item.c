// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_item.c - a profile that waits to be pushed has a copy of everything, and lists keep their order.
 */
#include <errno.h>
#include <stdio.h>

#include "tests/forge/fail_malloc.h"

#include "export/push/item.h"
#include "tests/forge/test.h"

static struct push_profile profile_named(const char *service)
{
	return (struct push_profile){
		.series = "process_cpu",
		.service = service,
		.labels = { { "node", "n" }, { "pod", "" } },
		.label_count = 2,
		.start_unix_ns = 5,
		.duration_ns = 7,
		.is_otlp = true,
		.encoded = "abc",
		.size = 3,
	};
}

TEST(everything_is_copied)
{
	char service[] = "web";
	struct push_profile p = profile_named(service);
	struct push_list list = {};
	struct push_item *item;

	assert_int_equal(push_list_add(&list, &p), 0);
	service[0] = '-';
	item = push_list_take(&list);
	p = push_item_profile(item);
	assert_string_equal(p.series, "process_cpu");
	assert_string_equal(p.service, "web");
	assert_int_equal(p.label_count, 2);
	assert_string_equal(p.labels[0].name, "node");
	assert_string_equal(p.labels[0].value, "n");
	assert_string_equal(p.labels[1].name, "pod");
	assert_string_equal(p.labels[1].value, "");
	assert_int_equal(p.start_unix_ns, 5);
	assert_int_equal(p.duration_ns, 7);
	assert_true(p.is_otlp);
	assert_int_equal(p.size, 3);
	assert_memory_equal(p.encoded, "abc", 3);
	push_item_free(item);
	push_item_free(NULL);
}

TEST(lists_keep_their_order)
{
	struct push_list list = {};
	char name[8];

	assert_null(push_list_take(&list));
	for (int round = 0; round < 2; round++) { /* a list that was emptied is a list */
		for (int i = 0; i < 5; i++) {
			struct push_profile p = profile_named(name);

			snprintf(name, sizeof(name), "%d", i);
			assert_int_equal(push_list_add(&list, &p), 0);
		}
		for (int i = 0; i < 4 + round; i++) {
			struct push_item *item = push_list_take(&list);

			snprintf(name, sizeof(name), "%d", round ? (i + 4) % 5 : i);
			assert_string_equal(item->service, name);
			push_item_free(item);
		}
	}
	assert_non_null(list.first);
	push_list_free(&list);
	assert_null(list.first);
	push_list_free(&list);
}

TEST(memory_runs_short)
{
	const struct push_profile p = profile_named("web");
	struct push_list list = {};
	int n, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (n = 0;; n++) {
		allocations_left = n;
		err = push_list_add(&list, &p);
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_null(list.first);
	}
	assert_true(n >= 4);
	push_list_free(&list);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pod_labels.c - which labels, and the table of pods that has them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kubelet/pod_labels.h"
#include "tests/forge/test.h"

#define TEXT_63 "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0"

TEST(names)
{
	struct pod_label_names n;

	assert_int_equal(pod_label_names_parse("app", &n), 0);
	assert_int_equal(n.count, 1);
	assert_string_equal(n.name[0], "app");
	assert_int_equal(pod_label_names_parse("app.kubernetes.io/name,Team_1," TEXT_63, &n), 0);
	assert_int_equal(n.count, 3);
	assert_string_equal(n.name[0], "app.kubernetes.io/name");
	assert_string_equal(n.name[2], TEXT_63);
	assert_int_equal(pod_label_names_parse("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p", &n), 0);
	assert_int_equal(n.count, POD_LABELS_MAX);
}

TEST(wrong_names)
{
	static const char *const texts[] = {
		"", ",", "app,", ",app", "app,,tier", "app tier", "app=shop", "/name", "prefix/", "a/b/c",
		"caf\xc3\xa9", "a\nb",
		TEXT_63 "x", "example.com/" TEXT_63 "x", "app,app", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q",
		TEXT_63 TEXT_63 TEXT_63 TEXT_63 TEXT_63 "/name",
	};
	struct pod_label_names n = { .count = 7 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(pod_label_names_parse(texts[i], &n), -EINVAL);
	assert_int_equal(n.count, 7);
}

TEST(values)
{
	assert_true(pod_label_is_value("") && pod_label_is_value("v1.2_a-B") && pod_label_is_value(TEXT_63));
	assert_false(pod_label_is_value(TEXT_63 "x")); /* all of it are letters that may be there */
	assert_false(pod_label_is_value("a b") || pod_label_is_value("a/b") || pod_label_is_value("a\n"));
}

static struct pod_labels t;

static int teardown(void **state)
{
	(void)state;
	pod_labels_free(&t);
	return 0;
}

/* Pods of these numbers, all with this value. */
static void update(int from, int until, const char *value, double now)
{
	struct pod_entry *list = calloc(until - from + 1, sizeof(*list));

	assert_non_null(list);
	for (int i = from; i < until; i++) {
		struct pod_entry *e = &list[until - 1 - i]; /* not in order */

		snprintf(e->uid, sizeof(e->uid), "%032x", i);
		strcpy(e->value[0], value);
	}
	assert_int_equal(pod_labels_update(&t, list, until - from, now), 0);
}

static const char *value_of(int number)
{
	char uid[POD_UID_SIZE];
	const struct pod_entry *e;

	snprintf(uid, sizeof(uid), "%032x", number);
	e = pod_labels_find(&t, uid);
	return e ? e->value[0] : NULL;
}

TEST(found_by_uid, .teardown = teardown)
{
	char uid[POD_UID_SIZE + 1] = "";

	assert_null(value_of(3));
	update(0, 100, "one", 10);
	for (int i = 0; i < 100; i++)
		assert_string_equal(value_of(i), "one");
	assert_null(value_of(100));
	assert_null(pod_labels_find(&t, ""));
	assert_null(pod_labels_find(&t, TEXT_63));
	memset(uid, 'f', POD_UID_SIZE); /* the first that is too long */
	assert_null(pod_labels_find(&t, uid));
}

TEST(labels_change_and_pods_end, .teardown = teardown)
{
	update(0, 10, "one", 10);
	update(5, 15, "two", 20);
	assert_int_equal(t.count, 15);
	assert_string_equal(value_of(4), "one");
	assert_string_equal(value_of(5), "two");
	update(12, 20, "three", 19 + POD_KEPT_SECONDS);
	assert_null(value_of(4));
	assert_string_equal(value_of(11), "two");
	assert_string_equal(value_of(12), "three");
	assert_int_equal(t.count, 15);
}

TEST(of_two_with_one_uid_the_first_counts, .teardown = teardown)
{
	struct pod_entry *list = calloc(3, sizeof(*list));

	assert_non_null(list);
	for (int i = 0; i < 3; i++) {
		snprintf(list[i].uid, sizeof(list[i].uid), "%032x", i == 1 ? 8 : 7);
		snprintf(list[i].value[0], sizeof(list[i].value[0]), "%d", i);
	}
	assert_int_equal(pod_labels_update(&t, list, 3, 10), 0);
	assert_int_equal(t.count, 2);
	assert_string_equal(value_of(7), "0");
	assert_string_equal(value_of(8), "1");
	update(7, 8, "later", 20);
	assert_string_equal(value_of(7), "later");
}

TEST(bounded, .teardown = teardown)
{
	for (int i = 0; i < 10; i++)
		update(1000 * i, 1000 * (i + 1), "x", i);
	assert_int_equal(t.count, PODS_KNOWN_MAX);
	assert_string_equal(value_of(9999), "x");
	update(20000, 20000 + 2 * PODS_KNOWN_MAX, "y", 100);
	assert_int_equal(t.count, PODS_KNOWN_MAX);
	assert_null(value_of(9999));
}

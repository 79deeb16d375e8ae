// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pod_list.c - the kubelet's list of pods: right ones in any pieces, damaged and hostile ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kubelet/pod_list.h"
#include "tests/forge/test.h"

#define UID    "9e449ecd-a4b6-463e-a620-1868ca1376fc"
#define STATIC "0123456789abcdef0123456789abcdef"
#define LIST(items) "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":" items "}"
#define META(uid, labels) "\"metadata\":{\"name\":\"p\",\"uid\":" uid ",\"labels\":" labels "}"
#define POD(uid, labels)  "{" META(uid, labels) ",\"spec\":{\"containers\":[{}]}}"

#define LABELS		  "{\"app\":\"shop\",\"app.kubernetes.io/name\":\"cart\",\"tier\":\"x\"}"
static const char two[] = LIST("[" POD("\"" UID "\"", LABELS) ",\n"
			       POD("\"" STATIC "\"", "{\"app\":\"proxy\"}") "]") "\n";

static struct pod_label_names names;
static struct pod_entry *entries;
static size_t count;

static int setup(void **state)
{
	(void)state;
	return pod_label_names_parse("app,app.kubernetes.io/name", &names);
}

static int teardown(void **state)
{
	(void)state;
	free(TAKE_PTR(entries));
	count = 0;
	return 0;
}

/* In pieces of at most so many bytes. The first error, or that of the end. */
static int read_pieces(const char *text, size_t size, size_t piece)
{
	struct pod_list *l;
	int err = 0;

	free(TAKE_PTR(entries));
	assert_int_equal(pod_list_new(&l), 0);
	for (size_t at = 0; !err && at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		char *copy = malloc(n); /* exactly: a sanitizer sees one read too far */

		assert_non_null(copy);
		memcpy(copy, text + at, n);
		err = pod_list_add(l, copy, n);
		free(copy);
	}
	err = err ?: pod_list_take(l, &names, &entries, &count);
	pod_list_free(l);
	return err;
}

static int read_text(const char *text)
{
	return read_pieces(text, strlen(text), SIZE_MAX / 2);
}

TEST(labels_in_any_pieces)
{
	for (size_t piece = 1; piece <= sizeof(two); piece++) {
		assert_int_equal(read_pieces(two, strlen(two), piece), 0);
		assert_int_equal(count, 2);
		assert_string_equal(entries[0].uid, UID);
		assert_string_equal(entries[0].value[0], "shop");
		assert_string_equal(entries[0].value[1], "cart");
		assert_string_equal(entries[1].uid, STATIC);
		assert_string_equal(entries[1].value[0], "proxy");
		assert_string_equal(entries[1].value[1], "");
	}
}

TEST(a_node_without_pods)
{
	assert_int_equal(read_text(LIST("null")), 0);
	assert_int_equal(count, 0);
	assert_int_equal(read_text(LIST("[]")), 0);
	assert_int_equal(count, 0);
}

TEST(what_is_no_list)
{
	static const char *const texts[] = {
		"", " ", "null", "true", "7", "\"items\"", "[]", "{}", "{\"items\":{}}", "{\"items\":7}",
		"{\"items\":\"[]\"}",
		"<html>", "Unauthorized", "{\"items\":[]", "{\"items\":[]}}", "{\"items\":[]} x",
		"{\"items\":[]}{\"items\":[]}",
		"{\"items\":[],}", "{\"items\":[nul]}", "\xff\xfe{}", "{\"items\":[\"\xff\"]}",
		"{\"items\":[-]}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (read_text(texts[i]) != -EBADMSG)
			fail_msg("taken: %s", texts[i]);
	/* With its NUL. */
	assert_int_equal(read_pieces("{\"items\":[]}", sizeof("{\"items\":[]}"), 4096), -EBADMSG);
}

/* Others are still there. */
TEST(what_is_no_pod)
{
	static const char *const items[] = {
		"null", "7", "\"" UID "\"", "[]", "{}", "{\"metadata\":null}", "{\"metadata\":[]}",
		"{\"metadata\":{}}",
		POD("7", "{}"), POD("null", "{}"), POD("\"\"", "{}"), POD("\"../../etc\"", "{}"),
		POD("\"" UID "0\"", "{}"),
		POD("\"9E449ECD-a4b6-463e-a620-1868ca1376fc\"", "{}"), POD("\"" UID "\\u0000\"", "{}"),
		POD("{\"" UID "\":1}", "{}"),
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		snprintf(text, sizeof(text), LIST("[%s,%s]"), items[i],
			 POD("\"" UID "\"", "{\"app\":\"shop\"}"));
		assert_int_equal(read_text(text), 0);
		assert_int_equal(count, 1);
		assert_string_equal(entries[0].value[0], "shop");
	}
}

TEST(what_is_no_label)
{
	static const char *const labels[] = {
		"null", "[]", "7", "\"app\"", "{}", "{\"app\":null}", "{\"app\":7}", "{\"app\":{}}",
		"{\"app\":[\"shop\"]}",
		"{\"app\":\"a b\"}", "{\"app\":\"a\\nb\"}", "{\"app\":\"a\\u0000b\"}",
		"{\"app\":\"\\u001b[31m\"}",
		"{\"app\":\"caf\\u00e9\"}", "{\"app\":\"<script>\"}", "{\"App\":\"shop\"}",
		"{\"app\":\"0123456789012345678901234567890123456789012345678901234567890123\"}", /* 64 */
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		snprintf(text, sizeof(text), LIST("[" POD("\"" UID "\"", "%s") "]"), labels[i]);
		assert_int_equal(read_text(text), 0);
		assert_int_equal(count, 1);
		assert_string_equal(entries[0].value[0], "");
	}
	assert_int_equal(
		read_text(LIST(
			"[" POD("\"" UID "\"",
				"{\"app\":"
				"\"012345678901234567890123456789012345678901234567890123456789012\"}") "]")),
		0);
	assert_int_equal(strlen(entries[0].value[0]), 63);
}

/* Each byte cut off, and each byte another one: never a crash, never a value that can be none. */
TEST(damage)
{
	char text[sizeof(two)];

	for (size_t n = 0; n < strlen(two) - 1; n++)
		assert_int_equal(read_pieces(two, n, 7), -EBADMSG);
	for (size_t i = 0; i < strlen(two); i++) {
		for (int byte = 0; byte < 256; byte++) {
			strcpy(text, two);
			text[i] = (char)byte;
			if (read_pieces(text, strlen(two), 64))
				continue;
			for (size_t j = 0; j < count; j++)
				for (size_t k = 0; k < names.count; k++)
					assert_true(pod_label_is_value(entries[j].value[k]));
		}
	}
}

/* Begins as it should, goes on with as many as there are. */
static int read_many(const char *start, const char *more, size_t times)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(buf_add_string(&b, start), 0);
	for (size_t i = 0; i < times; i++)
		assert_int_equal(buf_add_string(&b, more), 0);
	return read_pieces(b.data, b.size, 16384);
}

TEST(too_much)
{
	assert_int_equal(read_many("", "[", POD_LIST_DEPTH_MAX + 1), -EFBIG);
	assert_int_equal(read_many("{\"items\":", "{\"a\":", POD_LIST_DEPTH_MAX + 1), -EFBIG);
	assert_int_equal(read_many("{\"items\":[", "[],", POD_LIST_CONTAINERS_MAX), -EFBIG);
	assert_int_equal(read_many("{\"items\":[", "{},", POD_LIST_CONTAINERS_MAX), -EFBIG);
	assert_int_equal(read_many("{\"items\":[", "0,", POD_LIST_VALUES_MAX + 1), -EFBIG);
	assert_int_equal(read_many("{\"items\":[\"", "0123456789abcdef", POD_LIST_BYTES_MAX / 16), -EFBIG);
	assert_int_equal(read_many("{\"items\":[", "                ", POD_LIST_BYTES_MAX / 16), -EFBIG);
}

/* As many as a node of the largest kind has, of a usual size. */
TEST(a_large_node)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(buf_add_string(&b, "{\"items\":["), 0);
	for (int i = 0; i < 500; i++) {
		assert_int_equal(
			buf_printf(&b,
				   "%s{\"metadata\":{\"uid\":\"9e449ecd-a4b6-463e-a620-1868ca13%04d\","
				   "\"labels\":{\"app\":\"app-%d\"}},\"spec\":{\"env\":[",
				   i ? "," : "", i, i),
			0);
		for (int j = 0; j < 200; j++)
			assert_int_equal(buf_printf(&b, "%s{\"name\":\"VARIABLE_%d\",\"value\":\"%d\"}",
						    j ? "," : "", j, i),
					 0);
		assert_int_equal(buf_add_string(&b, "]}}"), 0);
	}
	assert_int_equal(buf_add_string(&b, "]}"), 0);
	assert_int_equal(read_pieces(b.data, b.size, 16384), 0);
	assert_int_equal(count, 500);
	assert_string_equal(entries[499].value[0], "app-499");
}

AROUND_EACH(setup, teardown);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_frames.c - each row of bpf/frames.def: what it says is what the encoders, the summary, the filter and
 * the split do with a frame of that kind. A new row is tested without a line here.
 */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "formats/folded.h"
#include "profile/filter.h"
#include "profile/frames.h"
#include "profile/split.h"
#include "tests/forge/test.h"
#include "views/graph.h"
#include "views/summary.h"

/* One sample of a frame of each kind; all have the same name, which looks like a marker's, and no file. */
#define NAME "[same]"

static struct profile *new_profile(void)
{
	static const struct profile_info info = {
		.events = EVENT_BIT(EVENT_CPU),
		.period_ns = 10000000,
	};
	struct profile *p;

	assert_int_equal(profile_new(&info, &p), 0);
	return p;
}

static void add(struct profile *p, enum frame_kind kind, __u64 count)
{
	struct profile_labels labels = { .pid = 7, .tid = 7, .comm = "py" };
	__u32 function, location;

	assert_int_equal(profile_function(p, kind, NAME, "", 0, &function), 0);
	assert_int_equal(profile_location(p, function, 0, 0, 0, &location), 0);
	assert_int_equal(profile_sample(p, EVENT_CPU, &location, 1, &labels, count), 0);
}

static struct profile *one_of_each(void)
{
	struct profile *p = new_profile();

	for (int kind = 0; kind < FRAME_KINDS; kind++)
		add(p, kind, kind + 1);
	return p;
}

static const char *text_of(struct buf *b)
{
	assert_int_equal(buf_add(b, "", 1), 0);
	return b->data;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in:\n%s", part, text);
}

TEST(rows_are_complete)
{
	for (int i = 0; i < FRAME_KINDS; i++) {
		const struct frame_row *row = &frame_rows[i];

		assert_true(*row->key);
		for (const char *c = row->key; *c; c++)
			assert_true(islower(*c) || *c == '_');
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(row->key, frame_rows[j].key);
			assert_string_not_equal(row->colour, frame_rows[j].colour);
			assert_string_not_equal(row->shown, frame_rows[j].shown);
		}
		assert_int_equal(strlen(row->colour), 7);
		assert_int_equal(row->colour[0], '#');
		assert_int_equal(strspn(row->colour + 1, "0123456789abcdef"), 6);
		assert_true(*row->shown);
		assert_null(strpbrk(row->behind, "; "));
	}
}

TEST(kinds_of_one_name_are_apart)
{
	_cleanup_profile_ struct profile *p = one_of_each();

	assert_int_equal(profile_count(p, PROFILE_FUNCTION), FRAME_KINDS);
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		struct profile_stack s = profile_get_sample(p, kind + 1);
		__u32 function = profile_get_location(p, s.locations[0])->function;

		assert_int_equal(s.count, kind + 1);
		assert_int_equal(profile_get_function(p, function)->kind, kind);
	}
}

TEST(there_is_no_other_kind)
{
	_cleanup_profile_ struct profile *p = new_profile();
	__u32 id = 5;

	assert_int_equal(profile_function(p, FRAME_KINDS, "f", "", 0, &id), -EINVAL);
	assert_int_equal(id, 5);
}

TEST(folded)
{
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		_cleanup_profile_ struct profile *p = new_profile();
		_cleanup_buf_ struct buf out = {};
		char expected[128];

		add(p, kind, 3);
		assert_int_equal(folded_encode(p, &out), 0);
		snprintf(expected, sizeof(expected), "py (pid 7);tid 7;%s%s 3\n", NAME,
			 frame_rows[kind].behind);
		assert_string_equal(text_of(&out), expected);
	}
}

TEST(graph)
{
	_cleanup_profile_ struct profile *p = one_of_each();
	_cleanup_buf_ struct buf out = {}, places = {};
	const char *text;

	assert_int_equal(graph_encode_until(p, NULL, &out), 0);
	text = text_of(&out);
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		const struct frame_row *row = &frame_rows[kind];
		char part[256];

		snprintf(part, sizeof(part), "{\"kind\":\"%s\",\"colour\":\"%s\",\"shown\":\"%s\"%s}",
			 row->key, row->colour, row->shown, frame_is_native(kind) ? ",\"native\":true" : "");
		assert_has(text, part);
		assert_int_equal(buf_printf(&places, "%s%d", kind ? "," : "\"kind\":[", kind), 0);
	}
	assert_int_equal(buf_add_string(&places, "]"), 0);
	assert_has(text, text_of(&places)); /* of functions, in the order of their samples */
}

/* By the row, not by what the name looks like. */
TEST(summary)
{
	static const char *const heads[] = {
		[TABLE_FUNCTIONS] = "Hottest functions",
		[TABLE_NATIVE] = "Hottest native code",
		[TABLE_APART] = "Not in the tables: 100",
	};

	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		_cleanup_profile_ struct profile *p = new_profile();
		_cleanup_free_ char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		enum frame_table table = frame_rows[kind].table;

		add(p, kind, 100);
		summary_print(p, f, false, 10);
		assert_int_equal(fclose(f), 0);
		/* Threads of C have a line of their own: they are no loss. */
		assert_has(text, kind == FRAME_C_THREAD ? "Threads of C: 100" : heads[table]);
		assert_int_equal(!strstr(text, "Hottest functions"), table != TABLE_FUNCTIONS);
		assert_int_equal(!strstr(text, "Hottest"), table == TABLE_APART);
	}
}

TEST(kept_by_filter)
{
	_cleanup_profile_ struct profile *p = one_of_each(), *part = NULL;
	struct profile_filter f = {};

	assert_int_equal(profile_filter_set(&f, "pid", "7"), 0);
	assert_int_equal(profile_filter_apply(&f, p, &part), 0);
	assert_int_equal(profile_count(part, PROFILE_FUNCTION), FRAME_KINDS);
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		assert_int_equal(profile_get_function(part, kind + 1)->kind, kind);
}

static int compare_part(void *context, const struct split_service *service, const struct profile *part)
{
	(void)service;
	for (__u32 id = 1; id <= profile_count(part, PROFILE_FUNCTION); id++, ++*(int *)context)
		assert_int_equal(profile_get_function(part, id)->kind, *(int *)context);
	return 0;
}

TEST(kept_by_split)
{
	static const struct split_limits limits = { .samples = 1, .bytes = 1 << 20 };
	_cleanup_profile_ struct profile *p = one_of_each();
	int seen = 0;

	assert_int_equal(profile_split(p, &limits, compare_part, &seen), 0);
	assert_int_equal(seen, FRAME_KINDS);
}

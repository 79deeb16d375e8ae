// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_row.c - every row of options.def: its default, its spellings, good and bad values.
 */
#include <limits.h>

#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "options/row.h"

/* A command that takes it. */
static const char *taker(const struct option_row *r)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (command_rows[i].takes & r->group)
			return command_rows[i].name;
	fail_msg("no command takes --%s", r->long_name);
	return NULL;
}

static bool is_default(const struct option_row *r)
{
	const char *text;

	switch (r->kind) {
	case OPTION_FLAG:
		return !*(const bool *)row_value(&o, r);
	case OPTION_NUMBER:
		return *(const long *)row_value(&o, r) == r->value;
	case OPTION_CHOICE:
		return *(const int *)row_value(&o, r) == r->value;
	case OPTION_TEXT:
		text = *(const char *const *)row_value(&o, r);
		return text ? r->text && !strcmp(text, r->text) : !r->text;
	case OPTION_HEADING:
		return true;
	}
	return false;
}

/* The spellings of an option with a value: "--name=V", "--name V", "-xV", "-x V". */
static void accept_value(const struct option_row *r, int spelling, const char *value)
{
	static char one[128], two[128];

	snprintf(two, sizeof(two), "%s", value);
	if (spelling >= 2)
		snprintf(one, sizeof(one), "-%c%s", r->short_name, spelling == 2 ? value : "");
	else
		snprintf(one, sizeof(one), "--%s%s%s", r->long_name, spelling ? "" : "=",
			 spelling ? "" : value);
	if (spelling == 0 || spelling == 2)
		ACCEPT(taker(r), "-h", one);
	else
		ACCEPT(taker(r), "-h", one, two);
}

static int spellings(const struct option_row *r)
{
	return r->short_name ? 4 : 2;
}

static void refuse_value(const struct option_row *r, const char *value)
{
	char one[128], dashed[64];

	snprintf(dashed, sizeof(dashed), "--%s", r->long_name);
	snprintf(one, sizeof(one), "--%s=%s", r->long_name, value);
	REFUSE(dashed, "-a", one);
	REFUSE(dashed, "-a", dashed, value);
}

TEST(defaults)
{
	ACCEPT("-h");
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (!is_default(&option_rows[i]) && strcmp(option_rows[i].long_name, "help"))
			fail_msg("--%s is set without being asked for", option_rows[i].long_name);
	assert_int_equal(o.pid_count, 0);
	assert_null(o.command);
	assert_true(o.seconds == 0);
	/* What only the defaults promise. */
	ACCEPT("-a");
	assert_int_equal(o.frequency, 99);
	assert_string_equal(o.output, "profile.pb.gz");
	assert_int_equal(o.format, FORMAT_PPROF);
	assert_int_equal(o.labels, LABELS_THREAD);
	assert_int_equal(o.reads, READS_BLOCK);
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU));
	ACCEPT("-a", "--format", "folded"); /* a name that says what is in it */
	assert_string_equal(o.output, "profile.folded");
}

/* Options of one name are told apart by the command. */
TEST(two_of_one_name)
{
	static const char id[] = "0AF7651916CD43DD8448EB211C80319C";

	ACCEPT("-a", "--log", "1", "--trace", "otel");
	assert_int_equal(o.trace, TRACE_OTEL);
	assert_null(o.trace_id);
	ACCEPT("report", "--trace", id, "file");
	assert_string_equal(o.trace_id, id);
	assert_string_equal(o.trace_digits, "0af7651916cd43dd8448eb211c80319c");
	assert_int_equal(o.trace, TRACE_OFF);
	REFUSE("--trace wants one of", "-a", "--trace", id);
	REFUSE("--trace wants the 32", "report", "--trace", "otel", "file");
	REFUSE("--trace does not go with dump", "dump", "--trace", id);
}

TEST(flags)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];
		char name[64], letter[3] = { '-', r->short_name, '\0' };

		if (r->kind != OPTION_FLAG)
			continue;
		snprintf(name, sizeof(name), "--%s", r->long_name);
		ACCEPT(taker(r), "-h", name);
		assert_true(*(const bool *)row_value(&o, r));
		if (r->short_name) {
			ACCEPT(taker(r), "-h", letter);
			assert_true(*(const bool *)row_value(&o, r));
		}
		strcat(name, "=yes");
		REFUSE("takes no value", "-a", name);
	}
}

TEST(numbers)
{
	static const char *const garbage[] = {
		"", " ", "x", "9x", "x9", "1.5", "1e2", "0x10", "9 ", "--", "9,9", "99999999999999999999",
		"nan", "+", "-", "1 2", "-99999999999999999999", "\xff",
	};

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];
		const long good[] = { r->min, r->max, r->value, (r->min + r->max) / 2 };
		const long bad[] = { r->min - 1, r->max + 1, -r->max, LONG_MIN, LONG_MAX };
		char text[32];

		if (r->kind != OPTION_NUMBER)
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(good); j++) {
			snprintf(text, sizeof(text), "%ld", good[j]);
			for (int s = 0; s < spellings(r); s++) {
				accept_value(r, s, text);
				assert_int_equal(*(const long *)row_value(&o, r), good[j]);
			}
		}
		for (size_t j = 0; j < ARRAY_SIZE(bad); j++) {
			snprintf(text, sizeof(text), "%ld", bad[j]);
			refuse_value(r, text);
		}
		for (size_t j = 0; j < ARRAY_SIZE(garbage); j++)
			refuse_value(r, garbage[j]);
	}
}

/* Numbers that are a time, in the unit that their word says, are taken with any. */
TEST(times)
{
	ACCEPT("-a", "--log", "1h");
	assert_int_equal(o.log, 60);
	ACCEPT("-a", "--log", "120s");
	assert_int_equal(o.log, 2);
	ACCEPT("-a", "--push", "parca+http://h", "--push-timeout", "1.5m");
	assert_int_equal(o.push_timeout, 90);
	ACCEPT("top", "-a", "--refresh", "5s");
	assert_int_equal(o.refresh, 5);
	ACCEPT("-a", "--min-wait", "0.5ms");
	assert_int_equal(o.min_wait_us, 500);
	ACCEPT("-a", "--event", "loop", "--min-turn", "1s");
	assert_int_equal(o.min_turn_ms, 1000);
	REFUSE("--log wants a whole number of minutes, or", "-a", "--log", "90s");
	REFUSE("--log", "-a", "--log", "2d");
	REFUSE("--refresh wants a whole number of seconds, or", "top", "-a", "--refresh", "500ms");
	REFUSE("--refresh", "top", "-a", "--refresh", "1d");
	REFUSE("--frequency wants a whole number from", "-a", "-F", "99s");
	REFUSE("--top wants a whole number from", "-a", "--top", "1m");
}

TEST(choices)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];
		char text[64], *choice, *rest;
		int index = 0;

		if (r->kind != OPTION_CHOICE)
			continue;
		snprintf(text, sizeof(text), "%s", r->metavar);
		for (choice = strtok_r(text, "|", &rest); choice;
		     choice = strtok_r(NULL, "|", &rest), index++) {
			char bad[64];

			for (int s = 0; s < spellings(r); s++) {
				accept_value(r, s, choice);
				assert_int_equal(*(const int *)row_value(&o, r), index);
			}
			snprintf(bad, sizeof(bad), "%sx", choice); /* longer ... */
			refuse_value(r, bad);
			snprintf(bad, sizeof(bad), "%.*s", (int)strlen(choice) - 1,
				 choice); /* ... shorter ... */
			refuse_value(r, bad);
			snprintf(bad, sizeof(bad), "%c%s", toupper(choice[0]), choice + 1);
			refuse_value(r, bad);
		}
		assert_in_range(index, 2, 10);
		refuse_value(r, "");
		refuse_value(r, "|");
		refuse_value(r, r->metavar); /* ... and all of them */
	}
}

TEST(texts)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (r->kind != OPTION_TEXT)
			continue;
		for (int s = 0; s < spellings(r); s++) {
			accept_value(r, s, "7");
			assert_string_equal(*(const char *const *)row_value(&o, r), "7");
		}
		accept_value(r, 1, "-"); /* a value may begin with a dash */
		assert_string_equal(*(const char *const *)row_value(&o, r), "-");
		accept_value(r, 1, "-a");
		assert_string_equal(*(const char *const *)row_value(&o, r), "-a");
		assert_false(o.all_python);
	}
}

AROUND_ALL(NULL, free_options);

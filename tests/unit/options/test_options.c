// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_options.c - every row of options.def: its default, its spellings, good and bad values, its help.
 */
#include <limits.h>

#include "tests/unit/options/parse_line.h"

enum kind { KIND_FLAG, KIND_NUMBER, KIND_TEXT, KIND_CHOICE };

static const struct row {
	enum kind kind;
	char short_name;
	const char *long_name;
	size_t offset;
	long value, min, max;
	const char *text; /* a text's default, a choice's choices */
	const char *help;
} rows[] = {
#define HEADING(text)
#define FLAG(s, l, f, h) { KIND_FLAG, s, l, offsetof(struct options, f), 0, 0, 0, NULL, h },
#define NUMBER(s, l, m, f, v, lo, hi, h)                                                                     \
	{ KIND_NUMBER, s, l, offsetof(struct options, f), v, lo, hi, NULL, h },
#define TEXT(s, l, m, f, v, h)	 { KIND_TEXT, s, l, offsetof(struct options, f), 0, 0, 0, v, h },
#define CHOICE(s, l, f, v, c, h) { KIND_CHOICE, s, l, offsetof(struct options, f), v, 0, 0, c, h },
#include "options/options.def"
#undef HEADING
#undef FLAG
#undef NUMBER
#undef TEXT
#undef CHOICE
};

static const void *field(const struct row *r)
{
	return (const char *)&o + r->offset;
}

static bool is_default(const struct row *r)
{
	const char *text;

	switch (r->kind) {
	case KIND_FLAG:
		return !*(const bool *)field(r);
	case KIND_NUMBER:
		return *(const long *)field(r) == r->value;
	case KIND_CHOICE:
		return *(const int *)field(r) == r->value;
	case KIND_TEXT:
		text = *(const char *const *)field(r);
		return text ? r->text && !strcmp(text, r->text) : !r->text;
	}
	return false;
}

/* The spellings of an option with a value: "--name=V", "--name V", "-xV", "-x V". */
static void accept_value(const struct row *r, int spelling, const char *value)
{
	static char one[128], two[128];

	snprintf(two, sizeof(two), "%s", value);
	if (spelling >= 2)
		snprintf(one, sizeof(one), "-%c%s", r->short_name, spelling == 2 ? value : "");
	else
		snprintf(one, sizeof(one), "--%s%s%s", r->long_name, spelling ? "" : "=",
			 spelling ? "" : value);
	if (spelling == 0 || spelling == 2)
		ACCEPT("-h", one);
	else
		ACCEPT("-h", one, two);
}

static int spellings(const struct row *r)
{
	return r->short_name ? 4 : 2;
}

static void refuse_value(const struct row *r, const char *value)
{
	char one[128], dashed[64];

	snprintf(dashed, sizeof(dashed), "--%s", r->long_name);
	snprintf(one, sizeof(one), "--%s=%s", r->long_name, value);
	REFUSE(dashed, "-a", one);
	REFUSE(dashed, "-a", dashed, value);
}

static void defaults(void **state)
{
	(void)state;
	ACCEPT("-h");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!is_default(&rows[i]) && strcmp(rows[i].long_name, "help"))
			fail_msg("--%s is set without being asked for", rows[i].long_name);
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

static void kinds_of_events(void **state)
{
	const __u32 waits = EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_RUNQUEUE);
	static const char *const wrong[] = {
		"", ",", "cpu,", ",cpu", "cpu,cpu", "cpu,cycles", "offcpu,offcpu", "gil,gil", "runqueue",
		"shrinkage", "memory,memory", "wall,wall", "tasks,tasks",
		"CPU", "cp", "cpux"
	};

	(void)state;
	ACCEPT("-a", "--event", "cpu");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU));
	ACCEPT("-a", "--event", "cpu-clock");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU));
	assert_false(o.use_cycles);
	ACCEPT("-a", "--event", "offcpu");
	assert_int_equal(o.events, waits);
	assert_int_equal(o.min_wait_us, 100);
	ACCEPT("-a", "--event", "gil");
	assert_int_equal(o.events, EVENT_BIT(EVENT_GIL));
	ACCEPT("-a", "--event", "wall");
	assert_int_equal(o.events, EVENT_BIT(EVENT_WALL));
	assert_int_equal(o.threads, THREADS_ALL);
	ACCEPT("-a", "--event", "cpu,wall", "--threads", "main");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_WALL));
	assert_int_equal(o.threads, THREADS_MAIN);
	ACCEPT("-a", "--event", "wall", "--threads", "active");
	assert_int_equal(o.threads, THREADS_ACTIVE);
	ACCEPT("-a", "--event", "cpu,offcpu,gil");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU) | waits | EVENT_BIT(EVENT_GIL));
	ACCEPT("-a", "--event", "offcpu,cycles", "--min-wait", "0");
	assert_int_equal(o.events, EVENT_BIT(EVENT_CPU) | waits);
	assert_true(o.use_cycles);
	assert_int_equal(o.min_wait_us, 0);
	assert_int_equal(o.rss_step, 1024);
	ACCEPT("-a", "--event", "memory,offcpu", "--rss-step", "4");
	assert_int_equal(o.events, waits | EVENT_BIT(EVENT_MEMORY) | EVENT_BIT(EVENT_SHRINKAGE));
	assert_int_equal(o.rss_step, 4);
	ACCEPT("-a", "--event", "tasks,cpu");
	assert_int_equal(o.events, EVENT_BIT(EVENT_TASKS) | EVENT_BIT(EVENT_CPU));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		REFUSE("--event wants cpu, cycles, offcpu, gil, wall, memory, tasks", "-a", "--event",
		       wrong[i]);
}

static void flags(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		char name[64], letter[3] = { '-', r->short_name, '\0' };

		if (r->kind != KIND_FLAG)
			continue;
		snprintf(name, sizeof(name), "--%s", r->long_name);
		ACCEPT("-h", name);
		assert_true(*(const bool *)field(r));
		if (r->short_name) {
			ACCEPT("-h", letter);
			assert_true(*(const bool *)field(r));
		}
		strcat(name, "=yes");
		REFUSE("takes no value", "-a", name);
	}
}

static void numbers(void **state)
{
	static const char *const garbage[] = {
		"", " ", "x", "9x", "x9", "1.5", "1e2", "0x10", "9 ", "--", "9,9", "99999999999999999999",
		"nan", "+", "-", "1 2", "-99999999999999999999", "\xff",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		const long good[] = { r->min, r->max, r->value, (r->min + r->max) / 2 };
		const long bad[] = { r->min - 1, r->max + 1, -r->max, LONG_MIN, LONG_MAX };
		char text[32];

		if (r->kind != KIND_NUMBER)
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(good); j++) {
			snprintf(text, sizeof(text), "%ld", good[j]);
			for (int s = 0; s < spellings(r); s++) {
				accept_value(r, s, text);
				assert_int_equal(*(const long *)field(r), good[j]);
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

static void choices(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		char text[64], *choice, *rest;
		int index = 0;

		if (r->kind != KIND_CHOICE)
			continue;
		snprintf(text, sizeof(text), "%s", r->text);
		for (choice = strtok_r(text, "|", &rest); choice;
		     choice = strtok_r(NULL, "|", &rest), index++) {
			char bad[64];

			for (int s = 0; s < spellings(r); s++) {
				accept_value(r, s, choice);
				assert_int_equal(*(const int *)field(r), index);
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
		refuse_value(r, r->text); /* ... and all of them */
	}
}

static void texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		if (r->kind != KIND_TEXT)
			continue;
		for (int s = 0; s < spellings(r); s++) {
			accept_value(r, s, "7");
			assert_string_equal(*(const char *const *)field(r), "7");
		}
		accept_value(r, 1, "-"); /* a value may begin with a dash */
		assert_string_equal(*(const char *const *)field(r), "-");
		accept_value(r, 1, "-a");
		assert_string_equal(*(const char *const *)field(r), "-a");
		assert_false(o.all_python);
	}
}

static void missing_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		char name[64], letter[3] = { '-', r->short_name, '\0' },
			       bundle[4] = { '-', 'v', r->short_name, '\0' };

		if (r->kind == KIND_FLAG)
			continue;
		snprintf(name, sizeof(name), "--%s", r->long_name);
		REFUSE(name, "-a", name);
		if (r->short_name) {
			REFUSE(letter, "-a", letter);
			REFUSE(letter + 1, "-a", bundle);
		}
	}
}

static void unknown_options(void **state)
{
	char text[8];

	(void)state;
	REFUSE("'--wrong'", "--wrong");
	REFUSE("'--wrong=1'", "-a", "--wrong=1");
	REFUSE("'-x'", "-a", "-x");
	REFUSE("'-?'", "-a", "-?");
	REFUSE("'-:'", "-a", "-:");
	/* In a bundle getopt has not passed the argument yet. */
	REFUSE("'-z'", "-zv", "-a");
	REFUSE("'-z'", "-a", "-vzq");
	REFUSE("'-z'", "-a", "-vz");
	REFUSE("'--f'", "-a", "--f", "9"); /* frequency or format */
	for (int c = 1; c < 256; c++) {
		bool known = c == '-';

		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			known |= rows[i].short_name == c;
		snprintf(text, sizeof(text), "-%c", c);
		if (!known)
			REFUSE("unknown option", "-a", text);
	}
}

static void help_lists_every_option(void **state)
{
	char *plain = NULL, *colour = NULL, wanted[128];
	size_t size;
	FILE *f = open_memstream(&plain, &size);

	(void)state;
	options_help(f, false);
	fclose(f);
	f = open_memstream(&colour, &size);
	options_help(f, true);
	fclose(f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		if (r->short_name)
			snprintf(wanted, sizeof(wanted), "\n  -%c, --%s ", r->short_name, r->long_name);
		else
			snprintf(wanted, sizeof(wanted), "\n      --%s ", r->long_name);
		if (!strstr(plain, wanted) || !strstr(plain, r->help))
			fail_msg("--help does not have --%s: %s", r->long_name, plain);
		if (r->kind == KIND_NUMBER) {
			snprintf(wanted, sizeof(wanted), "%s (default %ld)\n", r->help, r->value);
			assert_non_null(strstr(plain, wanted));
		} else if (r->kind == KIND_CHOICE) {
			assert_non_null(strstr(plain, r->text));
		}
	}
	assert_non_null(strstr(plain, "-- COMMAND"));
	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(colour, "\033[1m"));
	free(plain);
	free(colour);
}

static int teardown(void **state)
{
	(void)state;
	options_free(&o);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),	   cmocka_unit_test(flags),
		cmocka_unit_test(kinds_of_events),
		cmocka_unit_test(numbers),	   cmocka_unit_test(choices),
		cmocka_unit_test(texts),	   cmocka_unit_test(missing_values),
		cmocka_unit_test(unknown_options), cmocka_unit_test(help_lists_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}

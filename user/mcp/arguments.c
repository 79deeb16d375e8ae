// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <string.h>

#include "options/commands.h"

#define TEXT_BYTES_MAX 4096

struct argument_line {
	const struct tool *tool;
	struct json_object *given;
	const struct recordings *recordings;
	struct words *words;
	char *error;
	size_t error_size;
};

__attribute__((format(printf, 2, 3))) static int refuse_argument(struct argument_line *l, const char *format,
								 ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(l->error, l->error_size, format, args);
	va_end(args);
	return -EINVAL;
}

/* NULL: it was not given, or is null. */
static struct json_object *value_of(struct json_object *given, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(given, name, &value);
	return value;
}

/* NULL: it is no text that a command line can have. */
static const char *text_of(struct json_object *value)
{
	const char *text = json_object_get_string(value);
	const size_t size = json_object_get_string_len(value);

	if (!json_object_is_type(value, json_type_string) || !text || strlen(text) != size)
		return NULL;
	return size && size <= TEXT_BYTES_MAX ? text : NULL;
}

static bool is_number(struct json_object *value, long min, long max, int64_t *ret)
{
	const int64_t number = json_object_get_int64(value);

	if (!json_object_is_type(value, json_type_int) || number < min || number > max)
		return false;
	*ret = number;
	return true;
}

static int add_number(struct argument_line *l, const struct argument *a, struct json_object *value, long min,
		      long max)
{
	int64_t number;

	if (!is_number(value, min, max, &number))
		return refuse_argument(l, "%s wants a whole number from %ld to %ld", a->name, min, max);
	return a->option ? words_add(l->words, "--%s=%" PRId64, a->option, number) : 0;
}

static int add_text(struct argument_line *l, const struct argument *a, struct json_object *value)
{
	const char *text = text_of(value);

	if (!text)
		return refuse_argument(l, "%s wants a text of 1 to %d bytes", a->name, TEXT_BYTES_MAX);
	return words_add(l->words, "--%s=%s", a->option, text);
}

static int add_option(struct argument_line *l, const struct argument *a, struct json_object *value)
{
	const struct option_fact *f = tools_option(a->option);

	if (f->type == FACT_NUMBER)
		return add_number(l, a, value, f->min, f->max);
	if (f->type != FACT_FLAG)
		return add_text(l, a, value);
	if (!json_object_is_type(value, json_type_boolean))
		return refuse_argument(l, "%s wants true or false", a->name);
	return json_object_get_boolean(value) ? words_add(l->words, "--%s", a->option) : 0;
}

static int add_seconds(struct argument_line *l, const struct argument *a, struct json_object *value)
{
	const double seconds = json_object_get_double(value);

	if (!json_object_is_type(value, json_type_int) && !json_object_is_type(value, json_type_double))
		return refuse_argument(l, "%s wants a number", a->name);
	if (!(seconds > 0 && seconds <= RECORD_SECONDS_MAX))
		return refuse_argument(l, "%s wants more than 0, and at most %d", a->name,
				       RECORD_SECONDS_MAX);
	return words_add(l->words, "--%s=%.3f", a->option, seconds);
}

static int add_pids(struct argument_line *l, const struct argument *a, struct json_object *value)
{
	int64_t number;

	if (is_number(value, 1, INT32_MAX, &number))
		return words_add(l->words, "--%s=%" PRId64, a->option, number);
	if (!text_of(value))
		return refuse_argument(l, "%s wants the number of a process, or several with commas between",
				       a->name);
	return add_text(l, a, value);
}

static int check_filter(struct argument_line *l, const struct argument *a, struct json_object *value)
{
	if (json_object_is_type(value, json_type_int) || text_of(value))
		return 0;
	return refuse_argument(l, "%s wants a number or a text, as an answer has it", a->name);
}

static int add(struct argument_line *l, const struct argument *a, struct json_object *value)
{
	switch (a->kind) {
	case ARGUMENT_OPTION:
		return add_option(l, a, value);
	case ARGUMENT_SECONDS:
		return add_seconds(l, a, value);
	case ARGUMENT_PIDS:
		return add_pids(l, a, value);
	case ARGUMENT_MOST:
	case ARGUMENT_CUT:
		return add_number(l, a, value, 1, a->limit);
	case ARGUMENT_FILTER:
		return check_filter(l, a, value);
	case ARGUMENT_PROFILE:
		return 0; /* words follow all options */
	}
	return 0;
}

static int check_names(struct argument_line *l)
{
	if (!l->given)
		return 0;
	json_object_object_foreach(l->given, name, value)
	{
		(void)value;
		if (!tools_argument(l->tool, name))
			return refuse_argument(
				l, "%s has no argument '%.60s'; tools/list has those that it takes",
				l->tool->name, name);
	}
	return 0;
}

static int add_options(struct argument_line *l)
{
	int err = 0;

	for (size_t i = 0; i < tool_arguments_count && !err; i++) {
		const struct argument *a = &tool_arguments[i];
		struct json_object *value = value_of(l->given, a->name);

		if (&tools[a->tool] != l->tool)
			continue;
		if (value)
			err = add(l, a, value);
		else if (a->required)
			err = refuse_argument(l, "%s wants %s: %s", l->tool->name, a->name, a->about);
		else if (a->kind == ARGUMENT_MOST)
			err = words_add(l->words, "--%s=%ld", a->option, a->value);
		else if (a->kind == ARGUMENT_SECONDS)
			err = words_add(l->words, "--%s=%d", a->option, RECORD_SECONDS);
	}
	return err;
}

/* No request goes to another machine, nor to a path of an agent's choice. */
static bool is_source(const char *name)
{
	static const char *const here[] = { "http://127.0.0.1:", "http://localhost:", "http://[::1]:" };

	if (!strstr(name, "://"))
		return true; /* a file, or unix:/PATH */
	if (strchr(name, '+') && strchr(name, '+') < strstr(name, "://"))
		return true; /* a store, which the command asks if --store is that one */
	for (size_t i = 0; i < ARRAY_SIZE(here); i++) {
		const size_t length = strlen(here[i]);

		if (!strncmp(name, here[i], length))
			return name[length] && !name[length + strspn(name + length, "0123456789")];
	}
	return false;
}

/* A path stands behind --, so that it is no option; - would be our own stdin. */
static int add_profile(struct argument_line *l, const struct argument *a)
{
	const char *name = text_of(value_of(l->given, a->name));
	struct recording_paths paths;

	if (!name || !strcmp(name, "-"))
		return refuse_argument(l, "%s wants the name of a profile that record gave, or a path",
				       a->name);
	if (recordings_find(l->recordings, name, &paths))
		return words_add(l->words, "%s", paths.profile);
	if (recordings_is_name(name))
		return refuse_argument(l, "there is no profile %.20s: record one, or name a path, as ./%.20s",
				       name, name);
	if (!is_source(name))
		return refuse_argument(
			l,
			"%s may be a profiler of this machine, as http://127.0.0.1:7070, or the "
			"store of --store, and no other address",
			a->name);
	return words_add(l->words, "%s", name);
}

/* Whether one is named that was not recorded here. */
static bool names_others(const struct argument_line *l)
{
	struct recording_paths paths;

	for (size_t i = 0; i < tool_arguments_count; i++) {
		const struct argument *a = &tool_arguments[i];
		const char *name = &tools[a->tool] == l->tool && a->kind == ARGUMENT_PROFILE ?
					   text_of(value_of(l->given, a->name)) : NULL;

		if (name && !recordings_find(l->recordings, name, &paths))
			return true;
	}
	return false;
}

static int add_profiles(struct argument_line *l)
{
	bool is_first = true;
	int err = 0;

	for (size_t i = 0; i < tool_arguments_count && !err; i++) {
		const struct argument *a = &tool_arguments[i];

		if (&tools[a->tool] != l->tool || a->kind != ARGUMENT_PROFILE)
			continue;
		err = (is_first ? words_add(l->words, "--") : 0) ?: add_profile(l, a);
		is_first = false;
	}
	return err;
}

int arguments_words(const struct tool *t, struct json_object *given, const struct recordings *r,
		    struct words *words, char *error, size_t size)
{
	struct argument_line l = { t, given, r, words, error, size };

	return check_names(&l) ?: words_add(words, "pyperf-bpf") ?:
	       words_add(words, "%s", command_rows[t->command].name) ?:
	       (t->fixed ? words_add(words, "%s", t->fixed) : 0) ?: add_options(&l) ?:
	       (names_others(&l) ? words_add(words, "--wary") : 0) ?: add_profiles(&l);
}

double arguments_seconds(struct json_object *given)
{
	struct json_object *value = value_of(given, "seconds");

	return value ? json_object_get_double(value) : RECORD_SECONDS;
}

bool arguments_recording(const struct tool *t, struct json_object *given, const struct recordings *r,
			 struct recording_paths *ret)
{
	for (size_t i = 0; i < tool_arguments_count; i++) {
		const struct argument *a = &tool_arguments[i];
		const char *name;

		if (&tools[a->tool] != t || a->kind != ARGUMENT_PROFILE)
			continue;
		name = text_of(value_of(given, a->name));
		return name && recordings_find(r, name, ret);
	}
	return false;
}

long arguments_number(const struct argument *a, struct json_object *given)
{
	struct json_object *value = value_of(given, a->name);

	return value ? (long)json_object_get_int64(value) : a->value;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/next.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/commands.h"

#define WORDS_MAX 256 /* of one row */

/* What a word of a row may be filled with. */
struct next_from {
	struct json_object *given, *root;
	const char *made;
};

static struct json_object *member(struct json_object *o, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, name, &value);
	return value;
}

static struct json_object *element(struct json_object *array, size_t i)
{
	if (!json_object_is_type(array, json_type_array) || i >= json_object_array_length(array))
		return NULL;
	return json_object_array_get_idx(array, i);
}

/* The first row that is code: of the first table, or of those of a difference that grew. */
static struct json_object *hottest(struct json_object *root)
{
	struct json_object *table = element(member(root, "tables"), 0), *row;
	struct json_object *rows = member(table ?: root, "rows");

	for (size_t i = 0; (row = element(rows, i)); i++)
		if (member(row, "file") && (table || json_object_get_int64(member(row, "self")) > 0))
			return row;
	return NULL;
}

/* As it was asked for, or the first of those that came. */
static struct json_object *process(const struct next_from *f)
{
	struct json_object *given = member(f->given, "pid"), *processes = member(f->root, "processes"), *one;

	for (size_t i = 0; !given && (one = element(processes, i)); i++)
		given = member(one, "pid");
	return given;
}

/* A reference to what stands for the word; NULL: there is no such thing. */
static struct json_object *filled(const struct next_from *f, const char *word)
{
	if (!strcmp(word, "@row"))
		return json_object_get(member(hottest(f->root), "id"));
	if (!strcmp(word, "@pid"))
		return json_object_get(process(f));
	if (!strcmp(word, "@made"))
		return f->made ? json_object_new_string(f->made) : NULL;
	if (*word == '@')
		return json_object_get(member(f->given, word + 1));
	if (!strcmp(word, "true"))
		return json_object_new_boolean(true);
	return word[strspn(word, "0123456789")] ? json_object_new_string(word) :
						  json_object_new_int64(atoll(word));
}

/* The arguments of a row, NULL if one of them cannot be filled. text: "name=word name=word", is changed. */
static struct json_object *fill(const struct next_from *f, char *text)
{
	struct json_object *arguments = json_object_new_object();
	char *rest = NULL;

	for (char *name = strtok_r(text, " ", &rest); name && arguments; name = strtok_r(NULL, " ", &rest)) {
		char *word = strchr(name, '=');
		struct json_object *value;

		*word++ = '\0';
		value = filled(f, word);
		if (value && !json_object_object_add(arguments, name, value))
			continue;
		json_object_put(value);
		json_object_put(arguments);
		arguments = NULL;
	}
	return arguments;
}

static int add_call(const struct next_call *n, struct json_object *arguments, struct buf *out)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *json = json_object_to_json_string_ext(arguments, flags);

	return !json ? -ENOMEM :
	       buf_printf(out, "%s{\"tool\":\"%s\",\"arguments\":", out->size ? "," : "",
			  tools[n->next].name) ?:
	       buf_add_json_shown(out, json) ?: buf_add_string(out, ",\"why\":") ?:
	       buf_add_json(out, n->why) ?: buf_add_string(out, "}");
}

int next_calls(const struct tool *t, struct json_object *given, struct json_object *root, const char *made,
	       struct buf *out)
{
	const struct next_from from = { given, root, made };
	size_t named = 0;
	int err = 0;

	for (size_t i = 0; i < tool_next_count && named < NEXT_MAX && !err; i++) {
		const struct next_call *n = &tool_next[i];
		struct json_object *arguments;
		char text[WORDS_MAX];

		if (&tools[n->tool] != t)
			continue;
		snprintf(text, sizeof(text), "%s", n->arguments);
		arguments = fill(&from, text);
		/* What was just asked says no more, but of a process at another moment. */
		if (arguments && (n->next != n->tool || t->command != COMMAND_REPORT ||
				  !json_object_equal(arguments, given))) {
			err = add_call(n, arguments, out);
			named++;
		}
		json_object_put(arguments);
	}
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/answer.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "mcp/arguments.h"

#define SAID_LINES_MAX 20
#define LINE_BYTES_MAX 1100 /* a line of the log has at most 1 KiB */
#define OWN_NAME       "pyperf-bpf: "

struct json_object *answer_parse(const char *text, size_t size)
{
	struct json_tokener *tokener = size ? json_tokener_new_ex(ANSWER_DEPTH_MAX) : NULL;
	struct json_object *root = NULL;

	if (!tokener)
		return NULL;
	root = json_tokener_parse_ex(tokener, text, (int)size);
	if (json_tokener_get_error(tokener) != json_tokener_success) {
		json_object_put(root);
		root = NULL;
	}
	json_tokener_free(tokener);
	return root;
}

/* What is done to each array that is a member of this name; wherever it is in the document. */
struct answer_visit {
	const char *name;
	void (*array)(struct json_object *array, struct answer_visit *v);
	const struct argument *argument;
	const char *wanted; /* of a filter */
	size_t most, cut;   /* elements */
};

/* Documents are at most ANSWER_DEPTH_MAX deep. */
static void visit(struct json_object *o, struct answer_visit *v)
{
	if (json_object_is_type(o, json_type_array))
		for (size_t i = 0; i < json_object_array_length(o); i++)
			visit(json_object_array_get_idx(o, i), v);
	if (!json_object_is_type(o, json_type_object))
		return;
	json_object_object_foreach(o, name, value)
	{
		if (!strcmp(name, v->name) && json_object_is_type(value, json_type_array))
			v->array(value, v);
		visit(value, v);
	}
}

static void cut(struct json_object *array, struct answer_visit *v)
{
	const size_t length = json_object_array_length(array);

	if (length <= v->most)
		return;
	json_object_array_del_idx(array, v->most, length - v->most);
	v->cut += length - v->most;
}

static bool is_wanted(struct json_object *element, const struct answer_visit *v)
{
	struct json_object *member = NULL;
	const char *text;

	if (!json_object_is_type(element, json_type_object))
		return false;
	json_object_object_get_ex(element, v->argument->member, &member);
	text = member ? json_object_get_string(member) : NULL;
	return text && !strcmp(text, v->wanted);
}

static void filter(struct json_object *array, struct answer_visit *v)
{
	for (size_t i = json_object_array_length(array); i > 0; i--)
		if (!is_wanted(json_object_array_get_idx(array, i - 1), v))
			json_object_array_del_idx(array, i - 1, 1);
}

static void shape_filter(const struct argument *a, struct json_object *given, struct json_object *root)
{
	struct answer_visit v = { .name = a->array, .array = filter, .argument = a };
	struct json_object *value = NULL;

	json_object_object_get_ex(given, a->name, &value);
	v.wanted = value ? json_object_get_string(value) : NULL;
	if (v.wanted)
		visit(root, &v);
}

static int add_cut(const struct argument *a, const struct answer_visit *v, struct buf *cuts)
{
	return buf_printf(cuts,
			  "%s{\"what\":\"%s\",\"left_out\":%zu,"
			  "\"rest\":\"call it with %s, which was %zu: %s\"}",
			  cuts->size ? "," : "", a->array, v->cut, a->name, v->most, a->about);
}

static int shape_cut(const struct argument *a, struct json_object *given, struct json_object *root,
		     struct buf *cuts)
{
	struct answer_visit v = { .name = a->array, .array = cut };

	v.most = arguments_number(a, given);
	visit(root, &v);
	return v.cut ? add_cut(a, &v, cuts) : 0;
}

static bool is_named(const char *name, const char *as)
{
	const size_t size = strlen(name), end = strlen(as) - 1;

	if (*as != '*')
		return !strcmp(name, as);
	return size >= end && !strcmp(name + size - end, as + 1);
}

static bool is_wanted_member(const struct tool *t, const char *name)
{
	bool some = false;

	for (size_t i = 0; i < tool_only_count; i++) {
		if (&tools[tool_only[i].tool] != t)
			continue;
		if (is_named(name, tool_only[i].member))
			return true;
		some = true;
	}
	return !some;
}

static void shape_members(const struct tool *t, struct json_object *root)
{
	json_object_object_foreach(root, name, value)
	{
		(void)value;
		if (!is_wanted_member(t, name))
			json_object_object_del(root, name);
	}
}

int answer_shape(const struct tool *t, struct json_object *given, struct json_object *root, struct buf *cuts)
{
	int err = 0;

	if (!json_object_is_type(root, json_type_object))
		return -EINVAL;
	shape_members(t, root);
	for (size_t i = 0; i < tool_arguments_count && !err; i++) {
		const struct argument *a = &tool_arguments[i];

		if (&tools[a->tool] == t && a->kind == ARGUMENT_FILTER)
			shape_filter(a, given, root);
		if (&tools[a->tool] == t && a->kind == ARGUMENT_CUT)
			err = shape_cut(a, given, root, cuts);
	}
	return err;
}

static bool is_nothing(struct json_object *o)
{
	if (json_object_is_type(o, json_type_object))
		return !json_object_object_length(o);
	if (json_object_is_type(o, json_type_array))
		return !json_object_array_length(o);
	return (json_object_is_type(o, json_type_int) || json_object_is_type(o, json_type_double)) &&
	       json_object_get_double(o) == 0;
}

static void drop_zeros(struct json_object *o)
{
	if (!json_object_is_type(o, json_type_object))
		return;
	json_object_object_foreach(o, name, value)
	{
		drop_zeros(value);
		if (is_nothing(value))
			json_object_object_del(o, name);
	}
}

int answer_shape_books(const struct tool *t, struct json_object *root, struct buf *cuts)
{
	if (!json_object_is_type(root, json_type_object))
		return -EINVAL;
	shape_members(t, root);
	drop_zeros(root);
	return buf_printf(cuts, "%s{\"what\":\"books\",\"rest\":\"%swhat is not there counts 0\"}",
			  cuts->size ? "," : "",
			  t->work == WORK_RECORD ? "the tool books has more of them; " : "");
}

static int add_line(const char *line, size_t size, struct buf *out)
{
	char text[LINE_BYTES_MAX];

	if (size > sizeof(text) - 1)
		size = sizeof(text) - 1;
	memcpy(text, line, size);
	text[size] = '\0';
	return buf_add_string(out, out->size ? "," : "") ?: buf_add_json(out, text);
}

int answer_said(const struct buf *said, bool warnings, struct buf *out)
{
	const char *at = said->data, *end = at ? at + said->size : NULL;
	int err = 0, count = 0;

	while (at < end && !err && count < SAID_LINES_MAX) {
		const char *line = at, *next = memchr(at, '\n', end - at) ?: end;
		size_t size = next - line;

		at = next + 1;
		if (size >= strlen(OWN_NAME) && !memcmp(line, OWN_NAME, strlen(OWN_NAME))) {
			line += strlen(OWN_NAME);
			size -= strlen(OWN_NAME);
		}
		if (!size || (warnings && (size < 8 || memcmp(line, "warning:", 8))))
			continue;
		err = add_line(line, size, out);
		count++;
	}
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcp.c - what a client of `pyperf-bpf mcp` sends: lines that are messages or none, and calls. Whatever they
 * are, the words of a command line are options of the tool that is called, --wary, and behind "--" paths. The
 * same bytes are taken for what a command has said, and made an answer of each tool.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>

#include "mcp/answer.h"
#include "mcp/arguments.h"
#include "mcp/messages.h"

const char *const fuzz_corpus = "mcp";

static bool is_option_of(const struct tool *t, const char *word)
{
	const size_t length = strcspn(word, "=");

	if (t->fixed && !strcmp(word, t->fixed))
		return true;
	for (size_t i = 0; i < tool_arguments_count; i++) {
		const struct argument *a = &tool_arguments[i];

		if (&tools[a->tool] == t && a->option && strlen(a->option) + 2 == length &&
		    !memcmp(word + 2, a->option, length - 2))
			return true;
	}
	return false;
}

static void check_words(const struct tool *t, const struct words *w)
{
	FUZZ_CHECK(w->count >= 2 && !strcmp(w->word[0], "pyperf-bpf"));
	for (size_t i = 2; i < w->count && strcmp(w->word[i], "--"); i++) {
		const bool is_wary = !strcmp(w->word[i], "--wary"); /* of profiles, which come next */

		FUZZ_CHECK(!is_wary || (i + 1 < w->count && !strcmp(w->word[i + 1], "--")));
		FUZZ_CHECK(is_wary || (!strncmp(w->word[i], "--", 2) && is_option_of(t, w->word[i])));
	}
}

static void call(const struct tool *t, struct json_object *given)
{
	static const struct recordings recorded = { .folder = "/nowhere", .done = { 1, 2 }, .count = 2 };
	_cleanup_(words_free) struct words words = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	struct recording_paths paths;
	char error[512] = "";
	int err = arguments_words(t, given, &recorded, &words, error, sizeof(error));

	FUZZ_CHECK(!err || (err == -EINVAL && *error));
	arguments_recording(t, given, &recorded, &paths);
	if (err)
		return;
	if (t->work == WORK_RECORD)
		FUZZ_CHECK(arguments_seconds(given) > 0 && arguments_seconds(given) <= RECORD_SECONDS_MAX);
	check_words(t, &words);
	FUZZ_CHECK(!words_text(&words, &text));
}

static void read_message(const char *line, size_t size)
{
	struct json_object *name = NULL, *given = NULL;
	struct message m;
	const char *error = NULL;
	int code = message_read(line, size, &m, &error);

	FUZZ_CHECK(!code == !error);
	json_object_object_get_ex(m.params, "name", &name);
	json_object_object_get_ex(m.params, "arguments", &given);
	if (!code && json_object_is_type(name, json_type_string) &&
	    (!given || json_object_is_type(given, json_type_object)) &&
	    tools_find(json_object_get_string(name)))
		call(tools_find(json_object_get_string(name)), given);
	json_object_put(m.root);
}

static void make_answers(const char *text, size_t size)
{
	for (int i = 0; i < TOOLS; i++) {
		struct json_object *root = answer_parse(text, size);
		_cleanup_buf_ struct buf cuts = { 0 }, said = { 0 };
		const struct buf lines = { .data = (char *)text, .size = size };
		int err = answer_shape(&tools[i], NULL, root, &cuts);

		FUZZ_CHECK(!err || err == -EINVAL);
		err = answer_shape_books(&tools[i], root, &cuts);
		FUZZ_CHECK(!err || err == -EINVAL);
		FUZZ_CHECK(!answer_said(&lines, i % 2, &said));
		json_object_put(root);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	read_message(text, size);
	make_answers(text, size);
	free(text);
	return 0;
}

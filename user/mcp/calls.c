// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/calls.h"

#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/small_file.h"
#include "mcp/answer.h"
#include "mcp/arguments.h"
#include "mcp/next.h"
#include "options/commands.h"

#define PATIENCE_SECONDS 60 /* for what takes a second or two */
#define KILL_SECONDS	 5  /* from SIGTERM to SIGKILL */
#define BOOKS_BYTES_MAX	 (1 << 20)
#define EXIT_EMPTY	 3 /* nothing was sampled: an answer, too */

static int add_as_json(const char *text, size_t size, struct buf *out)
{
	_cleanup_buf_ struct buf copy = { 0 };

	return buf_add(&copy, text, size) ?: buf_add(&copy, "", 1) ?: buf_add_json(out, copy.data);
}

int call_result(const char *text, bool is_error, struct buf *out)
{
	return buf_add_string(out, "{\"content\":[{\"type\":\"text\",\"text\":") ?: buf_add_json(out, text) ?:
	       buf_printf(out, "}],\"isError\":%s}", is_error ? "true" : "false");
}

static int start(struct call *c, struct words *words)
{
	c->deadline = clock_seconds() + c->seconds;
	if (!c->command.size && words_text(words, &c->command))
		return -ENOMEM;
	return child_start(&c->child, words->word, RECORDING_BYTES_MAX);
}

static int add_recording(struct call *c, struct recordings *r, struct words *words)
{
	int err = recordings_begin(r, &c->recording, &c->paths);

	c->seconds = PATIENCE_SECONDS + (int)arguments_seconds(c->given);
	return err ?: words_add(words, "--output=%s", c->paths.profile) ?:
	       words_add(words, "--stats-json=%s", c->paths.books) ?: words_add(words, "--top=0");
}

int call_begin(struct call *c, const struct tool *t, struct json_object *id, struct json_object *given,
	       struct recordings *r, char *error, size_t size)
{
	_cleanup_(words_free) struct words words = { 0 };
	int err;

	*c = (struct call){ .id = id, .given = given, .tool = t, .seconds = PATIENCE_SECONDS,
			    .child.fds = { -1, -1 } };
	c->begun = c->told = clock_seconds();
	err = arguments_words(t, given, r, &words, error, size);
	if (err)
		return err;
	if (t->work == WORK_BOOKS && !arguments_recording(t, given, r, &c->paths)) {
		snprintf(error, size,
			 "books are of a profile that record has made, by its name; report has "
			 "what other profiles say of theirs");
		return -EINVAL;
	}
	if (t->work == WORK_BOOKS)
		return 0;
	if (t->work == WORK_RECORD)
		err = add_recording(c, r, &words);
	return err ?: start(c, &words);
}

bool call_is_due(struct call *c)
{
	return c->tool->work == WORK_BOOKS || child_ended(&c->child);
}

static void end_soon(struct call *c)
{
	child_signal(&c->child, clock_seconds() < c->deadline ? SIGTERM : SIGKILL);
	c->deadline = clock_seconds() + KILL_SECONDS;
}

void call_give_up(struct call *c)
{
	child_signal(&c->child, c->is_given_up || c->is_cancelled ? SIGKILL : SIGTERM);
	c->deadline = clock_seconds() + KILL_SECONDS;
	c->is_given_up = true;
}

void call_cancel(struct call *c)
{
	end_soon(c);
	c->is_cancelled = true;
}

static int refuse_call(const struct call *c, struct buf *out)
{
	_cleanup_buf_ struct buf text = { 0 };
	size_t said = c->child.err.size;
	int err;

	while (said && c->child.err.data[said - 1] == '\n')
		said--;
	if (c->is_given_up)
		err = buf_printf(&text, "%s was given up: it took more than %d seconds%s", c->tool->name,
				 c->seconds, said ? ". " : "") ?:
		      buf_add(&text, c->child.err.data, said);
	else if (c->child.is_too_much)
		err = buf_printf(&text, "%s has more than %d bytes to say: ask about fewer processes",
				 c->tool->name, CHILD_OUT_MAX);
	else
		err = buf_printf(&text, "%s failed, with exit code %d: ", c->tool->name,
				 child_code(&c->child)) ?:
		      buf_add(&text, c->child.err.data, said);
	err = err ?: buf_add(&text, "", 1);
	return err ?: call_result(text.data, true, out);
}

/* The members that every answer begins with. */
static int add_tool_head(const struct call *c, struct buf *text)
{
	return buf_printf(text, "{\"tool\":\"%s\"", c->tool->name) ?:
	       (c->command.size ? buf_add_string(text, ",\"command\":") ?:
				  add_as_json(c->command.data, c->command.size, text) : 0);
}

/* json-c makes of an escaped character the character itself, which somebody may look at on a terminal. */
static int add_json(const char *key, struct json_object *o, struct buf *text)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *json = json_object_to_json_string_ext(o, flags);

	return !json ? -ENOMEM : buf_printf(text, ",\"%s\":", key) ?: buf_add_json_shown(text, json);
}

/* What goes on from the answer; what was cut and what was said, if anything; and the end. */
static int add_tail(const struct call *c, struct json_object *root, const char *made, const struct buf *cuts,
		    struct buf *text)
{
	_cleanup_buf_ struct buf next = { 0 };
	int err = next_calls(c->tool, c->given, root, made, &next);

	if (!err && next.size)
		err = buf_add_string(text, ",\"next\":[") ?: buf_add(text, next.data, next.size) ?:
		      buf_add_string(text, "]");
	if (err)
		return err;

	if (cuts->size)
		err = buf_add_string(text, ",\"cut\":[") ?: buf_add(text, cuts->data, cuts->size) ?:
		      buf_add_string(text, "]");
	if (!err && c->said.size)
		err = buf_add_string(text, ",\"said\":[") ?: buf_add(text, c->said.data, c->said.size) ?:
		      buf_add_string(text, "]");
	return err ?: buf_add(text, "}", 2); /* with its NUL */
}

/* An answer is small, or is none. */
static int add_result(const struct call *c, const struct buf *text, bool is_error, struct buf *out)
{
	char line[256];

	if (text->size <= ANSWER_BYTES_MAX)
		return call_result(text->data, is_error, out);
	snprintf(line, sizeof(line),
		 "the answer of %s would have %zu bytes, more than %d: ask for less, by fewer rows (top, "
		 "threads, frames, tasks), one process (pid), or a filter (focus, thread, task)",
		 c->tool->name, text->size, ANSWER_BYTES_MAX);
	return call_result(line, true, out);
}

static int answer_asked(struct call *c, struct buf *out)
{
	_cleanup_buf_ struct buf text = { 0 }, cuts = { 0 };
	struct json_object *root = answer_parse(c->child.out.data, c->child.out.size);
	const int code = child_code(&c->child);
	/* doctor fails if something is missing: that is its answer. */
	const bool is_error = code && code != EXIT_EMPTY && c->tool->command != COMMAND_DOCTOR;
	int err;

	if (!root)
		return refuse_call(c, out);
	err = answer_shape(c->tool, c->given, root, &cuts) ?: answer_said(&c->child.err, false, &c->said) ?:
	      add_tool_head(c, &text) ?: add_json("answer", root, &text) ?:
	      add_tail(c, root, NULL, &cuts, &text);
	json_object_put(root);
	return err ?: add_result(c, &text, is_error, out);
}

static int add_books(const struct call *c, struct buf *text, struct buf *cuts)
{
	_cleanup_free_ char *books = NULL;
	struct json_object *root;
	int err = small_file_read(c->paths.books, BOOKS_BYTES_MAX, &books);

	if (err)
		return err;
	root = answer_parse(books, strlen(books));
	if (!root)
		return -EINVAL;
	err = answer_shape_books(c->tool, root, cuts) ?: add_json("books", root, text);
	json_object_put(root);
	return err;
}

static int answer_books(const struct call *c, struct buf *out)
{
	_cleanup_buf_ struct buf text = { 0 }, cuts = { 0 };
	int err = add_tool_head(c, &text) ?: add_books(c, &text, &cuts) ?:
		  add_tail(c, NULL, NULL, &cuts, &text);

	return err ?: add_result(c, &text, false, out);
}

/* The profile is there, and is looked at in two ways, one after the other. */
static int begin_report(struct call *c)
{
	_cleanup_(words_free) struct words words = { 0 };
	int err;

	c->step++;
	err = answer_said(&c->child.err, c->step == STEP_FINDINGS, &c->said);
	child_free(&c->child);
	c->seconds = PATIENCE_SECONDS;
	err = err ?: words_add(&words, "pyperf-bpf") ?: words_add(&words, "report") ?:
	      words_add(&words, "--json") ?:
	      words_add(&words, c->step == STEP_FINDINGS ? "--findings" : "--by=function") ?:
	      words_add(&words, "--") ?: words_add(&words, "%s", c->paths.profile);
	return err ?: start(c, &words);
}

/* Of the answer of the second step; without findings there is none. */
static void keep_findings(struct call *c)
{
	struct json_object *root = answer_parse(c->child.out.data, c->child.out.size), *found = NULL;

	json_object_object_get_ex(root, "findings", &found);
	c->findings = json_object_get(found);
	json_object_put(root);
}

static int add_recorded(struct call *c, struct recordings *r, struct json_object *root, struct buf *out)
{
	_cleanup_buf_ struct buf text = { 0 }, cuts = { 0 };
	const unsigned int number = c->recording;
	unsigned int gone;
	char made[16];
	int err;

	snprintf(made, sizeof(made), "r%u", number);
	err = add_tool_head(c, &text) ?: buf_printf(&text, ",\"profile\":\"%s\"", made) ?:
	      add_books(c, &text, &cuts) ?: (c->findings ? add_json("findings", c->findings, &text) : 0) ?:
	      add_json("report", root, &text);
	if (err)
		return err;
	c->recording = 0;
	gone = recordings_keep(r, number);
	if (gone)
		err = buf_printf(&text, ",\"removed\":\"r%u\"", gone);
	err = err ?: answer_said(&c->child.err, false, &c->said) ?: add_tail(c, root, made, &cuts, &text);
	return err ?: add_result(c, &text, false, out);
}

static int answer_recorded(struct call *c, struct recordings *r, struct buf *out)
{
	struct json_object *root = answer_parse(c->child.out.data, c->child.out.size);
	int err = root ? add_recorded(c, r, root, out) : refuse_call(c, out);

	json_object_put(root);
	return err;
}

int call_answer(struct call *c, struct recordings *r, struct buf *out)
{
	int err;

	if (c->tool->work == WORK_BOOKS)
		return answer_books(c, out);
	if (c->is_given_up || c->child.is_too_much)
		return refuse_call(c, out);
	if (c->tool->work == WORK_ASK)
		return answer_asked(c, out);
	if (c->step == STEP_REPORT)
		return answer_recorded(c, r, out);
	if (c->step == STEP_FINDINGS)
		keep_findings(c);
	else if (child_code(&c->child))
		return refuse_call(c, out);
	err = begin_report(c);
	return err ?: -EAGAIN;
}

double call_length(const struct call *c)
{
	const double so_far = clock_seconds() - c->begun, usual = arguments_seconds(c->given) + 2;

	return so_far > usual ? so_far : usual;
}

void call_free(struct call *c, struct recordings *r)
{
	child_free(&c->child);
	if (c->recording)
		recordings_drop(r, c->recording);
	json_object_put(c->id);
	json_object_put(c->given);
	json_object_put(c->token);
	json_object_put(c->findings);
	buf_free(&c->command);
	buf_free(&c->said);
	*c = (struct call){ .child.fds = { -1, -1 } };
}

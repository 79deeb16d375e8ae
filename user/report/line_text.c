// SPDX-License-Identifier: GPL-2.0-only
#include "report/line_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file_change.h"
#include "base/small_file.h"
#include "recorded/recorded.h"

void line_text_free(struct line_text *s)
{
	free(s->text);
	free(s->lines);
	s->text = NULL;
	s->lines = NULL;
	s->count = 0;
}

const char *line_text_get(const struct line_text *s, __s64 number)
{
	const __s64 at = number - s->first;

	return s->text && at >= 0 && (size_t)at < s->count ? s->text + s->lines[at] : NULL;
}

/* Ends each line, and notes where it begins. */
static int split(struct line_text *s)
{
	size_t n = 1, at = 0;

	for (const char *c = s->text; *c; c++)
		n += *c == '\n';
	s->lines = calloc(n, sizeof(*s->lines));
	if (!s->lines)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		s->lines[i] = at;
		at += strcspn(s->text + at, "\n");
		s->text[at++] = '\0';
	}
	s->count = n;
	return 0;
}

static bool is_python_file(const char *file)
{
	const size_t n = strlen(file);

	return *file == '/' && n > 3 && !strcmp(file + n - 3, ".py");
}

/* Whether a stack with a frame of this file has a label of a container. */
static bool is_of_container(const struct recorded *r, __u32 file)
{
	static const char *const keys[] = { "container_id", "container", "pod" };

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		const __u32 key = interned_find(&r->strings, keys[k], strlen(keys[k]));

		for (__u32 id = 1; key && id <= recorded_stacks(r); id++) {
			const struct recorded_stack s = recorded_get_stack(r, id);

			if (!recorded_find_label(&s, key))
				continue;
			for (size_t i = 0; i < s.n; i++) {
				const __u32 function = recorded_get_place(r, s.places[i])->function;

				if (recorded_get_function(r, function)->file == file)
					return true;
			}
		}
	}
	return false;
}

static bool is_of_word(char c)
{
	return c == '_' || (c & 0x80) || isalnum((unsigned char)c);
}

static bool has_word(const char *line, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = line; *word && (at = strstr(at, word)); at++)
		if ((at == line || !is_of_word(at[-1])) && !is_of_word(at[n]))
			return true;
	return false;
}

bool line_text_begins(const char *line, const char *name)
{
	const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;

	return strchr(last, '<') || has_word(line, last) || line[strspn(line, " \t")] == '@';
}

static bool stands_there(const struct line_text *s, const char *name, __s64 start_line)
{
	const char *line = line_text_get(s, start_line);

	return !start_line || line_text_begins(line ?: "", name);
}

static bool is_where_it_was(const struct recorded *r, const struct line_text *s)
{
	for (__u32 id = 1; id <= r->functions.count; id++) {
		const struct recorded_function *f = recorded_get_function(r, id);

		if (f->name == s->name && f->file == s->file &&
		    !stands_there(s, recorded_get_string(r, s->name), f->start_line))
			return false;
	}
	return true;
}

bool line_text_can_run(const char *line)
{
	line += line ? strspn(line, " \t\f\v\r") : 0;
	return line && *line && (*line != '#' || strchr(line, '{'));
}

/* --- what the profile says of the function ------------------------------------------------------------- */

/* At which line it begins; -1: the profile has it not. */
static __s64 find_begin(const struct recorded *r, __u32 name, __u32 file)
{
	for (__u32 id = 1; id <= r->functions.count; id++) {
		const struct recorded_function *f = recorded_get_function(r, id);

		if (f->name == name && f->file == file)
			return f->start_line;
	}
	return -1;
}

static bool has_function(const struct recorded *r, const struct recorded_stack *s, __u32 name, __u32 file)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct recorded_function *f =
			recorded_get_function(r, recorded_get_place(r, s->places[i])->function);

		if (f->name == name && f->file == file)
			return true;
	}
	return false;
}

/* When the first of the processes that have it in a stack began; ns since 1970, 0 = not known. */
static __s64 find_start(const struct recorded *r, __u32 name, __u32 file)
{
	const __u32 key = interned_find(&r->strings, "pid", strlen("pid"));
	__s64 first = 0;

	for (__u32 id = 1; id <= recorded_stacks(r); id++) {
		const struct recorded_stack s = recorded_get_stack(r, id);
		const struct recorded_label *pid = key ? recorded_find_label(&s, key) : NULL;
		__s64 began;

		if (!has_function(r, &s, name, file))
			continue;
		began = recorded_starts_get(&r->starts, pid && pid->is_number ? pid->number : 0);
		if (began && (!first || began < first))
			first = began;
	}
	return first;
}

/* A line of it that was counted, of those up to this one, that cannot have been; 0 = there is none. */
static __s64 find_idle(const struct recorded *r, const struct line_text *s, __s64 last)
{
	for (__u32 id = 1; id <= r->places.count; id++) {
		const struct recorded_place *p = recorded_get_place(r, id);
		const struct recorded_function *f = recorded_get_function(r, p->function);

		if (p->function && f->name == s->name && f->file == s->file && p->line > f->start_line &&
		    p->line > 1 && p->line <= last && !line_text_can_run(line_text_get(s, p->line)))
			return p->line;
	}
	return 0;
}

/* --- a file of this machine ---------------------------------------------------------------------------- */

static enum line_text_state state_of(const struct recorded *r, struct line_text *s)
{
	const __s64 began = find_start(r, s->name, s->file);
	const char *path = recorded_get_string(r, s->file);
	const __s64 linked = file_change_links_ns(path);
	struct stat st;
	__s64 changed;

	if (!is_where_it_was(r, s))
		return LINE_TEXT_OTHER;
	if (stat(path, &st))
		return LINE_TEXT_CHANGED;
	changed = file_change_ns(&st) > linked ? file_change_ns(&st) : linked;
	if (began && file_change_is_after(changed, began))
		return LINE_TEXT_CHANGED;
	s->idle = find_idle(r, s, INT64_MAX);
	if (s->idle)
		return LINE_TEXT_IDLE;
	return !began && r->start_ns && changed > r->start_ns ? LINE_TEXT_NEWER : LINE_TEXT_SHOWN;
}

int line_text_read(const struct recorded *r, __u32 name, __u32 file, struct line_text *ret)
{
	const char *path = recorded_get_string(r, file);
	int err;

	*ret = (struct line_text){ .file = file, .name = name, .first = 1, .state = LINE_TEXT_NONE };
	if (!is_python_file(path))
		return 0;
	ret->state = LINE_TEXT_CONTAINER;
	if (is_of_container(r, file))
		return 0;
	ret->state = LINE_TEXT_UNREADABLE;
	ret->err = small_file_read(path, LINE_TEXT_BYTES_MAX, &ret->text);
	if (ret->err)
		return ret->err == -ENOMEM ? ret->err : 0;
	err = split(ret);
	if (err)
		return err;
	ret->state = state_of(r, ret);
	if (ret->state != LINE_TEXT_SHOWN && ret->state != LINE_TEXT_NEWER)
		line_text_free(ret);
	return 0;
}

/* --- from a profiler ------------------------------------------------------------------------------------ */

/* A process that has it in a stack; 0 = none is known. */
static __s64 find_pid(const struct recorded *r, __u32 name, __u32 file)
{
	const __u32 key = interned_find(&r->strings, "pid", strlen("pid"));

	for (__u32 id = 1; key && id <= recorded_stacks(r); id++) {
		const struct recorded_stack s = recorded_get_stack(r, id);
		const struct recorded_label *pid = recorded_find_label(&s, key);

		if (pid && pid->is_number && has_function(r, &s, name, file))
			return pid->number;
	}
	return 0;
}

int line_text_ask(const struct recorded *r, __u32 name, __u32 file, __s64 last,
		  const struct line_asker *asker, struct line_text *ret)
{
	struct line_wanted wanted = {
		.name = recorded_get_string(r, name),
		.file = recorded_get_string(r, file),
		.begins = find_begin(r, name, file),
		.pid = find_pid(r, name, file),
	};
	_cleanup_buf_ struct buf text = { .size_max = LINE_TEXT_BYTES_MAX };
	int err;

	*ret = (struct line_text){ .file = file, .name = name };
	if (wanted.begins < 0 || !wanted.pid || !is_python_file(wanted.file))
		return -ENOENT;
	wanted.from = ret->first = wanted.begins ?: 1;
	wanted.to = last - wanted.from < LINE_WANTED_MAX ? last : wanted.from + LINE_WANTED_MAX - 1;
	if (wanted.to < wanted.from || asker->ask(asker->context, &wanted, &text) || !text.size)
		return -ENOENT;
	text.data[text.size - 1] = '\0'; /* in the place of the last line feed */
	ret->text = TAKE_PTR(text.data);
	err = split(ret);
	if (err)
		return err;
	ret->idle = find_idle(r, ret, ret->first + (__s64)ret->count - 1);
	if (ret->idle) {
		ret->state = LINE_TEXT_IDLE;
		line_text_free(ret);
	}
	return 0;
}

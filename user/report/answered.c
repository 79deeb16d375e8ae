// SPDX-License-Identifier: GPL-2.0-only
#include "report/answered.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "profile/frames.h"
#include "recorded/files.h"
#include "report/amount.h"
#include "report/asked_name.h"
#include "report/chance.h"
#include "report/pushed_notes.h"

#define FEW_SAMPLES	  100
#define MANY_INCOMPLETE	  0.005 /* share of stacks that lack something, from which on it is said */

void answered_free(struct answered *a)
{
	for (size_t i = 0; i < a->table_count; i++)
		table_free(&a->tables[i]);
	for (size_t i = 0; i < a->source_count; i++)
		line_text_free(&a->sources[i]);
	table_free(&a->markers);
	for (size_t i = 0; i < a->event_count; i++)
		report_selection_free(&a->events[i]);
	traced_free(&a->traced);
	report_selection_free(&a->chosen);
	*a = (struct answered){ 0 };
}

double answered_share(const struct report_table *t, __s64 value)
{
	return t->chosen->total ? (double)value / (double)t->chosen->total : 0;
}

__attribute__((format(printf, 3, 4))) static void add_note(struct answered *a, const char *code,
							   const char *format, ...)
{
	struct answered_note *note = &a->notes[a->note_count];
	va_list args;

	if (a->note_count == ANSWERED_NOTES_MAX)
		return;
	note->code = code;
	va_start(args, format);
	vsnprintf(note->text, sizeof(note->text), format, args);
	va_end(args);
	for (size_t i = 0; i < a->note_count; i++)
		if (!strcmp(a->notes[i].text, note->text))
			return; /* of another function of the file */
	a->note_count++;
}

static int add_table(struct answered *a, enum answer_by by, const char *label)
{
	struct report_table *t = &a->tables[a->table_count++];

	return table_make(&a->chosen, a->recorded, a->question, by, label, t);
}

/* Tables without a row say nothing where nobody has asked for them. */
static int add_if_any(struct answered *a, enum answer_by by)
{
	int err = add_table(a, by, NULL);

	if (!err && !a->tables[a->table_count - 1].count)
		table_free(&a->tables[--a->table_count]);
	return err;
}

/* About one function, which has to be there. */
static int add_one(struct answered *a, enum answer_by by, char *error, size_t size)
{
	const struct report_table *t = &a->tables[0];
	int err = add_table(a, by, NULL);

	if (err || t->count || t->total)
		return err;
	asked_name_explain(a->recorded, t->of, selection_event(&a->chosen), error, size);
	return -EINVAL;
}

/* Of one kind of event of a trace: where it was, and in which threads. */
static int add_event(struct answered *a, const char *event, char *error, size_t size)
{
	struct report_query q = *a->question;
	struct report_selection *c = &a->events[a->event_count++];
	int err;

	q.event = event;
	err = report_selection_make(a->recorded, &q, c, error, size);
	if (err || !c->total) {
		report_selection_free(c);
		a->event_count--;
		return err;
	}
	err = table_make(c, a->recorded, a->question, BY_LINE, NULL, &a->tables[a->table_count++]);
	return err ?: table_make(c, a->recorded, a->question, BY_THREAD, NULL, &a->tables[a->table_count++]);
}

static bool has_type(const struct recorded *r, const char *name)
{
	for (size_t i = 0; i < r->type_count; i++)
		if (!strcmp(recorded_get_string(r, r->types[i].type), name))
			return true;
	return false;
}

/* The number of ticks says the same as their time. */
static int add_events(struct answered *a, char *error, size_t size)
{
	const struct recorded *r = a->recorded;
	const bool has_time = has_type(r, "cpu");
	int err = 0;

	for (size_t i = 0; i < r->type_count && a->event_count < ANSWERED_EVENTS_MAX && !err; i++) {
		const char *event = recorded_get_string(r, r->types[i].type);

		if (!has_time || strcmp(event, "samples"))
			err = add_event(a, event, error, size);
	}
	return err;
}

static int make_tables(struct answered *a, char *error, size_t size)
{
	const struct report_query *q = a->question;
	const char *label;
	enum answer_by by;

	if (q->no_tables)
		return 0;
	if (q->callers || q->callees || q->lines)
		return add_one(a, q->lines ? BY_LINE : BY_FUNCTION, error, size);
	if (q->tree)
		return add_table(a, BY_FUNCTION, NULL);
	if (!q->by && q->trace && !q->event)
		return add_events(a, error, size);
	if (!q->by)
		return add_table(a, BY_FUNCTION, NULL) ?: add_table(a, BY_LINE, NULL) ?:
		       add_if_any(a, BY_NATIVE) ?: add_if_any(a, BY_PROCESS);
	if (report_query_by(q->by, &by, &label)) {
		snprintf(error, size, "there is no --by %.60s", q->by);
		return -EINVAL;
	}
	return add_table(a, by, label);
}

/* Of all frames only the markers stay. */
static int make_markers(struct answered *a)
{
	const struct report_query none = { .top = 0 };
	struct report_table *t = &a->markers;
	size_t n = 0;
	int err = table_make(&a->chosen, a->recorded, &none, BY_FRAME, NULL, t);

	if (err)
		return err;
	for (size_t i = 0; i < t->count; i++) {
		const __u32 kind = row_keys_get(&t->keys, t->rows[i].key)->kind;

		if (!strcmp(recorded_get_string(a->recorded, kind), frame_rows[FRAME_MARKER].key))
			t->rows[n++] = t->rows[i];
	}
	t->count = t->shown = n;
	table_sort(t);
	return 0;
}

static void note_pushed(void *context, const char *code, const char *text)
{
	add_note(context, code, "%s", text);
}

static void note_files(struct answered *a)
{
	const struct recorded *r = a->recorded;

	pushed_notes(&r->pushed[false], note_pushed, a);
	if (r->unreadable)
		add_note(a, "unreadable_files", FILES_UNREADABLE, r->unreadable);
	if (r->twice)
		add_note(a, "other_format_too", FILES_TWICE, r->twice);
	if (r->unread_formats)
		add_note(a, "unread_formats", FILES_UNREAD, r->unread_formats);
	if (r->ticks_wanted)
		add_note(a, "missing_ticks",
			 "%llu of %llu ticks came, where ticks were missing: times are made up for that",
			 r->ticks_came, r->ticks_wanted);
	if (r->unlooked)
		add_note(a, "unlooked", "%llu processes could not be looked at: what they did is not in here",
			 r->unlooked);
	if (r->unanalysed)
		add_note(a, "unanalysed",
			 "%llu ticks of programs that had only begun and were not analysed yet are not in "
			 "here",
			 r->unanalysed);
	if (r->forbidden)
		add_note(a, "forbidden",
			 "%llu ticks of processes that may not be read are not in here: pyperf-bpf doctor "
			 "says what would allow it",
			 r->forbidden);
}

static void note_incomplete(struct answered *a)
{
	__s64 worst = 0;

	for (size_t i = 0; i < a->markers.count; i++)
		if (a->markers.rows[i].total > worst)
			worst = a->markers.rows[i].total;
	if (answered_share(&a->markers, worst) >= MANY_INCOMPLETE)
		add_note(a, "incomplete",
			 "stacks with a marker such as [truncated] lack something: the markers are named");
}

static void note_samples(struct answered *a)
{
	const double n = (double)a->chosen.samples;
	struct chance_bounds b;

	if (!a->chosen.has_counts || n <= 0)
		return;
	b = chance_share(0.1, n);
	add_note(a, n < FEW_SAMPLES ? "few_samples" : "samples",
		 "shares rest on %s samples: what is shown as 10 %% is, 95 of 100 times, within %.1f and "
		 "%.1f %%", number_group(a->chosen.samples).text, 100 * b.low, 100 * b.high);
}

static void note_chosen(struct answered *a)
{
	const struct report_selection *c = &a->chosen;

	if (answered_is_empty(a))
		add_note(a, "nothing", "nothing was sampled of this event");
	else if (a->question->focus || a->question->ignore || a->question->of)
		add_note(a, "filtered",
			 "--of, --focus and --ignore leave %.2f %% of it, %s; shares are of all",
			 c->total ? 100 * (double)c->kept / (double)c->total : 0,
			 amount_text(amount_unit(selection_unit(c), c->kept), c->kept).text);
	for (size_t i = 0; i < a->table_count; i++)
		if (a->question->by && a->tables[i].without)
			add_note(a, "without", "%.2f %% of it is in no row: it has no %s",
				 100 * answered_share(&a->tables[i], a->tables[i].without), a->question->by);
}

static void note_trace(struct answered *a)
{
	const struct traced *t = &a->traced;

	if (!t->trace || !t->spans)
		return;
	if (!t->begin)
		add_note(a, "no_times",
			 "when it was is not in the file: it is in a log that was written as OTLP "
			 "(--log-file FILE.otlp.gz), and behind a URL");
	if (t->without)
		add_note(a, "without_ids",
			 "%.2f %% of what is in the file has no ids: what of that was done for this trace is "
			 "not known",
			 100 * (double)t->without / (double)t->all);
}

static const struct line_text *find_source(const struct answered *a, const struct row_key *key)
{
	for (size_t i = 0; i < a->source_count; i++) {
		const struct line_text *s = &a->sources[i];

		if (s->file == key->file && s->name == key->name)
			return s;
	}
	return NULL;
}

const char *answered_source(const struct answered *a, const struct report_table *t,
			    const struct table_row *row)
{
	const struct row_key *key = row_keys_get(&t->keys, row->key);
	const struct line_text *s = t->shape == TABLE_LINES ? find_source(a, key) : NULL;

	return s ? line_text_get(s, key->line) : NULL;
}

static void note_source(struct answered *a, const struct line_text *s)
{
	const char *file = recorded_get_string(a->recorded, s->file);

	if (s->state == LINE_TEXT_NEWER)
		add_note(a, "source_newer",
			 "%.150s was changed after the profile began: its lines may be others", file);
	else if (s->state == LINE_TEXT_CHANGED)
		add_note(a, "source_changed",
			 "%.150s is not shown: it was changed, or put there, after a process with it began",
			 file);
	else if (s->state == LINE_TEXT_IDLE)
		add_note(a, "source_idle",
			 "%.120s is not shown: line %lld of it, which was counted, has nothing that can run: "
			 "it was changed",
			 file, s->idle);
	else if (s->state == LINE_TEXT_CONTAINER)
		add_note(a, "source_container", "%.150s is not shown: it ran in a container", file);
	else if (s->state == LINE_TEXT_UNREADABLE)
		add_note(a, "source_unreadable", "%.150s is not shown: %s", file, strerror(-s->err));
	else if (s->state == LINE_TEXT_OTHER)
		add_note(a, "source_other", "%.150s is not shown: the function is not where it was", file);
}

static __s64 last_line(const struct report_table *t, const struct row_key *of)
{
	__s64 last = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct row_key *key = row_keys_get(&t->keys, t->rows[i].key);

		if (key->name == of->name && key->file == of->file && key->line > last)
			last = key->line;
	}
	return last;
}

/* The profiler that has the processes knows best; one that gives no source leaves it to this machine. */
static int read_source(struct answered *a, const struct row_key *key, struct line_text *ret)
{
	const struct line_asker *asker = a->question->asker;
	int err = -ENOENT;

	if (asker)
		err = line_text_ask(a->recorded, key->name, key->file, last_line(&a->tables[0], key), asker,
				    ret);
	return err == -ENOENT ? line_text_read(a->recorded, key->name, key->file, ret) : err;
}

/* Of the files of a table of lines. */
static int read_sources(struct answered *a)
{
	const struct report_table *t = &a->tables[0];
	int err = 0;

	for (size_t i = 0; a->question->lines && i < t->count && !err; i++) {
		const struct row_key *key = row_keys_get(&t->keys, t->rows[i].key);

		if (a->source_count == ANSWERED_SOURCES_MAX || find_source(a, key))
			continue;
		err = read_source(a, key, &a->sources[a->source_count++]);
		if (!err)
			note_source(a, &a->sources[a->source_count - 1]);
	}
	return err;
}

int answered_make(struct recorded *r, const struct report_query *q, struct answered *ret, char *error,
		  size_t size)
{
	int err;

	*ret = (struct answered){ .recorded = r, .question = q };
	err = report_selection_make(r, q, &ret->chosen, error, size);
	if (!err && q->trace)
		err = traced_make(&ret->chosen, q->trace, q->top, &ret->traced);
	err = err ?: make_tables(ret, error, size) ?: make_markers(ret) ?: read_sources(ret);
	if (err)
		return err;
	note_chosen(ret);
	note_trace(ret);
	note_files(ret);
	note_incomplete(ret);
	note_samples(ret);
	return 0;
}

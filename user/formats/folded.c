// SPDX-License-Identifier: GPL-2.0-only
/*
 * folded.c - see folded.h. Frames and owners are rendered and ranked once each. Stacks are then compared by
 * the ranks of their frames and written one after the other: the text, often a hundred times the profile,
 * exists once, in the output.
 */
#include "formats/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "profile/frames.h"
#include "profile/owner_text.h"
#include "profile/short_path.h"

/* The texts of all records of a kind: that of id begins at start[id - 1] and ends at start[id]. */
struct folded_texts {
	struct buf text;
	size_t *start;
	__u32 *order; /* ids, sorted by text */
	__u32 *rank;  /* by id; equal texts have equal ranks */
};

struct folded_encoder {
	const struct profile *profile;
	int kind;	  /* the kind of event that is written, ... */
	bool tells_kinds; /* ... as the first frame, since there are several */
	bool as_pyspy;
	bool *is_whole; /* by string: another file has its short path, so it is written whole */
	struct folded_texts frames, owners;
	struct buf *out;
};

static void cleanup_encoder(struct folded_encoder *e)
{
	struct folded_texts *const all[] = { &e->frames, &e->owners };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		buf_free(&all[i]->text);
		free(all[i]->start);
		free(all[i]->order);
		free(all[i]->rank);
	}
	free(e->is_whole);
}

static int by_short_path(const void *a, const void *b, void *context)
{
	const struct profile *p = context;

	return strcmp(short_path(profile_get_string(p, *(const __u32 *)a)),
		      short_path(profile_get_string(p, *(const __u32 *)b)));
}

/* Of files that would have one text all are written whole: else stacks of two became one. */
static int find_whole(struct folded_encoder *e)
{
	const struct profile *p = e->profile;
	const __u32 strings = profile_count(p, PROFILE_STRING);
	_cleanup_free_ __u32 *files = calloc((size_t)strings + 1, sizeof(*files));
	_cleanup_free_ bool *is_file = calloc((size_t)strings + 1, sizeof(*is_file));
	__u32 n = 0;

	e->is_whole = calloc((size_t)strings + 1, sizeof(*e->is_whole));
	if (!files || !is_file || !e->is_whole)
		return -ENOMEM;
	for (__u32 id = 1; id <= profile_count(p, PROFILE_FUNCTION); id++) {
		const __u32 file = profile_get_function(p, id)->file;

		if (file && !is_file[file])
			files[n++] = file;
		is_file[file] = true;
	}
	qsort_r(files, n, sizeof(*files), by_short_path, (void *)p);
	for (__u32 i = 1; i < n; i++)
		if (!by_short_path(&files[i - 1], &files[i], (void *)p))
			e->is_whole[files[i - 1]] = e->is_whole[files[i]] = true;
	return 0;
}

static int add_folded_frame(const struct folded_encoder *e, __u32 location, struct buf *out)
{
	const struct profile *p = e->profile;
	const struct profile_location *l = profile_get_location(p, location);
	const struct profile_function *f = profile_get_function(p, l->function);
	const char *path = profile_get_string(p, f->file);
	const char *file = e->as_pyspy || e->is_whole[f->file] ? path : short_path(path);
	int err;

	err = buf_add_shown(out, f->name ? profile_get_string(p, f->name) : "?", true) ?:
	      buf_add_string(out, frame_rows[f->kind].behind);
	if (err || !*file)
		return err;
	err = buf_add_string(out, " (") ?: buf_add_shown(out, file, true);
	if (!err && l->line)
		err = buf_printf(out, ":%u", l->line);
	return err ?: buf_add_string(out, ")");
}

/* In quotes, within which a reader takes a semicolon for a letter: a quote in a name would end them. */
static int add_pyspy_process(const struct folded_encoder *e, const struct profile_owner *o, struct buf *out)
{
	const size_t start = out->size;
	int err = buf_printf(out, "process %u:\"", o->pid);
	size_t name = out->size;

	if (!err)
		err = buf_add_shown(out, profile_get_string(e->profile, o->comm), true);
	for (size_t i = name; i < out->size && !err; i++)
		if (out->data[i] == '"')
			out->data[i] = '\'';
	err = err ?: buf_add(out, "\"", 1);
	if (err)
		out->size = start;
	return err;
}

static int add_owner(const struct folded_encoder *e, __u32 owner, struct buf *out)
{
	const struct profile *p = e->profile;
	const struct profile_owner *o = profile_get_owner(p, owner);
	int err = e->as_pyspy ? add_pyspy_process(e, o, out) : owner_text_process(p, owner, out);

	if (!err && owner_text_has_thread(p, owner))
		err = buf_add(out, ";", 1) ?: owner_text_thread(p, owner, out);
	if (err || !o->endpoint)
		return err;
	return buf_add_string(out, ";endpoint ") ?:
	       buf_add_shown(out, profile_get_string(p, o->endpoint), true);
}

static int compare_texts(const void *a, const void *b, void *context)
{
	const struct folded_texts *t = context;
	const size_t *x = t->start + *(const __u32 *)a - 1, *y = t->start + *(const __u32 *)b - 1;
	size_t x_size = x[1] - x[0], y_size = y[1] - y[0];
	int order = memcmp(t->text.data + x[0], t->text.data + y[0], x_size < y_size ? x_size : y_size);

	return order ? order : (x_size > y_size) - (x_size < y_size);
}

static int render(const struct folded_encoder *e, enum profile_kind kind,
		  int (*add)(const struct folded_encoder *, __u32, struct buf *), struct folded_texts *t)
{
	__u32 n = profile_count(e->profile, kind);
	int err = 0;

	t->start = calloc((size_t)n + 1, sizeof(*t->start));
	t->order = calloc((size_t)n + 1, sizeof(*t->order));
	t->rank = calloc((size_t)n + 1, sizeof(*t->rank));
	if (!t->start || !t->order || !t->rank)
		return -ENOMEM;
	for (__u32 id = 1; id <= n && !err; id++) {
		err = add(e, id, &t->text);
		t->start[id] = t->text.size;
		t->order[id - 1] = id;
	}
	if (err)
		return err;
	qsort_r(t->order, n, sizeof(*t->order), compare_texts, t);
	for (__u32 i = 1; i < n; i++)
		t->rank[t->order[i]] =
			t->rank[t->order[i - 1]] + !!compare_texts(&t->order[i - 1], &t->order[i], t);
	return 0;
}

static int compare_by_text(const void *a, const void *b, void *context)
{
	const struct folded_encoder *e = context;
	struct profile_stack x = profile_get_sample(e->profile, *(const __u32 *)a);
	struct profile_stack y = profile_get_sample(e->profile, *(const __u32 *)b);
	int order = number_order(e->owners.rank[x.owner], e->owners.rank[y.owner]);

	while (!order && x.n && y.n)
		order = number_order(e->frames.rank[x.locations[--x.n]], e->frames.rank[y.locations[--y.n]]);
	return order ? order : number_order(x.n, y.n);
}

static int add_text_of_rank(const struct folded_texts *t, __u32 id, struct buf *out)
{
	return buf_add(out, t->text.data + t->start[id - 1], t->start[id] - t->start[id - 1]);
}

static int add_folded_line(struct folded_encoder *e, __u32 sample, __u64 count)
{
	struct profile_stack stack = profile_get_sample(e->profile, sample);
	int err = 0;

	if (e->tells_kinds)
		err = buf_printf(e->out, "%s;", event_rows[e->kind].key);
	err = err ?: add_text_of_rank(&e->owners, stack.owner, e->out);
	while (stack.n && !err)
		err = buf_add(e->out, ";", 1) ?:
		      add_text_of_rank(&e->frames, stack.locations[--stack.n], e->out);
	return err ?: buf_printf(e->out, " %llu\n", count);
}

/*
 * One number a stack: with several kinds the time that it stands for, if the kind has any, and also with one
 * where that time is the kernel's account, of which a stack may have some without a tick.
 */
static __u64 number_of_stack(const struct folded_encoder *e, const struct profile_stack *stack)
{
	const struct profile_info *info = profile_get_info(e->profile);
	const bool is_time = (e->tells_kinds || info->timed) && *event_rows[e->kind].period;

	if (is_time && info->timed)
		return stack->counts[PROFILE_TIME];
	return stack->counts[e->kind] * (is_time ? info->period_ns : 1);
}

static int encode_kind(struct folded_encoder *e, const __u32 *order, __u32 n)
{
	__u64 count = 0;
	int err = 0;

	for (__u32 i = 0; i < n && !err; i++) {
		const struct profile_stack stack = profile_get_sample(e->profile, order[i]);

		count += number_of_stack(e, &stack);
		if (i + 1 < n && !compare_by_text(&order[i], &order[i + 1], e))
			continue;
		if (count) /* else all of it is of another kind of event */
			err = add_folded_line(e, order[i], count);
		count = 0;
	}
	return err;
}

static int encode_folded(struct folded_encoder *e)
{
	const __u32 kinds = profile_get_info(e->profile)->events;
	__u32 n = profile_count(e->profile, PROFILE_SAMPLE);
	_cleanup_free_ __u32 *order = calloc((size_t)n + 1, sizeof(*order));
	int err;

	if (!order)
		return -ENOMEM;
	err = find_whole(e) ?: render(e, PROFILE_LOCATION, add_folded_frame, &e->frames) ?:
	      render(e, PROFILE_OWNER, add_owner, &e->owners);
	if (err)
		return err;
	for (__u32 i = 0; i < n; i++)
		order[i] = i + 1;
	qsort_r(order, n, sizeof(*order), compare_by_text, e);
	e->tells_kinds = kinds & (kinds - 1);
	for (e->kind = 0; e->kind < EVENT_KINDS && !err; e->kind++)
		if (kinds & EVENT_BIT(e->kind))
			err = encode_kind(e, order, n);
	return err;
}

static int encode_text(const struct profile *p, bool as_pyspy, struct buf *out)
{
	_cleanup_(cleanup_encoder) struct folded_encoder e = {
		.profile = p,
		.as_pyspy = as_pyspy,
		.out = out,
	};
	size_t start = out->size;
	int err;

	err = encode_folded(&e);
	if (err)
		out->size = start;
	return err;
}

int folded_encode(const struct profile *p, struct buf *out)
{
	return encode_text(p, false, out);
}

int pyspy_encode(const struct profile *p, struct buf *out)
{
	return encode_text(p, true, out);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * folded.c - see folded.h. The frames are rendered once for each location, the lines from those; sorting
 * needs all lines, so they are gathered before the first is written.
 */
#include "profile/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *text;
	size_t size;
	__u64 count;
};

/* The rendered frames of all locations: frame id begins at start[id - 1] and ends at start[id]. */
struct frames {
	struct buf text;
	size_t *start;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int add_frame(const struct profile *p, __u32 location, struct buf *out)
{
	const struct profile_location *l = profile_get_location(p, location);
	const struct profile_function *f = profile_get_function(p, l->function);
	const char *file = base_name(profile_get_string(p, f->file));
	int err;

	err = buf_add_shown(out, profile_get_string(p, f->name), true);
	if (err || !*file)
		return err;
	err = buf_add_string(out, " (");
	if (!err)
		err = buf_add_shown(out, file, true);
	if (!err && l->line)
		err = buf_printf(out, ":%u", l->line);
	return err ? err : buf_add_string(out, ")");
}

static int render_frames(const struct profile *p, struct frames *frames)
{
	__u32 n = profile_count(p, PROFILE_LOCATION);
	int err;

	frames->start = calloc((size_t)n + 1, sizeof(*frames->start));
	if (!frames->start)
		return -ENOMEM;
	for (__u32 id = 1; id <= n; id++) {
		err = add_frame(p, id, &frames->text);
		if (err)
			return err;
		frames->start[id] = frames->text.size;
	}
	return 0;
}

static int add_owner(const struct profile *p, const struct profile_owner *o, struct buf *out)
{
	const char *thread = profile_get_string(p, o->thread);
	int err;

	err = buf_add_shown(out, profile_get_string(p, o->comm), true);
	if (!err)
		err = buf_printf(out, o->comm ? " (pid %u)" : "pid %u", o->pid);
	if (err || (!o->tid && !*thread))
		return err;
	err = buf_add_string(out, ";");
	if (!err)
		err = buf_add_shown(out, thread, true);
	if (!err && o->tid)
		err = buf_printf(out, *thread ? " (tid %u)" : "tid %u", o->tid);
	return err;
}

static int add_line(const struct profile *p, const struct frames *frames, __u32 sample, struct buf *out,
		    __u64 *ret_count)
{
	struct profile_stack stack = profile_get_sample(p, sample);
	int err;

	err = add_owner(p, profile_get_owner(p, stack.owner), out);
	for (__u32 i = stack.n; i-- && !err;) {
		const size_t *at = frames->start + stack.locations[i] - 1;

		err = buf_add_string(out, ";");
		if (!err)
			err = buf_add(out, frames->text.data + at[0], at[1] - at[0]);
	}
	if (!err)
		*ret_count = stack.count;
	return err;
}

static int line_compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);

	if (order)
		return order;
	return (x->size > y->size) - (x->size < y->size);
}

static int write_lines(const struct line *lines, __u32 n, struct buf *out)
{
	__u64 count = 0;
	int err = 0;

	for (__u32 i = 0; i < n && !err; i++) {
		count += lines[i].count;
		if (i + 1 < n && !line_compare(&lines[i], &lines[i + 1]))
			continue;
		err = buf_add(out, lines[i].text, lines[i].size);
		if (!err)
			err = buf_printf(out, " %llu\n", count);
		count = 0;
	}
	return err;
}

static int encode(const struct profile *p, struct frames *frames, struct buf *text, struct buf *out)
{
	__u32 n = profile_count(p, PROFILE_SAMPLE);
	_cleanup_free_ struct line *lines = NULL;
	size_t start = 0;
	int err;

	lines = calloc((size_t)n + 1, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	err = render_frames(p, frames);
	for (__u32 i = 0; i < n && !err; i++) {
		err = add_line(p, frames, i + 1, text, &lines[i].count);
		lines[i].size = text->size - start;
		start = text->size;
	}
	if (err)
		return err;
	start = 0;
	for (__u32 i = 0; i < n; i++) {
		lines[i].text = text->data + start;
		start += lines[i].size;
	}
	qsort(lines, n, sizeof(*lines), line_compare);
	return write_lines(lines, n, out);
}

int folded_encode(const struct profile *p, struct buf *out)
{
	struct frames frames = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	size_t start = out->size;
	int err;

	err = encode(p, &frames, &text, out);
	buf_free(&frames.text);
	free(frames.start);
	if (err)
		out->size = start;
	return err;
}

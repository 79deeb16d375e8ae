// SPDX-License-Identifier: GPL-2.0-only
/*
 * native_lines.c - see native_lines.h. The same names and paths come with nearly every answer, so each string
 * is kept once.
 */
#include "names/native_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct line_name {
	UT_hash_handle hh;
	__u32 users;
	char text[];
};

struct line_place {
	__u64 position;
	UT_hash_handle hh;
	__u32 count;
	struct native_line *frames; /* NULL: none, or not yet */
};

struct native_lines {
	struct line_place *places;
	struct line_name *texts;
	__u32 count;
	size_t bytes;
	bool full;
};

int native_lines_new(struct native_lines **ret)
{
	struct native_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	*ret = l;
	return 0;
}

/* A string that keep_text() has returned is not needed any more. */
static void drop_text(struct native_lines *l, const char *text)
{
	struct line_name *t = (struct line_name *)(text - offsetof(struct line_name, text));

	if (--t->users)
		return;
	l->bytes -= sizeof(*t) + strlen(t->text) + 1;
	HASH_DEL(l->texts, t);
	free(t);
}

static void drop_frames(struct native_lines *l, struct native_line *frames, __u32 count)
{
	for (__u32 i = 0; i < count; i++) {
		if (frames[i].name)
			drop_text(l, frames[i].name);
		if (frames[i].file)
			drop_text(l, frames[i].file);
	}
	l->bytes -= count * sizeof(*frames);
	free(frames);
}

static void drop_place(struct native_lines *l, struct line_place *p)
{
	HASH_DEL(l->places, p);
	if (p->frames)
		drop_frames(l, p->frames, p->count);
	free(p);
	l->count--;
}

void native_lines_free(struct native_lines *l)
{
	struct line_place *p, *next;

	if (!l)
		return;
	HASH_ITER(hh, l->places, p, next)
		drop_place(l, p);
	free(l);
}

void native_lines_forget(struct native_lines *l, __u64 begin, __u64 size)
{
	struct line_place *p, *next;

	HASH_ITER(hh, l->places, p, next)
		if (p->position - begin < size)
			drop_place(l, p);
	l->full = false;
}

static struct line_place *find_place(const struct native_lines *l, __u64 position)
{
	struct line_place *p;

	HASH_FIND(hh, l->places, &position, sizeof(position), p);
	return p;
}

bool native_lines_want(struct native_lines *l, __u64 position)
{
	struct line_place *p;

	if (find_place(l, position))
		return false;
	if (l->count == NATIVE_LINES_MAX) {
		l->full = true;
		return false;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return false;
	p->position = position;
	HASH_ADD(hh, l->places, position, sizeof(position), p);
	if (!p->hh.tbl) {
		free(p);
		return false;
	}
	l->count++;
	return true;
}

void native_lines_unwant(struct native_lines *l, __u64 position)
{
	struct line_place *p = find_place(l, position);

	if (p && !p->frames)
		drop_place(l, p);
}

bool native_lines_full(const struct native_lines *l)
{
	return l->full;
}

/* Whether there is room for so many bytes more, which are then taken. */
static bool take_bytes(struct native_lines *l, size_t bytes)
{
	l->full |= bytes > NATIVE_LINES_BYTES_MAX - l->bytes;
	if (bytes > NATIVE_LINES_BYTES_MAX - l->bytes)
		return false;
	l->bytes += bytes;
	return true;
}

/* A copy of the string, which stays; equal strings share one. */
static int keep_text(struct native_lines *l, const char *s, const char **ret)
{
	const size_t size = strlen(s) + 1;
	struct line_name *t;

	HASH_FIND(hh, l->texts, s, size - 1, t);
	if (t) {
		t->users++;
		*ret = t->text;
		return 0;
	}
	if (!take_bytes(l, sizeof(*t) + size))
		return -ENOSPC;
	t = malloc(sizeof(*t) + size);
	if (t) {
		t->users = 1;
		memcpy(t->text, s, size);
		HASH_ADD_KEYPTR(hh, l->texts, t->text, size - 1, t);
	}
	if (!t || !t->hh.tbl) {
		l->bytes -= sizeof(*t) + size;
		free(t);
		return -ENOMEM;
	}
	*ret = t->text;
	return 0;
}

static int keep_place(struct native_lines *l, __u64 base, const struct source *s,
		      const struct source_place *from)
{
	struct line_place *p = find_place(l, base + from->offset);
	struct native_line *frames;
	int err = 0;

	if (!p || p->frames || !from->count)
		return 0;
	if (!take_bytes(l, from->count * sizeof(*frames)))
		return -ENOSPC;
	frames = calloc(from->count, sizeof(*frames));
	if (!frames) {
		l->bytes -= from->count * sizeof(*frames);
		return -ENOMEM;
	}
	for (__u32 i = 0; !err && i < from->count; i++) {
		frames[i].line = from->frames[i].line;
		err = keep_text(l, s->strings + from->frames[i].name, &frames[i].name) ?:
		      keep_text(l, s->strings + from->frames[i].file, &frames[i].file);
	}
	if (err) {
		drop_frames(l, frames, from->count);
		return err;
	}
	p->frames = frames;
	p->count = from->count;
	return 0;
}

int native_lines_add(struct native_lines *l, __u64 base, const void *bytes, size_t size)
{
	struct source s;
	int err = source_parse(bytes, size, &s);

	for (__u32 i = 0; !err && i < s.count; i++)
		err = keep_place(l, base, &s, &s.places[i]);
	return err;
}

__u32 native_lines_find(const struct native_lines *l, __u64 position, const struct native_line **ret)
{
	const struct line_place *p = find_place(l, position);

	if (!p || !p->frames)
		return 0;
	*ret = p->frames;
	return p->count;
}

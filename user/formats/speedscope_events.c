// SPDX-License-Identifier: GPL-2.0-only
#include "formats/speedscope_events.h"

#include <stdbool.h>

struct speedscope_writer {
	const struct profile *profile;
	struct buf *out;
	struct profile_stack open; /* the stack that is open; n 0 = none is */
	__u64 since;		   /* up to when it is */
	bool any;
};

/* The frame that is so many from the root. */
static __u32 frame_at(const struct profile_stack *s, __u32 depth)
{
	return s->locations[s->n - 1 - depth];
}

static int add_event(struct speedscope_writer *w, char type, __u32 location, __u64 at)
{
	int err = buf_printf(w->out, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}", w->any ? "," : "", type,
			     location - 1, at);

	w->any = true;
	return err;
}

/* Closes the frames above the first `keep` ones, the innermost first. */
static int close_frames(struct speedscope_writer *w, __u32 keep, __u64 at)
{
	int err = 0;

	for (__u32 depth = w->open.n; depth > keep && !err; depth--)
		err = add_event(w, 'C', frame_at(&w->open, depth - 1), at);
	return err;
}

static __u32 common(const struct profile_stack *a, const struct profile_stack *b)
{
	__u32 n = 0;

	while (n < a->n && n < b->n && frame_at(a, n) == frame_at(b, n))
		n++;
	return n;
}

static int add_piece(struct speedscope_writer *w, const struct timeline_piece *piece)
{
	const struct profile_stack s = profile_get_sample(w->profile, piece->sample);
	__u32 keep = 0;
	int err = 0;

	if (w->since == piece->begin)
		keep = common(&w->open, &s);
	err = close_frames(w, keep, w->since);
	for (__u32 depth = keep; depth < s.n && !err; depth++)
		err = add_event(w, 'O', frame_at(&s, depth), piece->begin);
	w->open = s;
	w->since = piece->end;
	return err;
}

int speedscope_events_add(const struct profile *p, const struct timeline_thread *t, struct buf *out)
{
	struct speedscope_writer w = { .profile = p, .out = out };
	int err = 0;

	for (size_t i = 0; i < t->count && !err; i++)
		if (t->pieces[i].has_time && t->pieces[i].end > t->pieces[i].begin)
			err = add_piece(&w, &t->pieces[i]);
	return err ?: close_frames(&w, 0, w.since);
}

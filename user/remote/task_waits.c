// SPDX-License-Identifier: GPL-2.0-only
#include "remote/task_waits.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* The state of one look. */
struct waits_look {
	const struct tasks *seen;
	const struct task *tasks;
	const struct look_frame *seen_frames;
	const __u32 *awaiters;
	struct seen_codes codes;
	struct buf waits, frames;
};

/* A task of which a code object is not there any more has changed meanwhile. */
static int add_wait_frames(struct waits_look *k, const struct task *from, struct task_wait *w)
{
	const size_t before = k->frames.size;
	int err = 0;

	w->first = before / sizeof(struct seen_frame);
	for (__u32 i = 0; i < from->frames && !err; i++) {
		const struct look_frame *f = &k->seen_frames[from->first_frame + i];
		const struct seen_frame seen = { seen_codes_find(&k->codes, f->code), f->instr };

		if (seen.code == SEEN_SHIM)
			continue;
		if (seen.code == SEEN_NONE) {
			k->frames.size = before;
			w->count = 0;
			w->state = TASK_CHANGED;
			return 0;
		}
		err = buf_add(&k->frames, &seen, sizeof(seen));
		w->count++;
	}
	return err;
}

static int add_task(struct waits_look *k, const struct task *t)
{
	struct task_wait w = { .address = t->address, .tid = t->tid, .state = t->state };

	w.cut = t->frames && t->cut;
	if (t->awaiters) {
		w.awaiter = k->awaiters[t->first_awaiter] + 1;
		w.others = t->awaiters - 1;
	}
	return add_wait_frames(k, t, &w) ?: buf_add(&k->waits, &w, sizeof(w));
}

static int put_waits_together(const struct waits_look *k, struct task_waits *head, struct buf *out)
{
	const size_t codes = k->codes.count * sizeof(k->codes.codes[0]);
	int err;

	head->tasks = k->seen->tasks;
	head->codes = k->codes.count;
	head->frames = k->frames.size / sizeof(struct seen_frame);
	head->more = k->seen->more;
	err = buf_reserve(out, sizeof(*head) + k->waits.size + codes + k->frames.size);
	err = err ?: buf_add(out, head, sizeof(*head));
	err = err ?: buf_add(out, k->waits.data, k->waits.size);
	err = err ?: buf_add(out, k->codes.codes, codes);
	return err ?: buf_add(out, k->frames.data, k->frames.size);
}

static int translate(struct waits_look *k, const struct buf *bytes)
{
	int err = tasks_parse(bytes->data, bytes->size, &k->seen, &k->tasks, &k->seen_frames, &k->awaiters);

	for (__u32 i = 0; !err && i < k->seen->tasks; i++)
		err = add_task(k, &k->tasks[i]);
	return err;
}

int task_waits_look(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
		    struct buf *out)
{
	struct task_waits head = { .at_ns = clock_ns() };
	_cleanup_free_ struct waits_look *k = calloc(1, sizeof(*k));
	_cleanup_buf_ struct buf bytes = { 0 };
	int err;

	if (!k)
		return -ENOMEM;
	seen_codes_begin(&k->codes, memory, layout);
	err = tasks_look(pid, memory, layout, runtime, asyncio, &bytes) ?: translate(k, &bytes);
	err = err ?: put_waits_together(k, &head, out);
	buf_free(&k->waits);
	buf_free(&k->frames);
	return err;
}

static bool is_sane_wait(const struct task_waits *head, const struct task_wait *w)
{
	return w->state >= TASK_WAITS && w->state < TASK_STATES && w->first <= head->frames &&
	       w->count <= head->frames - w->first && w->awaiter <= head->tasks;
}

int task_waits_parse(const void *bytes, size_t size, const struct task_waits **ret,
		     const struct task_wait **ret_tasks, const struct seen_code **ret_codes,
		     const struct seen_frame **ret_frames)
{
	const struct task_waits *head = bytes;
	const struct task_wait *tasks = (const void *)(head + 1);
	const struct seen_code *codes;
	const struct seen_frame *frames;

	if (size < sizeof(*head) || head->tasks > TASKS_LISTED_MAX || head->codes > SEEN_CODES_MAX ||
	    head->frames > TASKS_FRAMES_MAX ||
	    size != sizeof(*head) + head->tasks * sizeof(*tasks) + head->codes * sizeof(*codes) +
			    head->frames * sizeof(*frames))
		return -EBADMSG;
	codes = (const void *)(tasks + head->tasks);
	frames = (const void *)(codes + head->codes);
	for (__u32 i = 0; i < head->tasks; i++)
		if (!is_sane_wait(head, &tasks[i]))
			return -EBADMSG;
	if (!seen_codes_are_sane(codes, head->codes) ||
	    !seen_frames_are_sane(frames, head->frames, head->codes))
		return -EBADMSG;
	*ret = head;
	*ret_tasks = tasks;
	*ret_codes = codes;
	*ret_frames = frames;
	return 0;
}

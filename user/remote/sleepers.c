// SPDX-License-Identifier: GPL-2.0-only
#include "remote/sleepers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/thread.h"
#include "python/target_walk.h"
#include "remote/thread_states.h"

#define HAS_NATIVE_ID 0x030b0000 /* a thread state has its thread's number (3.11+) */
#define TASKS_MAX     2048	 /* threads up to 3.10, by which their thread states are known */
#define LOOK_NS	      (100 * NS_PER_MS) /* CPU time for the threads of one look, but the last one */

/* The state of one look. */
struct sleeping_look {
	const struct layout *layout;
	__u64 found; /* CPU time of this process when the thread states were found, ns */
	struct thread_states states;
	struct walk walk;
	__u8 tstate[TARGET_TSTATE_BYTES];
	struct buf threads, frames;
	__u32 thread_count, frame_count;
	struct seen_codes codes;
};

/* Adds the frames of the walk, from the root on. 0, -ENOMEM; -EFAULT: a code object is not there. */
static int add_sleeper_frames(struct sleeping_look *k, __u32 *ret_count)
{
	const size_t before = k->frames.size;
	__u32 count = 0;
	int err = 0;

	for (__u32 i = k->walk.depth; i-- > 0 && !err;) {
		const struct frame *from = &k->walk.frames[i];
		struct seen_frame f = { .code = seen_codes_find(&k->codes, from->code) };

		if (f.code == SEEN_SHIM)
			continue;
		f.instr = target_instruction(k->layout, from);
		err = f.code == SEEN_NONE ? -EFAULT : buf_add(&k->frames, &f, sizeof(f));
		count++;
	}
	if (err)
		k->frames.size = before;
	*ret_count = err ? 0 : count;
	return err;
}

static enum outcome outcome_of(const struct sleeping_look *k, enum target_end end)
{
	switch (end) {
	case TARGET_WHOLE:
		return OUTCOME_WHOLE;
	case TARGET_NO_FRAMES:
		return OUTCOME_NO_FRAMES;
	case TARGET_DEEP:
		return OUTCOME_TRUNCATED;
	case TARGET_BROKEN:
		break;
	}
	return k->walk.python ? OUTCOME_INCOMPLETE : OUTCOME_UNREADABLE;
}

static int look_at_sleeper(struct sleeping_look *k, pid_t tid, pid_t own_tid)
{
	const struct thread_state *s = thread_states_of(&k->states, own_tid);
	struct sleeper t = { .tid = tid, .outcome = OUTCOME_NO_THREAD_STATE, .first = k->frame_count };
	int err = 0;

	if (!s && thread_states_are_all(&k->states))
		t.outcome = OUTCOME_C_THREAD;
	if (s) {
		k->walk.python = 0;
		t.outcome = outcome_of(k, target_walk_thread(&k->walk, k->layout, s->address, k->tstate));
		err = add_sleeper_frames(k, &t.count);
	}
	if (err == -EFAULT) {
		t.outcome = OUTCOME_UNREADABLE;
		err = 0;
	}
	if (t.outcome == OUTCOME_WHOLE && !t.count)
		t.outcome = OUTCOME_NO_FRAMES;
	k->frame_count += t.count;
	k->thread_count++;
	return err ?: buf_add(&k->threads, &t, sizeof(t));
}

/* The threads by which thread states are matched: up to 3.10 all, else none. 0 or -errno. */
static int match(struct sleeping_look *k, pid_t pid)
{
	_cleanup_free_ pid_t *tids = NULL;
	_cleanup_free_ struct proc_thread *threads = NULL;
	size_t count;
	bool more;
	int err;

	if (k->layout->version >= HAS_NATIVE_ID)
		return 0;
	err = proc_threads(pid, TASKS_MAX, &tids, &count, &more);
	if (err)
		return err;
	threads = calloc(count, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		threads[i].own_tid = proc_thread_own_tid(pid, tids[i]);
	thread_states_match(&k->states, threads, count);
	return 0;
}

/*
 * Threads that are not reached by then are left for another time: the worker is given up when it takes too
 * long.
 */
static bool is_over(const struct sleeping_look *k)
{
	return k->frame_count > SLEEPERS_FRAMES_MAX - OUTSIDE_FRAMES ||
	       clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) - k->found > LOOK_NS;
}

static int look_at_sleepers(struct sleeping_look *k, pid_t pid, pid_t memory, __u64 runtime,
			    const struct sleepers_question *q)
{
	int err;

	target_memory_choose(memory);
	k->walk.max_depth = q->max_depth < DEPTH_LIMIT ? q->max_depth : DEPTH_LIMIT - 1;
	err = thread_states_read(&k->states, memory, k->layout, runtime) ?: match(k, pid);
	k->found = clock_ns_of(CLOCK_PROCESS_CPUTIME_ID);
	for (__u32 i = 0; i < q->count && i < SLEEPERS_MAX && !err && (!i || !is_over(k)); i++)
		err = look_at_sleeper(k, q->tids[i], proc_thread_own_tid(pid, q->tids[i]));
	return err;
}

static int put_sleepers_together(const struct sleeping_look *k, struct buf *out)
{
	const struct sleepers head = { k->thread_count, k->codes.count, k->frame_count, 0 };
	const size_t codes = k->codes.count * sizeof(k->codes.codes[0]);
	int err = buf_reserve(out, sizeof(head) + k->threads.size + codes + k->frames.size);

	err = err ?: buf_add(out, &head, sizeof(head));
	err = err ?: buf_add(out, k->threads.data, k->threads.size);
	err = err ?: buf_add(out, k->codes.codes, codes);
	return err ?: buf_add(out, k->frames.data, k->frames.size);
}

int sleepers_look(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime,
		  const struct sleepers_question *question, struct buf *out)
{
	struct sleeping_look *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->layout = layout;
	seen_codes_begin(&k->codes, memory, layout);
	err = look_at_sleepers(k, pid, memory, runtime, question) ?: put_sleepers_together(k, out);
	buf_free(&k->threads);
	buf_free(&k->frames);
	free(k);
	return err;
}

static bool is_sane_thread(const struct sleeper *t, __u32 frames)
{
	switch (t->outcome) {
	case OUTCOME_WHOLE:
	case OUTCOME_INCOMPLETE:
	case OUTCOME_TRUNCATED:
	case OUTCOME_NO_FRAMES:
	case OUTCOME_C_THREAD:
	case OUTCOME_NO_THREAD_STATE:
	case OUTCOME_UNREADABLE:
		return t->first <= frames && t->count <= frames - t->first && t->count <= OUTSIDE_FRAMES;
	}
	return false;
}

int sleepers_parse(const void *bytes, size_t size, const struct sleepers **ret,
		   const struct sleeper **ret_threads, const struct seen_code **ret_codes,
		   const struct seen_frame **ret_frames)
{
	const struct sleepers *s = bytes;
	const struct sleeper *threads = (const void *)(s + 1);
	const struct seen_code *codes;
	const struct seen_frame *frames;

	if (size < sizeof(*s) || s->threads > SLEEPERS_MAX || s->codes > SEEN_CODES_MAX ||
	    s->frames > SLEEPERS_FRAMES_MAX ||
	    size != sizeof(*s) + s->threads * sizeof(*threads) + s->codes * sizeof(*codes) +
			    s->frames * sizeof(*frames))
		return -EBADMSG;
	codes = (const void *)(threads + s->threads);
	frames = (const void *)(codes + s->codes);
	for (__u32 i = 0; i < s->threads; i++)
		if (!is_sane_thread(&threads[i], s->frames))
			return -EBADMSG;
	if (!seen_codes_are_sane(codes, s->codes) || !seen_frames_are_sane(frames, s->frames, s->codes))
		return -EBADMSG;
	*ret = s;
	*ret_threads = threads;
	*ret_codes = codes;
	*ret_frames = frames;
	return 0;
}

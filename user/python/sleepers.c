// SPDX-License-Identifier: GPL-2.0-only
#include "python/sleepers.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/task.h"
#include "python/target_walk.h"
#include "python/thread_states.h"

#include "bpf/python/digest.h"

#define HAS_NATIVE_ID 0x030b0000 /* a thread state has its thread's number (3.11+) */
#define TASKS_MAX     2048	 /* threads up to 3.10, by which their thread states are known */
#define PLACES	      (2 * SLEEPERS_CODES_MAX)
#define LOOK_NS	      (100 * NS_PER_MS) /* CPU time for the threads of one look, but the last one */
#define NO_CODE	      (~0U)
#define SHIM	      (~0U - 1)

/* What one look works on. */
struct looking {
	const struct layout *layout;
	__u64 begin; /* CPU time of this process when it began, ns, */
	__u64 found; /* ... and when the thread states were found */
	struct thread_states states;
	struct walk walk;
	__u8 tstate[TARGET_TSTATE_BYTES];
	struct buf threads, frames;
	__u32 thread_count, frame_count, code_count;
	struct sleeper_code codes[SLEEPERS_CODES_MAX];
	__u32 known;
	struct { /* by the address, the code objects that were read */
		__u64 address; /* 0 = free */
		__u32 number;  /* of the codes, or SHIM: the interpreter's own, which is not shown */
	} places[PLACES];
};

/* Reads a code object. Its number, SHIM, or NO_CODE. */
static __u32 read_code(struct looking *k, __u64 address)
{
	const struct layout *l = k->layout;
	__u8 header[HEADER_BYTES] __attribute__((aligned(8))) = { 0 };
	__u64 end[FILE_END / 8];

	if (k->code_count == SLEEPERS_CODES_MAX || l->code_size < 16 || l->code_size > HEADER_MASK + 1 ||
	    mem_read(header, l->code_size, address))
		return NO_CODE;
	if (digest_is_shim(header, l))
		return SHIM;
	k->codes[k->code_count] = (struct sleeper_code){
		.address = address,
		.fingerprint = digest_code(header, l, end),
		.table = header_u64(header, l->code_linetable),
		.first_line = (__s32)header_u32(header, l->code_first_line),
	};
	return k->code_count++;
}

/* The same, of which each object is read once. */
static __u32 find_code(struct looking *k, __u64 address)
{
	size_t at = mix(address) % PLACES;

	while (k->places[at].address && k->places[at].address != address)
		at = (at + 1) % PLACES;
	if (!k->places[at].address) {
		const __u32 number = read_code(k, address);

		if (number == NO_CODE || k->known == SLEEPERS_CODES_MAX)
			return number;
		k->known++;
		k->places[at].address = address;
		k->places[at].number = number;
	}
	return k->places[at].number;
}

/* Adds the frames of the walk, from the root on. 0, -ENOMEM; -EFAULT: a code object is not there. */
static int add_frames(struct looking *k, __u32 *ret_count)
{
	const size_t before = k->frames.size;
	__u32 count = 0;
	int err = 0;

	for (__u32 i = k->walk.depth; i-- > 0 && !err;) {
		const struct frame *from = &k->walk.frames[i];
		struct sleeper_frame f = { .code = find_code(k, from->code) };

		if (f.code == SHIM)
			continue;
		f.instr = target_instruction(k->layout, from);
		err = f.code == NO_CODE ? -EFAULT : buf_add(&k->frames, &f, sizeof(f));
		count++;
	}
	if (err)
		k->frames.size = before;
	*ret_count = err ? 0 : count;
	return err;
}

static enum outcome outcome_of(const struct looking *k, enum target_end end)
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

static int look_at_thread(struct looking *k, pid_t tid, pid_t own_tid)
{
	const struct thread_state *s = thread_states_of(&k->states, own_tid);
	struct sleeper t = { .tid = tid, .outcome = OUTCOME_NO_THREAD_STATE, .first = k->frame_count };
	int err = 0;

	if (s) {
		k->walk.python = 0;
		t.outcome = outcome_of(k, target_walk_thread(&k->walk, k->layout, s->address, k->tstate));
		err = add_frames(k, &t.count);
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
static int match(struct looking *k, pid_t pid)
{
	_cleanup_free_ pid_t *tids = NULL;
	_cleanup_free_ struct task *tasks = NULL;
	size_t count;
	bool more;
	int err;

	if (k->layout->version >= HAS_NATIVE_ID)
		return 0;
	err = tasks_of(pid, TASKS_MAX, &tids, &count, &more);
	if (err)
		return err;
	tasks = calloc(count, sizeof(*tasks));
	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		tasks[i].own_tid = task_own_tid(pid, tids[i]);
	thread_states_match(&k->states, tasks, count);
	return 0;
}

/* What is not looked at by then is left for another time: the worker is given up when it takes too long. */
static bool is_over(const struct looking *k)
{
	return k->frame_count > SLEEPERS_FRAMES_MAX - GIVEN_FRAMES ||
	       clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) - k->found > LOOK_NS;
}

static int look(struct looking *k, pid_t pid, pid_t memory, __u64 runtime, const struct sleepers_question *q)
{
	int err;

	target = memory;
	k->walk.max_depth = q->max_depth < DEPTH_LIMIT ? q->max_depth : DEPTH_LIMIT - 1;
	err = thread_states_read(&k->states, memory, k->layout, runtime) ?: match(k, pid);
	k->found = clock_ns_of(CLOCK_PROCESS_CPUTIME_ID);
	for (__u32 i = 0; i < q->count && i < SLEEPERS_MAX && !err && (!i || !is_over(k)); i++)
		err = look_at_thread(k, q->tids[i], task_own_tid(pid, q->tids[i]));
	return err;
}

static int put_together(const struct looking *k, struct buf *out)
{
	const __u64 ns = clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) - k->begin;
	const struct sleepers head = { k->thread_count, k->code_count, k->frame_count, ns };
	const size_t codes = k->code_count * sizeof(k->codes[0]);
	int err = buf_reserve(out, sizeof(head) + k->threads.size + codes + k->frames.size);

	err = err ?: buf_add(out, &head, sizeof(head));
	err = err ?: buf_add(out, k->threads.data, k->threads.size);
	err = err ?: buf_add(out, k->codes, codes);
	return err ?: buf_add(out, k->frames.data, k->frames.size);
}

int sleepers_look(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime,
		  const struct sleepers_question *question, struct buf *out)
{
	struct looking *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->layout = layout;
	k->begin = clock_ns_of(CLOCK_PROCESS_CPUTIME_ID);
	err = look(k, pid, memory, runtime, question) ?: put_together(k, out);
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
	case OUTCOME_NO_THREAD_STATE:
	case OUTCOME_UNREADABLE:
		return t->first <= frames && t->count <= frames - t->first && t->count <= GIVEN_FRAMES;
	}
	return false;
}

int sleepers_parse(const void *bytes, size_t size, const struct sleepers **ret,
		   const struct sleeper **ret_threads, const struct sleeper_code **ret_codes,
		   const struct sleeper_frame **ret_frames)
{
	const struct sleepers *s = bytes;
	const struct sleeper *threads = (const void *)(s + 1);
	const struct sleeper_code *codes;
	const struct sleeper_frame *frames;

	if (size < sizeof(*s) || s->threads > SLEEPERS_MAX || s->codes > SLEEPERS_CODES_MAX ||
	    s->frames > SLEEPERS_FRAMES_MAX ||
	    size != sizeof(*s) + s->threads * sizeof(*threads) + s->codes * sizeof(*codes) +
			    s->frames * sizeof(*frames))
		return -EBADMSG;
	codes = (const void *)(threads + s->threads);
	frames = (const void *)(codes + s->codes);
	for (__u32 i = 0; i < s->threads; i++)
		if (!is_sane_thread(&threads[i], s->frames))
			return -EBADMSG;
	for (__u32 i = 0; i < s->codes; i++)
		if (!mem_plausible(codes[i].address) || !(codes[i].fingerprint & 1))
			return -EBADMSG;
	for (__u32 i = 0; i < s->frames; i++)
		if (frames[i].code >= s->codes || frames[i].instr > INSTR_UNKNOWN)
			return -EBADMSG;
	*ret = s;
	*ret_threads = threads;
	*ret_codes = codes;
	*ret_frames = frames;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks.c - see tasks.h. Each task is read twice: what is alike was so at a moment between.
 */
#include "remote/tasks.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "remote/task_list.h"
#include "remote/task_notes.h"
#include "remote/task_object.h"
#include "remote/tasks_trim.h"
#include "remote/thread_states.h"
#include "remote/weak_tasks.h"

#define ROUNDS 6 /* in which tasks that have gone on are read once more */

/* The state of one look. */
struct tasks_look {
	pid_t pid;
	__u64 runtime;
	struct task_reader reader;
	struct thread_states states;
	struct proc_thread *threads;
	size_t thread_count;
	struct weak_loops loops; /* up to 3.13 */
	struct task_list list;
	struct task_object object;
	struct buf tasks, frames, awaiters;
	struct buf notes; /* a struct task_note of each task */
};

/* --- which tasks there are ------------------------------------------------------------------------------ */

static int read_threads(struct tasks_look *k)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t count;
	bool more;
	int err = proc_threads(k->pid, LOOK_THREADS_MAX, &tids, &count, &more);

	if (err)
		return err;
	k->threads = calloc(count, sizeof(*k->threads));
	if (!k->threads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		k->thread_count += !proc_thread_read(k->pid, tids[i], &k->threads[k->thread_count]);
	return 0;
}

static pid_t tid_of(const struct tasks_look *k, const struct thread_state *s)
{
	for (size_t i = 0; i < k->thread_count; i++)
		if (s->own_tid && k->threads[i].own_tid == s->own_tid)
			return k->threads[i].tid;
	return 0;
}

/* An eager task is in no list before it waits for the first time. Till then it runs, and is found here. */
static int add_running(struct tasks_look *k, const struct thread_state *s)
{
	__u64 task = 0;
	int number, err = task_object_running(&k->reader, s->address, &task);

	if (err || !task)
		return err == -EFAULT ? 0 : err;
	number = task_list_add(&k->list, task);
	if (number < 0)
		return 0;
	k->list.found[number].running = s->address;
	k->list.found[number].tid = tid_of(k, s);
	return 0;
}

static bool is_first_of_interpreter(const struct tasks_look *k, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (k->states.list[j].interp == k->states.list[i].interp)
			return false;
	return true;
}

static int list_weak_tasks(struct tasks_look *k)
{
	struct weak_loops *loops = &k->loops;

	weak_loops_read(loops, &k->reader, &k->states);
	for (size_t i = 0; i < loops->count; i++)
		loops->list[i].tid = tid_of(k, &k->states.list[loops->list[i].state]);
	return weak_tasks_list(&k->list, &k->reader, loops);
}

static int list_tasks(struct tasks_look *k)
{
	const struct asyncio_layout *at = &k->reader.at;
	int err = 0;

	if (at->facts)
		return list_weak_tasks(k);
	for (size_t i = 0; i < k->states.count && !err; i++) {
		const struct thread_state *s = &k->states.list[i];

		err = task_list_read(&k->list, &k->reader, s->address + at->tstate_tasks, tid_of(k, s));
		err = err ?: add_running(k, s);
	}
	for (size_t i = 0; i < k->states.count && !err; i++)
		if (is_first_of_interpreter(k, i))
			err = task_list_read(&k->list, &k->reader,
					     k->states.list[i].interp + at->interp_tasks, 0);
	return err;
}

/* --- each of them --------------------------------------------------------------------------------------- */

static int add_task_frames(struct tasks_look *k, struct task *t)
{
	const struct chain *c = &k->object.chain;
	const __u32 used = k->frames.size / sizeof(struct look_frame), room = TASKS_FRAMES_MAX - used;
	int err = 0;

	t->first_frame = used;
	t->frames = c->count < room ? c->count : room;
	t->cut |= t->frames < c->count || c->end == CHAIN_LONG;
	for (__u32 i = 0; i < t->frames && !err; i++) {
		const struct look_frame f = { c->frames[i].code, chain_instruction(&k->reader, &c->frames[i]),
					      0 };

		err = buf_add(&k->frames, &f, sizeof(f));
	}
	return err;
}

/* Whoever awaits it is looked at, too, when its turn comes. */
static int add_awaiters(struct tasks_look *k, struct task *t)
{
	const struct task_object *o = &k->object;
	int err = 0;

	t->first_awaiter = k->awaiters.size / sizeof(__u32);
	t->cut |= o->more_awaiters;
	t->other = o->other_awaiters;
	for (__u32 i = 0; i < o->awaiter_count && !err; i++) {
		const int number = task_list_add(&k->list, o->awaiters[i]);
		const __u32 value = (__u32)number;

		if (number < 0 || t->first_awaiter + t->awaiters == TASKS_AWAITERS_MAX) {
			t->cut = 1;
			break;
		}
		err = buf_add(&k->awaiters, &value, sizeof(value));
		t->awaiters++;
	}
	return err;
}

static enum task_state state_of(const struct task_object *o)
{
	if (!o->steady)
		return o->unread ? TASK_UNREAD : TASK_CHANGED;
	if (!o->is_task)
		return TASK_FUTURE;
	switch (o->chain.end) {
	case CHAIN_RUNS:
		return TASK_RUNS;
	case CHAIN_CREATED:
		return TASK_NOT_BEGUN;
	case CHAIN_ENDED:
		return TASK_ENDED;
	}
	return TASK_WAITS;
}

/* Of a task that was read before, what was read then stays behind in the arrays until they are trimmed. */
static int put_task(struct tasks_look *k, size_t number, const struct task *t)
{
	const struct task_note note = { .mark = k->object.mark, .again = true };

	if (number == k->tasks.size / sizeof(*t))
		return buf_add(&k->tasks, t, sizeof(*t)) ?: buf_add(&k->notes, &note, sizeof(note));
	((struct task *)(void *)k->tasks.data)[number] = *t;
	((struct task_note *)(void *)k->notes.data)[number] = note;
	return 0;
}

static int read_task(struct tasks_look *k, size_t number)
{
	/* The list may move when an awaiter is added. */
	const struct task_found f = k->list.found[number];
	struct task t = { .address = f.address, .tid = f.tid };
	int err = task_object_read(&k->reader, &f, &k->object);

	if (err)
		return err;
	t.state = state_of(&k->object);
	for (size_t i = 0; i < k->loops.count && k->object.loop; i++)
		if (k->loops.list[i].loop == k->object.loop)
			t.tid = k->loops.list[i].tid;
	memcpy(t.name, k->object.name, sizeof(t.name));
	err = add_task_frames(k, &t) ?: add_awaiters(k, &t);
	return err ?: put_task(k, number, &t);
}

/* At most OBJECTS_AHEAD of them. */
static int read_tasks(struct tasks_look *k, const size_t *numbers, size_t count)
{
	struct task_found found[OBJECTS_AHEAD];
	int err = 0;

	for (size_t i = 0; i < count; i++)
		found[i] = k->list.found[numbers[i]];
	task_object_ahead(&k->reader, found, count);
	for (size_t i = 0; i < count && !err; i++)
		err = read_task(k, numbers[i]);
	return err;
}

static size_t task_count(const struct tasks_look *k)
{
	return k->tasks.size / sizeof(struct task);
}

/* Reads those that were not read, which were in the list or await others, and those that are to be. */
static int read_round(struct tasks_look *k)
{
	size_t numbers[OBJECTS_AHEAD], n = 0;
	int err = 0;

	for (size_t i = 0; i < k->list.count && !err; i++) {
		const struct task_note *notes = (void *)k->notes.data;

		if (i >= task_count(k) || notes[i].again)
			numbers[n++] = i;
		if (n < OBJECTS_AHEAD && i + 1 < k->list.count)
			continue;
		err = read_tasks(k, numbers, n);
		n = 0;
	}
	return err;
}

/* --- those that have gone on ---------------------------------------------------------------------------- */

static struct task_notes notes_of(struct tasks_look *k)
{
	return (struct task_notes){ (void *)k->tasks.data, (void *)k->awaiters.data, (void *)k->notes.data,
				    task_count(k) };
}

/*
 * What awaits a task is read after it. It is the one whose address the task has had if the task still waits
 * for it to go on then. If not, another object may have taken its place: so the task has gone on. What was
 * read before a task that it awaits has to be as it was, too.
 */
static void check_some(struct tasks_look *k, const size_t *numbers, size_t count)
{
	struct task_note *notes = (void *)k->notes.data;
	__u64 addresses[OBJECTS_AHEAD];

	for (size_t i = 0; i < count; i++)
		addresses[i] = k->list.found[numbers[i]].address;
	task_reader_forget(&k->reader);
	task_reader_ahead(&k->reader, addresses, count, k->reader.at.task_size);
	for (size_t i = 0; i < count; i++)
		notes[numbers[i]].gone = !task_object_is_still(&k->reader, &k->list.found[numbers[i]],
							       &notes[numbers[i]].mark);
}

static void check_round(struct tasks_look *k)
{
	const struct task_notes notes = notes_of(k);
	size_t numbers[OBJECTS_AHEAD], n = 0;

	task_notes_begin_check(&notes);
	for (size_t i = 0; i < notes.count && !k->reader.spent; i++) {
		if (task_notes_is_to_check(&notes, i))
			numbers[n++] = i;
		if (n < OBJECTS_AHEAD && i + 1 < notes.count)
			continue;
		check_some(k, numbers, n);
		n = 0;
	}
}

/* Lists all tasks once more. */
static int list_again(struct tasks_look *k)
{
	const struct task_notes notes = notes_of(k);
	struct task_list first = k->list, now;
	int err = task_list_new(&k->list, TASKS_LISTED_MAX);

	err = err ?: list_tasks(k);
	now = k->list;
	k->list = first;
	if (!err && !now.more && !k->reader.spent)
		task_notes_mark_ended(&notes, &k->list, &now);
	task_list_free(&now);
	return err == -E2BIG ? 0 : err;
}

static int add_tasks(struct tasks_look *k)
{
	struct task_notes notes;
	int err = 0;

	for (int i = 0; i < ROUNDS && !err && !k->reader.spent; i++) {
		err = read_round(k);
		check_round(k);
		notes = notes_of(k);
		if (err || k->reader.spent || !task_notes_mark_again(&notes))
			break;
		err = list_again(k);
	}
	return err;
}

static int settle(struct tasks_look *k)
{
	const struct task_note *notes = (void *)k->notes.data;
	const size_t count = task_count(k);
	_cleanup_free_ bool *gone = calloc(count + 1, sizeof(*gone));
	_cleanup_free_ bool *ended = calloc(count + 1, sizeof(*ended));

	if (!gone || !ended)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		gone[i] = notes[i].gone;
		ended[i] = notes[i].ended;
	}
	return tasks_trim(&k->tasks, &k->frames, &k->awaiters, gone, ended, k->reader.at.facts);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static int look_at_tasks(struct tasks_look *k)
{
	int err = read_threads(k);

	err = err ?: thread_states_read(&k->states, k->reader.memory, k->reader.layout, k->runtime);
	if (err)
		return err;
	thread_states_match(&k->states, k->threads, k->thread_count);
	err = task_list_new(&k->list, TASKS_LISTED_MAX);
	err = err ?: list_tasks(k);
	err = err == -E2BIG ? 0 : err;
	return err ?: add_tasks(k) ?: settle(k);
}

static int put_tasks_together(const struct tasks_look *k, struct buf *out)
{
	const struct tasks head = {
		.tasks = k->tasks.size / sizeof(struct task),
		.frames = k->frames.size / sizeof(struct look_frame),
		.awaiters = k->awaiters.size / sizeof(__u32),
		.more = k->list.more || k->reader.spent,
	};
	int err = buf_reserve(out, sizeof(head) + k->tasks.size + k->frames.size + k->awaiters.size);

	err = err ?: buf_add(out, &head, sizeof(head));
	err = err ?: buf_add(out, k->tasks.data, k->tasks.size);
	err = err ?: buf_add(out, k->frames.data, k->frames.size);
	return err ?: buf_add(out, k->awaiters.data, k->awaiters.size);
}

int tasks_look(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
	       struct buf *out)
{
	struct tasks_look *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->pid = pid;
	k->runtime = runtime;
	err = task_reader_begin(&k->reader, memory, layout, runtime, asyncio);
	/* No task of which it could be proved where its fields are: so there is none. */
	err = err == -EAGAIN ? 0 : err ?: look_at_tasks(k);
	err = err ?: k->reader.unreachable;
	err = err ?: put_tasks_together(k, out);
	buf_free(&k->tasks);
	buf_free(&k->frames);
	buf_free(&k->awaiters);
	buf_free(&k->notes);
	task_list_free(&k->list);
	free(k->threads);
	free(k);
	return err;
}

/* No frame and no awaiter is of two tasks: what is before this one ends where this one begins. */
static bool is_sane_task(const struct tasks *head, const struct task *t)
{
	const struct task *before = t - 1;
	const bool first = t == (const void *)(head + 1);

	return t->state >= TASK_WAITS && t->state < TASK_STATES &&
	       t->first_frame == (first ? 0 : before->first_frame + before->frames) &&
	       t->frames <= head->frames - t->first_frame &&
	       t->first_awaiter == (first ? 0 : before->first_awaiter + before->awaiters) &&
	       t->awaiters <= head->awaiters - t->first_awaiter && memchr(t->name, '\0', sizeof(t->name));
}

int tasks_parse(const void *bytes, size_t size, const struct tasks **ret, const struct task **ret_tasks,
		const struct look_frame **ret_frames, const __u32 **ret_awaiters)
{
	const struct tasks *head = bytes;
	const struct task *tasks = (const void *)(head + 1);
	const struct look_frame *frames;
	const __u32 *awaiters;

	if (size < sizeof(*head) || head->tasks > TASKS_LISTED_MAX || head->frames > TASKS_FRAMES_MAX ||
	    head->awaiters > TASKS_AWAITERS_MAX ||
	    size != sizeof(*head) + head->tasks * sizeof(*tasks) + head->frames * sizeof(*frames) +
			    head->awaiters * sizeof(*awaiters))
		return -EBADMSG;
	frames = (const void *)(tasks + head->tasks);
	awaiters = (const void *)(frames + head->frames);
	for (__u32 i = 0; i < head->tasks; i++)
		if (!is_sane_task(head, &tasks[i]))
			return -EBADMSG;
	for (__u32 i = 0; i < head->awaiters; i++)
		if (awaiters[i] >= head->tasks)
			return -EBADMSG;
	*ret = head;
	*ret_tasks = tasks;
	*ret_frames = frames;
	*ret_awaiters = awaiters;
	return 0;
}

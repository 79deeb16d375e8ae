// SPDX-License-Identifier: GPL-2.0-only
#include "remote/task_notes.h"

#define PASSES 16 /* tasks above each other that end at once */

void task_notes_begin_check(const struct task_notes *n)
{
	for (size_t i = 0; i < n->count; i++)
		n->notes[i].was_before = false;
	for (size_t i = 0; i < n->count; i++)
		for (__u32 a = 0; a < n->tasks[i].awaiters && n->notes[i].again; a++)
			n->notes[n->awaiters[n->tasks[i].first_awaiter + a]].was_before = true;
}

bool task_notes_is_to_check(const struct task_notes *n, size_t number)
{
	const struct task *t = &n->tasks[number];
	const __u32 *by = n->awaiters + t->first_awaiter;
	bool again = n->notes[number].again ? t->awaiters : n->notes[number].was_before;

	for (__u32 i = 0; i < t->awaiters && !again; i++)
		again = n->notes[by[i]].again;
	return again;
}

size_t task_notes_mark_again(const struct task_notes *n)
{
	size_t count = 0;

	for (size_t i = 0; i < n->count; i++) {
		struct task_note *note = &n->notes[i];

		note->again = !note->ended && (note->gone || n->tasks[i].state == TASK_CHANGED);
		count += note->again;
	}
	return count;
}

/* Returns whether it has just turned out to have ended. */
static bool mark(const struct task_notes *n, size_t number, struct task_list *found,
		 const struct task_list *now)
{
	struct task_found *f = &found->found[number];
	struct task_note *note = &n->notes[number];
	const int at = task_list_find(now, f->address);

	note->again = true;
	if (at >= 0)
		f->running = now->found[at].running;
	if (at >= 0 || !f->listed)
		return false;
	note->again = false;
	note->ended = true;
	return true;
}

static bool is_awaited_by_ended(const struct task_notes *n, size_t number)
{
	const struct task *t = &n->tasks[number];

	for (__u32 i = 0; i < t->awaiters; i++)
		if (n->notes[n->awaiters[t->first_awaiter + i]].ended)
			return true;
	return false;
}

void task_notes_mark_ended(const struct task_notes *n, struct task_list *found, const struct task_list *now)
{
	bool more = false;

	for (size_t i = 0; i < n->count; i++)
		if (n->notes[i].again)
			more |= mark(n, i, found, now);
	for (int pass = 0; pass < PASSES && more; pass++) {
		more = false;
		for (size_t i = 0; i < n->count; i++)
			if (!n->notes[i].ended && !n->notes[i].again && is_awaited_by_ended(n, i))
				more |= mark(n, i, found, now);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/native_room.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "kern/process_table.h"
#include "kern/processes.h"
#include "kern/texts.h"
#include "names/intervals.h"
#include "names/jits.h"
#include "names/natives.h"
#include "symbols/native_files.h"
#include "symbols/native_spaces.h"

/* Parts of what there is room for. */
#define KEEP_BELOW 0.25	  /* nothing is given back: files come again */
#define HIGH_WATER 0.75	  /* above it, or when something found no room, banks are to be cleared, ... */
#define WORTH	   0.0625 /* ... if so much comes of it */
#define PAUSE_NS   (10 * NS_PER_SECOND)

/* The mappings of a process, if they are known and of this edition of the table. */
static struct native_space *space_of(const struct native_room *r, const struct process *p)
{
	return native_spaces_find(r->spaces, texts_space_block(kernel_texts(r->kernel), p->space));
}

static void see(const struct native_room *r, const struct native_space *s)
{
	const struct texts *texts = kernel_texts(r->kernel);

	for (__u32 i = 0; i < s->count; i++) {
		if (s->files[i] != NATIVE_NO_FILE)
			natives_see(r->natives, s->files[i]);
		else if (texts_mapping(texts, s->block + 1 + i)->position >= TEXT_JITS)
			jits_see(natives_jits(r->natives), texts_mapping(texts, s->block + 1 + i)->position);
	}
}

/* Which files and regions these processes have mapped. */
static void look(struct native_room *r, const struct process_list *list)
{
	native_spaces_begin_look(r->spaces);
	natives_begin_look(r->natives);
	for (size_t i = 0; i < list->count; i++) {
		struct native_space *s = space_of(r, &list->processes[i]);

		if (!s || s->live)
			continue;
		s->live = true;
		see(r, s);
	}
	native_spaces_end_look(r->spaces);
	natives_end_look(r->natives, r->turn);
}

/* What has found no room may find some now. */
static void try_again(struct native_room *r, const struct process_list *list)
{
	struct texts *texts = kernel_texts(r->kernel);
	__u32 files[NATIVE_FILES_RETRIED], count = native_files_retry(r->files, files);

	for (__u32 i = 0; i < count; i++)
		native_spaces_publish(r->spaces, texts, files[i], TEXT_NOT_LOADED);
	for (size_t i = 0; i < list->count; i++) {
		const struct native_space *s = space_of(r, &list->processes[i]);

		if (s && s->lacks)
			texts_set_space(texts, list->pids[i], list->processes[i].id, 0);
	}
}

static void end_clear(struct native_room *r)
{
	r->turn++;
	if (r->clears && !--r->clears)
		r->pause_end = clock_ns() + PAUSE_NS;
}

__u32 native_room_cleared(struct native_room *r)
{
	_cleanup_(processes_list_clear) struct process_list list = { 0 };
	__u32 count = 0;

	if (!r->natives || natives_fullness(r->natives) <= 0 || kernel_processes(r->kernel, &list))
		return 0;
	look(r, &list);
	end_clear(r);
	if (natives_fullness(r->natives) > KEEP_BELOW)
		count = natives_give_back(r->natives, r->turn);
	if (count) {
		log_debug("%u files and regions with native code that nobody has any more were given back",
			  count);
		try_again(r, &list);
	}
	return count;
}

void native_room_second(struct native_room *r)
{
	_cleanup_(processes_list_clear) struct process_list list = { 0 };
	__u64 refused;

	if (!r->natives)
		return;
	refused = natives_refused(r->natives);
	if (natives_fullness(r->natives) <= HIGH_WATER && refused == r->refused)
		return;
	if (r->clears || clock_ns() < r->pause_end || kernel_processes(r->kernel, &list))
		return;
	look(r, &list);
	if (natives_unused(r->natives) < WORTH)
		return;
	r->refused = refused;
	r->clears = INTERVALS_TURNS;
}

double native_room_fullness(const struct native_room *r)
{
	return r->clears > 0;
}

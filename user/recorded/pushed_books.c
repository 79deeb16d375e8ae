// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/pushed_books.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "recorded/recorded.h"

static __u64 sum(__u64 a, __u64 b)
{
	return a + b >= a ? a + b : UINT64_MAX;
}

/* A name that is longer than ours is none of ours. */
static void add_run(struct pushed_books *b, const char *text, __u64 profiles)
{
	size_t i = 0;

	if (strlen(text) >= CARRIED_NAME_SIZE)
		return;
	while (i < b->run_count && strcmp(b->runs[i].text, text))
		i++;
	if (i == PUSHED_RUNS_MAX) {
		b->other_runs = sum(b->other_runs, profiles);
		return;
	}
	if (i == b->run_count)
		snprintf(b->runs[b->run_count++].text, CARRIED_NAME_SIZE, "%s", text);
	b->runs[i].profiles = sum(b->runs[i].profiles, profiles);
	for (; i && b->runs[i].profiles > b->runs[i - 1].profiles; i--) {
		const struct pushed_run more = b->runs[i];

		b->runs[i] = b->runs[i - 1];
		b->runs[i - 1] = more;
	}
}

static void add_amount(struct pushed_books *b, const char *name, __u64 amount)
{
	for (int i = 0; i < CARRIED_KINDS; i++)
		if (!strcmp(name, carried_names[i]))
			b->amount[i] = sum(b->amount[i], amount);
	if (!strncmp(name, CARRIED_RUN, strlen(CARRIED_RUN)))
		add_run(b, name + strlen(CARRIED_RUN), amount);
	if (strncmp(name, CARRIED_FULL, strlen(CARRIED_FULL)))
		return;
	for (int i = 0; i < FULL_TABLES; i++)
		if (!strcmp(name + strlen(CARRIED_FULL), full_table_rows[i].stat))
			b->full[i] = sum(b->full[i], amount);
}

static const char *name_of(const struct recorded *r, __u32 place)
{
	return recorded_get_string(r, recorded_get_function(r, recorded_get_place(r, place)->function)->name);
}

void pushed_books_add(struct pushed_books *b, const struct recorded *answer)
{
	const int type = recorded_find_type(answer, CARRIED_TYPE, "count");

	for (__u32 id = 1; type >= 0 && id <= recorded_stacks(answer); id++) {
		const struct recorded_stack s = recorded_get_stack(answer, id);

		if (s.n == 2 && s.values[type] > 0 && !strcmp(name_of(answer, s.places[1]), CARRIED_ROOT))
			add_amount(b, name_of(answer, s.places[0]), (__u64)s.values[type]);
	}
}

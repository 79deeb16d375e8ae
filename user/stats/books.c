// SPDX-License-Identifier: GPL-2.0-only
#include "stats/books.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/number.h"

const struct stat_row stat_rows[] = {
#define STAT(name, help) { #name, help, offsetof(struct cpu_stats, name) },
#include "bpf/stats.def"
#undef STAT
};

const size_t stat_row_count = ARRAY_SIZE(stat_rows);

static const char *lower(const char *name, char text[OUTCOME_ID_MAX])
{
	size_t i;

	for (i = 0; name[i] && i < OUTCOME_ID_MAX - 1; i++)
		text[i] = name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i];
	text[i] = '\0';
	return text;
}

const char *outcome_id(enum outcome outcome, char text[OUTCOME_ID_MAX])
{
	return lower(outcome_rows[outcome].name, text);
}

const char *native_id(enum native_end end, char text[OUTCOME_ID_MAX])
{
	return lower(native_rows[end].name, text);
}

__u64 native_total(const struct cpu_stats *sum)
{
	__u64 total = 0;

	for (int i = 0; i < NATIVE_ENDS; i++)
		total += sum->native[i];
	return total;
}

const char *place_name(enum outcome_place place)
{
	static const char *const names[] = {
		[PLACE_WHOLE] = "whole", [PLACE_NAMED] = "named", [PLACE_MARKED] = "marked",
		[PLACE_OUTSIDE] = "outside",
	};

	return names[place];
}

__u64 stat_value(const struct cpu_stats *sum, size_t offset)
{
	return *(const __u64 *)((const char *)sum + offset);
}

struct books books_of(const struct cpu_stats *sum, enum event_kind kind)
{
	struct books b = { .total = stat_value(sum, event_rows[kind].total) };

	for (int i = 0; i < OUTCOME_COUNT; i++) {
		if (!event_has_outcome(kind, i))
			continue;
		if (outcome_rows[i].place == PLACE_OUTSIDE)
			b.outside += sum->outcome[kind][i];
		else
			b.in_profile += sum->outcome[kind][i];
	}
	return b;
}

const char *books_in_words(const struct cpu_stats *sum, __u32 events, char text[BOOKS_WORDS_MAX])
{
	size_t used = 0;

	text[0] = '\0';
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];
		const __u64 count = books_of(sum, kind).in_profile;
		const char *comma = used ? ", " : "";

		if (!(events & EVENT_BIT(kind)) || used >= BOOKS_WORDS_MAX)
			continue;
		if (e->unit == UNIT_COUNT)
			used += snprintf(text + used, BOOKS_WORDS_MAX - used, "%s%s %s", comma,
					 number_group(count).text, e->type);
		else
			used += snprintf(text + used, BOOKS_WORDS_MAX - used, "%s%s %s %s", comma,
					 number_hundredths(event_amount(kind, count, 0)).text,
					 event_amount_unit(kind), e->resource);
	}
	return text;
}

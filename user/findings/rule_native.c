// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_native.c - native code: one function that is hot below one line, and what copies memory.
 */
#include <stdio.h>

#include "base/cleanup.h"
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/cpu_share.h"

/* Those have rules of their own. */
#define MARKS_OF_OTHERS (MARK_COPY | MARK_COLLECT)

static bool is_native_leaf(const struct scene *s, const struct recorded_stack *stack)
{
	return stack->n && (scene_marks(s, stack, 0) & MARK_NATIVE) &&
	       !(scene_all_marks(s, stack) & MARKS_OF_OTHERS);
}

static size_t leaf(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	(void)what;
	return is_native_leaf(s, stack) ? 0 : SPOT_NOT_IN;
}

/* Its line, which is what the program can change. */
static size_t line_below(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const __u32 function = *(const __u32 *)what;

	if (!is_native_leaf(s, stack) ||
	    recorded_get_place(s->recorded, stack->places[0])->function != function)
		return SPOT_NOT_IN;
	return spot_own(s, stack, 0);
}

int rule_native_spot(const struct scene *s, double least, struct finding *ret)
{
	_cleanup_(spots_free) struct spots spots = { 0 };
	int err = spots_make(s, cpu_share_column(s), leaf, NULL, &spots);
	const __u32 function = err ? 0 : spots_first_function(&spots);
	const struct finding_place of = spots_first(s, &spots);
	char does[FINDING_PLACE_TEXT + 16];

	if (!function)
		return err;
	snprintf(does, sizeof(does), "Native code, %s,", spot_text(&of).text);
	says_more_of_these(ret, "--by", "native", NULL);
	return cpu_share_find(s, least, line_below, &function, does, ret);
}

static size_t copied(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	(void)what;
	return stack->n && scene_marks(s, stack, 0) & MARK_COPY ? spot_own(s, stack, 0) : SPOT_NOT_IN;
}

int rule_memory_copies(const struct scene *s, double least, struct finding *ret)
{
	says_more_of_these(ret, "--by", "line", NULL);
	return cpu_share_find(s, least, copied, NULL, "Copies of memory", ret);
}

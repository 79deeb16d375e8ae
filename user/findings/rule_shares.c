// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_shares.c - what takes much of the CPU time besides what the program is for.
 */
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/cpu_share.h"
#include "findings/spots.h"

/* Each program begins with imports: less than that is worth no word. */
#define IMPORTS_SECONDS 0.5
#define IMPORTS_OF_TIME 0.05 /* and as much of the time that passed */

/* Who called the oldest frame of these marks. */
static size_t caller_of(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const size_t found = scene_find_last(s, stack, *(const __u32 *)what);

	return found == stack->n ? SPOT_NOT_IN : spot_own(s, stack, found + 1);
}

/* The newest import of the program's own, or the oldest of others. */
static size_t importer(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const size_t first = scene_find(s, stack, 0, MARK_IMPORT);
	size_t own;

	if (first == stack->n)
		return SPOT_NOT_IN;
	own = scene_find(s, stack, first, MARK_PROGRAM);
	return own < stack->n ? own : caller_of(s, stack, what);
}

static size_t handler(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const __u32 shows = MARK_TRACE;

	(void)what;
	if (!scene_is(s, stack, STATE_HANDLES_EXCEPTION))
		return caller_of(s, stack, &shows);
	return spot_own(s, stack, 0);
}

static size_t collector(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	(void)what;
	if (!scene_is(s, stack, STATE_COLLECTS) && !(scene_all_marks(s, stack) & MARK_COLLECT))
		return SPOT_NOT_IN;
	return spot_own(s, stack, 0);
}

int rule_imports(const struct scene *s, double least, struct finding *ret)
{
	static const __u32 marks = MARK_IMPORT;
	int found = cpu_share_find(s, least, importer, &marks, "Imports of modules", ret);

	says_more_of_these(ret, "--by", "import", NULL);
	return found > 0 ? says_long(s, ret, IMPORTS_SECONDS, IMPORTS_OF_TIME) : found;
}

int rule_collections(const struct scene *s, double least, struct finding *ret)
{
	says_more_of_these(ret, "--by", "line", NULL);
	return cpu_share_find(s, least, collector, NULL, "The collection of garbage", ret);
}

int rule_exceptions(const struct scene *s, double least, struct finding *ret)
{
	says_more_of_these(ret, "--by", "line", NULL);
	return cpu_share_find(s, least, handler, NULL, "What handles exceptions", ret);
}

int rule_serialisation(const struct scene *s, double least, struct finding *ret)
{
	static const __u32 marks = MARK_SERIAL;

	says_more_of_these(ret, "--by", "line", NULL);
	return cpu_share_find(s, least, caller_of, &marks, "Serialisation", ret);
}

int rule_deep_copies(const struct scene *s, double least, struct finding *ret)
{
	static const __u32 marks = MARK_DEEPCOPY;

	says_more_of_these(ret, "--callers", "deepcopy", NULL);
	return cpu_share_find(s, least, caller_of, &marks, "copy.deepcopy()", ret);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spots.h - how much of some stacks is on which line, and what a finding says of that.
 */
#ifndef PYPERF_FINDINGS_SPOTS_H
#define PYPERF_FINDINGS_SPOTS_H

#include "findings/scene.h"
#include "report/finding.h"

#define SPOT_NOT_IN   ((size_t)-1) /* the stack is not meant */
#define SPOT_NO_FRAME ((size_t)-2) /* it is, but no line of it */

/* Which frame of a stack is the spot; `what` is the caller's. */
typedef size_t (*spot_frame)(const struct scene *s, const struct recorded_stack *stack, const void *what);

struct spots {
	struct interned keys; /* of a function and a line */
	__s64 *values;	      /* by id - 1 */
	size_t capacity;
	__s64 value, samples; /* of all stacks that are meant */
};

/*
 * Adds up a column of all stacks; those that are meant are what the rule is about (scene.takes). 0; -ENOMEM;
 * -E2BIG. spots_free() it in each case.
 */
int spots_make(const struct scene *s, int column, spot_frame frame, const void *what, struct spots *ret);
void spots_free(struct spots *p);
/* The one that has most. Without any its name is "". */
struct finding_place spots_first(const struct scene *s, const struct spots *p);
/* Both at once: 0; -ENOMEM; -E2BIG. */
int spots_place(const struct scene *s, int column, spot_frame frame, const void *what,
		struct finding_place *ret);

/* Says only which stacks the rule is about, where that is not what its place is found by. 0 or as above. */
int spots_select(const struct scene *s, int column, spot_frame frame, const void *what);

/* Of spots_make(): the id of its function; 0 = there is none. */
__u32 spots_first_function(const struct spots *p);
/* "f (app.py:12)": what is long is cut. */
struct spot_text {
	char text[FINDING_PLACE_TEXT];
};
struct spot_text spot_text(const struct finding_place *p);
/* Ends the sentence: with its place, if there is one, as "; 12.5 % of that BEFORE f (app.py:12)". */
void spots_say(struct finding *f, const char *before);

/* The newest frame of the program's own code at or behind `from`, or else of any Python; or SPOT_NO_FRAME. */
size_t spot_own(const struct scene *s, const struct recorded_stack *stack, size_t from);

#endif

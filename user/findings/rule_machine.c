// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_machine.c - what a program needs of its machine: CPUs.
 */
#include "findings/held_back.h"
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/spots.h"
#include "report/amount.h"

#define READY_SECONDS 0.2 /* less is nobody's trouble */
#define READY_OF_TIME 0.1

static size_t own_line(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	(void)what;
	return spot_own(s, stack, 0);
}

int rule_no_cpu(const struct scene *s, double least, struct finding *ret)
{
	const __s64 all = s->total[EVENT_RUNQUEUE], held = held_back_most(s);
	const __s64 ready = held < all ? all - held : 0;
	int err;

	if (!scene_has(s, PROFILE_TIME))
		return 0;
	says_value(EVENT_RUNQUEUE, ready, recorded_sum(all, s->total[PROFILE_TIME]), ret);
	if (!says_enough(ret, least) || !says_long(s, ret, READY_SECONDS, READY_OF_TIME))
		return 0;
	err = spots_place(s, EVENT_RUNQUEUE, own_line, NULL, &ret->place);
	if (err)
		return err;
	says_text(ret,
		  "Threads could run and had no CPU for %s, %.1f %% of the time in which they ran or "
		  "could have%s: other programs had them",
		  says_amount(ret, ready).text, 100 * ret->share,
		  held ? ", besides what a quota held back" : "");
	ret->doubt = "counted one by one; a quota that the profiler cannot see is in it, too";
	spots_say(ret, "at");
	says_more(ret, "--by", "process", NULL);
	return 1;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_growth.c - a process that grows. In one profile nobody can see whether that ends; in several, one
 * after the other, it is seen whether it has.
 */
#include "findings/grows.h"
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/spots.h"
#include "report/amount.h"

#define GROWTH_BYTES  (64 << 20)
#define GOES_ON_BYTES (16 << 20)

static size_t line_of(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const __s64 *pid = what;

	return scene_thread_of(s, stack)->pid == *pid ? spot_own(s, stack, 0) : SPOT_NOT_IN;
}

static int say_where(const struct scene *s, __s64 pid, struct finding *f)
{
	int err = spots_place(s, EVENT_MEMORY, line_of, &pid, &f->place);

	if (err)
		return err;
	spots_say(f, "in");
	says_more_of_these(f, "--by", "line", NULL);
	return 1;
}

static void say_given_back(__s64 grown, __s64 net, struct finding *f)
{
	says_text(f, ", and %s%s was given back", net < grown ? says_amount(f, grown - net).text : "nothing",
		  net < grown ? " of it" : "");
}

int rule_growth(const struct scene *s, double least, struct finding *ret)
{
	const struct growth g = grows_most(s);
	struct growth_over_time over_time;
	int err;

	says_value(EVENT_MEMORY, g.net, g.grown, ret);
	if (!says_enough(ret, least) || g.net < GROWTH_BYTES)
		return 0;
	err = grows_over_time(s, &over_time);
	if (err || over_time.is_known)
		return err;
	ret->doubt = "counted page by page; whether it goes on, one profile does not tell";
	says_text(ret, "The resident memory of process %lld grew by %s", g.pid,
		  says_amount(ret, g.grown).text);
	say_given_back(g.grown, g.net, ret);
	return say_where(s, g.pid, ret);
}

int rule_growth_goes_on(const struct scene *s, double least, struct finding *ret)
{
	struct growth_over_time g;
	int err = grows_over_time(s, &g);

	says_value(EVENT_MEMORY, g.net, g.grown, ret);
	if (err || !g.goes_on || !says_enough(ret, least) || g.net < GOES_ON_BYTES)
		return err;
	ret->doubt = "counted page by page; a cache that is not full yet looks the same: a longer time tells";
	says_text(ret, "The resident memory of process %lld grew by %s; in %zu of %zu intervals after its "
		  "first one, by %s in %.0f s", g.pid, says_amount(ret, grows_by(s, g.pid)).text, g.grew,
		  g.intervals, says_amount(ret, g.grown).text, (double)g.ns / 1e9);
	say_given_back(g.grown, g.net, ret);
	says_text(ret, "; %.0f %% of it came in the later half", 100 * g.late_share);
	return say_where(s, g.pid, ret);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_derive_outside.c - what is refused with --trigger outside, and what is not.
 */
#include "kern/trigger.h"
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"

#define OUTSIDE "--trigger", "outside"
#define NOT	"not with --trigger outside: "

TEST(what_it_can_do)
{
	ACCEPT(OUTSIDE, "-p", "1");
	assert_int_equal(o.trigger, TRIGGER_OUTSIDE);
	ACCEPT(OUTSIDE, "-p", "1", "--children", "-F", "499", "--labels", "process", "--threads", "main");
	ACCEPT(OUTSIDE, "--log", "1", "-p", "1");
	ACCEPT(OUTSIDE, "-p", "1", "--event", "wall");
	ACCEPT(OUTSIDE, "-p", "1", "--min-wait", "0");
	ACCEPT(OUTSIDE, "--", "python3");
	ACCEPT(OUTSIDE, "-a", "--comm", "web*");
	ACCEPT("top", OUTSIDE);
	ACCEPT("--trigger", "perf", "--native", "full", "-a");
	ACCEPT("-a", "--async");
}

TEST(what_it_cannot)
{
	REFUSE("--event cycles: " NOT, OUTSIDE, "-p", "1", "--event", "cycles");
	REFUSE("--event: " NOT, OUTSIDE, "-p", "1", "--event", "cpu,offcpu");
	REFUSE("--event: " NOT, OUTSIDE, "-p", "1", "--event", "wall,gil");
	REFUSE("--min-wait: " NOT, OUTSIDE, "-p", "1", "--event", "wall", "--min-wait", "0");
	REFUSE("--event: " NOT, OUTSIDE, "-p", "1", "--event", "gil");
	REFUSE("--event: " NOT, OUTSIDE, "-p", "1", "--event", "memory");
	REFUSE("--native: " NOT, OUTSIDE, "-p", "1", "--native", "leaf");
	REFUSE("--kernel: " NOT, OUTSIDE, "-p", "1", "--kernel", "full");
	REFUSE("--all: " NOT, OUTSIDE, "--all");
	REFUSE("--async: " NOT, OUTSIDE, "-p", "1", "--async");
	REFUSE("--label-var: " NOT, OUTSIDE, "-p", "1", "--label-var", "x");
	REFUSE("--trace: " NOT, OUTSIDE, "-p", "1", "--trace", "otel", "--log", "1");
}

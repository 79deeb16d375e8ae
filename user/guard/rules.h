/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - one line of a list of system calls, of which sandbox.c makes a filter.
 */
#ifndef PYPERF_GUARD_RULES_H
#define PYPERF_GUARD_RULES_H

#include <stddef.h>
#include <linux/types.h>

enum rule_check {
	ANY,	/* whatever the arguments are */
	IS,	/* the argument is the value */
	WITHIN, /* the argument has no bit that the value has not */
	ABSENT, /* as on a kernel that has no such call: whoever makes it knows another way */
};

/* Only the lower half of an argument is looked at: what is checked here is 32 bits wide, or a mask. */
struct rule {
	int number;
	enum rule_check check;
	unsigned int argument;
	__u32 value;
};

struct rule_list {
	const struct rule *rules;
	size_t count;
};

#define PROFILER_RULES_MAX 256

extern const struct rule_list profiler_rules;

#endif

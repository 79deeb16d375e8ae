// SPDX-License-Identifier: GPL-2.0-only
/*
 * rule_package.c - one installed package has most of the CPU time, in code of its own, as report --by package
 * counts it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/package.h"
#include "base/cleanup.h"
#include "findings/rules.h"
#include "findings/says.h"
#include "findings/cpu_share.h"
#include "recorded/own_frames.h"

#define PACKAGE_NAME 96

struct package_times {
	struct own_frames *own;
	struct interned names;
	__u32 *of_place; /* by place id - 1: the id of its package's name; 0 = of none that is installed */
	__s64 *values;	 /* by id - 1 */
	__u32 wanted;
};

static void free_packages(struct package_times *p)
{
	interned_free(&p->names);
	free(p->of_place);
	free(p->values);
}

static int find_package(const struct recorded *r, __u32 place, struct package_times *p)
{
	const __u32 file = own_frames_file(r, place);
	char name[PACKAGE_NAME] = "";

	if (package_of(recorded_get_string(r, file), name, sizeof(name)) != PACKAGE_INSTALLED)
		return 0;
	return interned_add(&p->names, name, strlen(name) + 1, &p->of_place[place - 1]);
}

/* The package whose time the stack is; 0 = it is of none that is installed. */
static __u32 package_of_stack(const struct recorded_stack *stack, const struct package_times *p,
			      size_t *ret_own)
{
	bool any;

	*ret_own = own_frames_package(p->own, stack, &any);
	return any ? p->of_place[stack->places[*ret_own] - 1] : 0;
}

static size_t in_package(const struct scene *s, const struct recorded_stack *stack, const void *what)
{
	const struct package_times *p = what;
	size_t own;

	if (package_of_stack(stack, p, &own) != p->wanted)
		return SPOT_NOT_IN;
	return spot_own(s, stack, own);
}

static int add_up_packages(const struct scene *s, struct package_times *p)
{
	const struct recorded *r = s->recorded;
	int err = 0;

	p->of_place = calloc((size_t)r->places.count + 1, sizeof(*p->of_place));
	if (!p->of_place)
		return -ENOMEM;
	for (__u32 i = 1; i <= r->places.count && !err; i++)
		err = find_package(r, i, p);
	if (err)
		return err;
	p->values = calloc((size_t)p->names.count + 1, sizeof(*p->values));
	if (!p->values)
		return -ENOMEM;
	for (__u32 id = 1; id <= recorded_stacks(r); id++) {
		const struct recorded_stack stack = recorded_get_stack(r, id);
		size_t own;
		const __u32 package = package_of_stack(&stack, p, &own);

		if (package)
			p->values[package - 1] = recorded_sum(p->values[package - 1],
							      scene_value(s, &stack, cpu_share_column(s)));
	}
	return 0;
}

int rule_package(const struct scene *s, double least, struct finding *ret)
{
	_cleanup_(own_frames_close) struct own_frames own = { 0 };
	_cleanup_(free_packages) struct package_times p = { .own = &own };
	int err = own_frames_open(s->recorded, &own) ?: add_up_packages(s, &p);
	char does[PACKAGE_NAME + 32];

	if (err || !p.names.count)
		return err;
	p.wanted = 1;
	for (__u32 id = 2; id <= p.names.count; id++)
		if (p.values[id - 1] > p.values[p.wanted - 1])
			p.wanted = id;
	snprintf(does, sizeof(does), "Code of the package %s",
		 (const char *)interned_get(&p.names, p.wanted, NULL));
	says_more(ret, "--by", "package", NULL);
	return cpu_share_find(s, least, in_package, &p, does, ret);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * function_lines.c - functions and places are looked at first, which are few. Only a profile that has the
 * function has its stacks looked at, and of these only the process's own.
 */
#include "views/function_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/profile.h"

static bool is_it(const struct profile *p, __u32 function, const struct function_wanted *w)
{
	const struct profile_function *f = profile_get_function(p, function);

	return f->kind == FRAME_PYTHON && f->start_line == w->line &&
	       !strcmp(profile_get_string(p, f->name), w->name) &&
	       !strcmp(profile_get_string(p, f->file), w->file);
}

static __u32 find_function(const struct profile *p, const struct function_wanted *w)
{
	for (__u32 id = 1; id <= profile_count(p, PROFILE_FUNCTION); id++)
		if (is_it(p, id, w))
			return id;
	return 0;
}

static void mark(const struct profile *p, __u32 location, struct lines_counted *counted)
{
	const __u32 at = profile_get_location(p, location)->line - counted->from;

	if (at < counted->count)
		counted->is_counted[at] = true;
}

static bool is_in_stacks(const struct profile *p, __u32 pid, const bool *is_place,
			 struct lines_counted *counted)
{
	bool is_in = false;

	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(p, id);

		if (profile_get_owner(p, s.owner)->pid != pid)
			continue;
		for (__u32 i = 0; i < s.n; i++) {
			if (!is_place[s.locations[i]])
				continue;
			if (!counted)
				return true;
			is_in = true;
			mark(p, s.locations[i], counted);
		}
	}
	return is_in;
}

int function_lines_met(const struct profile *p, const struct function_wanted *wanted,
		       struct lines_counted *counted)
{
	const __u32 function = find_function(p, wanted), count = profile_count(p, PROFILE_LOCATION);
	_cleanup_free_ bool *is_place = NULL;

	if (!function)
		return 0;
	is_place = calloc(count + 1, sizeof(*is_place));
	if (!is_place)
		return -ENOMEM;
	for (__u32 id = 1; id <= count; id++)
		is_place[id] = profile_get_location(p, id)->function == function;
	return is_in_stacks(p, wanted->pid, is_place, counted);
}

__u32 function_lines_last(const struct profile *p, const struct function_wanted *wanted)
{
	const __u32 function = find_function(p, wanted);
	__u32 last = 0;

	for (__u32 id = 1; function && id <= profile_count(p, PROFILE_LOCATION); id++) {
		const struct profile_location *at = profile_get_location(p, id);

		if (at->function == function && at->line > last)
			last = at->line;
	}
	return last;
}

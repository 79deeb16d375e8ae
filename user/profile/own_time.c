// SPDX-License-Identifier: GPL-2.0-only
#include "profile/own_time.h"

#include "profile/package.h"

enum own_time own_time_of(enum frame_kind kind, const char *file)
{
	char name[PROFILE_STRING_MAX];

	if (own_time_is_of(kind))
		return OWN_TIME_ALWAYS;
	switch (package_of(file, name, sizeof(name))) {
	case PACKAGE_INSTALLED:
	case PACKAGE_STANDARD:
		return OWN_TIME_PACKAGES;
	default:
		return OWN_TIME_NEVER;
	}
}

static const struct profile_function *function_of(const struct profile *p, __u32 location)
{
	return profile_get_function(p, profile_get_location(p, location)->function);
}

__u32 own_time_frame(const struct profile *p, const struct profile_stack *s, __u32 from, __u32 end)
{
	for (__u32 i = from; i < end; i++)
		if (own_time_is_of(function_of(p, s->locations[i])->kind))
			return i;
	return from;
}

__u32 own_time_file(const struct profile *p, __u32 location)
{
	const struct profile_location *l = profile_get_location(p, location);
	const struct profile_function *f = profile_get_function(p, l->function);

	return frame_is_native(f->kind) && l->mapping ? profile_get_mapping(p, l->mapping)->file : f->file;
}

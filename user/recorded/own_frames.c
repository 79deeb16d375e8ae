// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/own_frames.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/own_time.h"

size_t own_frames_function(const struct recorded *r, const struct recorded_stack *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (own_time_is_of(recorded_get_place(r, s->places[i])->kind))
			return i;
	return 0;
}

int own_frames_open(const struct recorded *r, struct own_frames *ret)
{
	*ret = (struct own_frames){ .recorded = r };
	ret->of_place = calloc((size_t)r->places.count + 1, sizeof(*ret->of_place));
	return ret->of_place ? 0 : -ENOMEM;
}

void own_frames_close(struct own_frames *o)
{
	free(o->of_place);
	o->of_place = NULL;
}

__u32 own_frames_file(const struct recorded *r, __u32 place)
{
	const struct recorded_place *p = recorded_get_place(r, place);

	return frame_is_native(p->kind) && p->mapping ? recorded_get_mapping(r, p->mapping)->file :
							recorded_get_function(r, p->function)->file;
}

bool own_frames_is_of_package(struct own_frames *o, __u32 place)
{
	__u8 *known = &o->of_place[place - 1];

	if (!*known)
		*known = 1 +
			 own_time_of(recorded_get_place(o->recorded, place)->kind,
				     recorded_get_string(o->recorded, own_frames_file(o->recorded, place)));
	return *known > 1 + OWN_TIME_NEVER;
}

size_t own_frames_package(struct own_frames *o, const struct recorded_stack *s, bool *ret_any)
{
	*ret_any = true;
	for (size_t i = 0; i < s->n; i++)
		if (own_frames_is_of_package(o, s->places[i]))
			return i;
	*ret_any = false;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "profile/owner_text.h"

int owner_text_process(const struct profile *p, __u32 owner, struct buf *out)
{
	const struct profile_owner *o = profile_get_owner(p, owner);

	return buf_add_shown(out, profile_get_string(p, o->comm), true) ?:
	       buf_printf(out, o->comm ? " (pid %u)" : "pid %u", o->pid);
}

bool owner_text_has_thread(const struct profile *p, __u32 owner)
{
	const struct profile_owner *o = profile_get_owner(p, owner);

	return o->tid || *profile_get_string(p, o->thread);
}

int owner_text_thread(const struct profile *p, __u32 owner, struct buf *out)
{
	const struct profile_owner *o = profile_get_owner(p, owner);
	const char *thread = profile_get_string(p, o->thread);
	int err = buf_add_shown(out, thread, true);

	if (!err && o->tid)
		err = buf_printf(out, *thread ? " (tid %u)" : "tid %u", o->tid);
	return err;
}

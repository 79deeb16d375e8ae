// SPDX-License-Identifier: GPL-2.0-only
#include "base/capabilities.h"

#include <ctype.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/privileges.h"

const struct capability_row capability_rows[CAPABILITY_ROWS] = {
#define CAPABILITY(name, want, reason) { CAP_##name, CAPABILITY_##want, "CAP_" #name, reason },
#include "base/capabilities.def"
};

__u64 capabilities_up_to(enum capability_want want)
{
	__u64 mask = 0;

	for (int i = 0; i < CAPABILITY_ROWS; i++)
		if (capability_rows[i].want <= want)
			mask |= PRIVILEGE(capability_rows[i].number);
	return mask;
}

static int add_lower(struct buf *b, const char *name)
{
	int err = 0;

	for (; *name && !err; name++) {
		const char c = (char)tolower((unsigned char)*name);

		err = buf_add(b, &c, 1);
	}
	return err;
}

int capabilities_add(struct buf *b, __u64 mask, enum capability_style style)
{
	static const char *const between[] = { ", ", " and ", ",", " ", ", " };
	bool first = true;
	int err = 0;

	for (int i = 0; i < CAPABILITY_ROWS && !err; i++) {
		const char *name = capability_rows[i].name;

		if (!(mask & PRIVILEGE(capability_rows[i].number)))
			continue;
		if (!first)
			err = buf_add_string(b, between[style]);
		first = false;
		if (!err && style == CAPABILITY_AS_FILE)
			err = add_lower(b, name);
		else if (!err && (style == CAPABILITY_AS_NAMES || style == CAPABILITY_AS_WORDS))
			err = buf_add_string(b, name);
		else if (!err)
			err = buf_printf(b, "%s%s", style == CAPABILITY_AS_DOCKER ? "--cap-add " : "",
					 name + sizeof("CAP_") - 1);
	}
	return err;
}

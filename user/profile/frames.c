// SPDX-License-Identifier: GPL-2.0-only
#include "profile/frames.h"

#include <string.h>

const struct frame_row frame_rows[FRAME_KINDS] = {
#define FRAME(name, number, mapping, table, key, behind, colour, shown, help) \
	[FRAME_##name] = { MAPPING_##mapping, TABLE_##table, key, behind, colour, shown },
#include "bpf/frames.def"
#undef FRAME
};

const char *const frame_waits[WAIT_CAUSES] = {
#define WAIT(name, kind, text, help) [WAIT_##name] = "[" text "]",
#include "bpf/waits.def"
#undef WAIT
};

bool frame_tells_holder(enum frame_kind kind, const char *name)
{
	return kind == FRAME_WAIT && !strcmp(name, frame_waits[WAIT_GIL]);
}

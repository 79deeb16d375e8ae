// SPDX-License-Identifier: GPL-2.0-only
#include "profile/frames.h"

#include <string.h>

const struct frame_row frame_rows[FRAME_KINDS] = {
#define FRAME(name, ...) [FRAME_##name] = { __VA_ARGS__ },
#include "bpf/frames.def"
#undef FRAME
};

bool frame_tells_holder(enum frame_kind kind, const char *name)
{
	return kind == FRAME_WAIT && !strcmp(name, wait_rows[WAIT_GIL].frame);
}

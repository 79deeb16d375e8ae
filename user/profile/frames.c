// SPDX-License-Identifier: GPL-2.0-only
#include "profile/frames.h"

const struct frame_row frame_rows[FRAME_KINDS] = {
#define FRAME(name, number, mapping, table, key, behind, colour, shown, help) \
	[FRAME_##name] = { MAPPING_##mapping, TABLE_##table, key, behind, colour, shown },
#include "bpf/frames.def"
#undef FRAME
};

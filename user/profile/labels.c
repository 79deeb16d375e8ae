// SPDX-License-Identifier: GPL-2.0-only
#include "profile/labels.h"

enum { number, text };

const struct label_row label_rows[LABEL_COUNT] = {
#define LABEL(key, kind, origin, outputs, help) { #key, kind == text, outputs },
#include "profile/labels.def"
#undef LABEL
};

/* The name of a place is a text. */
#define LABEL(key, kind, origin, outputs, help) \
	_Static_assert(kind == text || !((outputs) & IN_SERIES), #key " is no text");
#include "profile/labels.def"
#undef LABEL

// SPDX-License-Identifier: GPL-2.0-only
#include "profile/labels.h"

enum { number, text };

const struct label_row label_rows[LABEL_COUNT] = {
#define LABEL(word, kind, ...) [LABEL_##word] = { .key = #word, .is_text = kind == text, __VA_ARGS__ },
#include "profile/labels.def"
#undef LABEL
};

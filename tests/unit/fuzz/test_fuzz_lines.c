// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_lines.c - the inputs of tests/fuzz/lines.c that are kept, and damaged ones.
 */
#include "tests/fuzz/lines.c"
#include "tests/fuzz/replay.h"

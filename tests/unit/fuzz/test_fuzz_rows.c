// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_rows.c - the inputs of tests/fuzz/rows.c that are kept, and damaged ones.
 */
#include "tests/fuzz/rows.c"
#include "tests/fuzz/replay.h"

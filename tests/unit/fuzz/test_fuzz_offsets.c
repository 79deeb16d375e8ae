// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_offsets.c - the inputs of tests/fuzz/offsets.c that are kept, and damaged ones.
 */
#include "tests/fuzz/offsets.c"
#include "tests/fuzz/replay.h"

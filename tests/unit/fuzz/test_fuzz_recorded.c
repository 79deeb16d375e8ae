// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_recorded.c - the inputs of tests/fuzz/recorded.c that are kept, and damaged ones.
 */
#include "tests/fuzz/recorded.c"
#include "tests/fuzz/replay.h"

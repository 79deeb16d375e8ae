// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_strings.c - the inputs of tests/fuzz/strings.c that are kept, and damaged ones.
 */
#include "tests/fuzz/strings.c"
#include "tests/fuzz/replay.h"

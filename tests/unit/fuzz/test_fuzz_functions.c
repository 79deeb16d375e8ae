// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_functions.c - the inputs of tests/fuzz/functions.c that are kept, and damaged ones.
 */
#include "tests/fuzz/functions.c"
#include "tests/fuzz/replay.h"

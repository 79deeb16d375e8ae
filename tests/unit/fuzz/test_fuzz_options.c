// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_options.c - the inputs of tests/fuzz/options.c that are kept, and damaged ones.
 */
#include "tests/fuzz/options.c"
#include "tests/fuzz/replay.h"

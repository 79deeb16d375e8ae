// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_source.c - the inputs of tests/fuzz/source.c that are kept, and damaged ones.
 */
#include "tests/fuzz/source.c"
#include "tests/fuzz/replay.h"

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_expressions.c - the inputs of tests/fuzz/expressions.c that are kept, and damaged ones.
 */
#include "tests/fuzz/expressions.c"
#include "tests/fuzz/replay.h"

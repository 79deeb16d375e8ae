// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_tail_calls.c - the inputs of tests/fuzz/tail_calls.c that are kept, and damaged ones.
 */
#include "tests/fuzz/tail_calls.c"
#include "tests/fuzz/replay.h"

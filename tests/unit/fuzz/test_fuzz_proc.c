// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_proc.c - the inputs of tests/fuzz/proc.c that are kept, and damaged ones.
 */
#include "tests/fuzz/proc.c"
#include "tests/fuzz/replay.h"

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_pods.c - the inputs of tests/fuzz/pods.c that are kept, and damaged ones.
 */
#include "tests/fuzz/pods.c"
#include "tests/fuzz/replay.h"

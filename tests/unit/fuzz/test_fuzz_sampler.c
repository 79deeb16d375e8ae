// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_sampler.c - the inputs of tests/fuzz/sampler.c that are kept, and damaged ones.
 */
#include "tests/fuzz/sampler.c"
#include "tests/fuzz/replay.h"

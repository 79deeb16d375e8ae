// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_image.c - the inputs of tests/fuzz/image.c that are kept, and damaged ones.
 */
#include "tests/fuzz/image.c"
#include "tests/fuzz/replay.h"

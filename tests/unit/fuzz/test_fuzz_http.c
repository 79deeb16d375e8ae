// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_http.c - the inputs of tests/fuzz/http.c that are kept, and damaged ones.
 */
#include "tests/fuzz/http.c"
#include "tests/fuzz/replay.h"

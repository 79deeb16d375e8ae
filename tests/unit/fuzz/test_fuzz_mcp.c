// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_mcp.c - the inputs of tests/fuzz/mcp.c that are kept, and damaged ones.
 */
#include "tests/fuzz/mcp.c"
#include "tests/fuzz/replay.h"

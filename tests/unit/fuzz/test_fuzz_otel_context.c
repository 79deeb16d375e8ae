// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_otel_context.c - the inputs of tests/fuzz/otel_context.c that are kept, and damaged ones.
 */
#include "tests/fuzz/otel_context.c"
#include "tests/fuzz/replay.h"

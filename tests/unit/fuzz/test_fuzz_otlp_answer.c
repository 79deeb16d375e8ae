// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_otlp_answer.c - the inputs of tests/fuzz/otlp_answer.c that are kept, and damaged ones.
 */
#include "tests/fuzz/otlp_answer.c"
#include "tests/fuzz/replay.h"

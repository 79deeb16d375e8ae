// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pprof.c - the tests of that name where there are more kinds of events.
 */
#include "tests/unit/formats/test_pprof.c"

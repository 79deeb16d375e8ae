// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_harvest_hostile.c - the tests of that name where there are more kinds of events.
 */
#include "tests/unit/tree/test_harvest_hostile.c"

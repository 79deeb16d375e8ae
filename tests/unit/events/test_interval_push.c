// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_interval_push.c - the tests of that name where there are more kinds of events.
 */
#include "tests/unit/export/test_interval_push.c"

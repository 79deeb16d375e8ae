// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_books.c - the tests of that name where there are more kinds of events.
 */
#include "tests/unit/stats/test_books.c"

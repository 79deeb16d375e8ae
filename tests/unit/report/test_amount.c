// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_amount.c - how values are shown: units by the largest of a table.
 */
#include <string.h>

#include "report/amount.h"
#include "tests/forge/test.h"

static void shown(const char *unit, __s64 largest, __s64 value, const char *as)
{
	assert_string_equal(amount_text(amount_unit(unit, largest), value).text, as);
}

TEST(values)
{
	shown("nanoseconds", 5000000000, 1250000000, "1.25 s");
	shown("nanoseconds", -5000000000, -1250000000, "-1.25 s");
	shown("nanoseconds", 50000000, 1250000, "1.25 ms");
	shown("nanoseconds", 900, 900, "0.90 us");
	shown("nanoseconds", 0, 0, "0.00 us");
	shown("microseconds", 3000000, 1500000, "1.50 s");
	shown("milliseconds", 30, 15, "15 ms");
	shown("bytes", 4 << 20, 3 << 19, "1.50 MiB");
	shown("bytes", 100, 50, "50 B");
	shown("count", 1000, 50, "50");
	shown("furlongs", 1000, 50, "50 furlongs");
	shown("nano\x01s", 1000, 50, "50 ?");
	shown("\xc2\x9b" "2J", 1000, 50, "50 ?");
	shown("nanoseconds", INT64_MIN, INT64_MIN, "-9223372036.85 s");
}

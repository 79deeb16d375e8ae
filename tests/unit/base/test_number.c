// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_number.c - groups of three at every length, rounding, and values that no report should have.
 */
#include <math.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "tests/forge/test.h"

TEST(groups)
{
	static const struct {
		__u64 value;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 7, "7" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 65536, "65,536" },
		{ 100000, "100,000" },
		{ 999999, "999,999" },
		{ 1000000, "1,000,000" },
		{ ~0ULL, "18,446,744,073,709,551,615" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(number_group(rows[i].value).text, rows[i].text);
}

TEST(hundredths)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0, "0.00" },
		{ 0.004, "0.00" },
		{ 0.006, "0.01" },
		{ 0.999, "1.00" },
		{ 12.5, "12.50" },
		{ 999.996, "1,000.00" },
		{ 1234567.05, "1,234,567.05" },
		{ -3, "0.00" },
		{ NAN, "0.00" },
		{ INFINITY, "10,000,000,000,000,000.00" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(number_hundredths(rows[i].value).text, rows[i].text);
}

TEST(decimals)
{
	assert_int_equal(number_decimals(0), 1);
	assert_int_equal(number_decimals(999), 1);
	assert_int_equal(number_decimals(1000), 2);
}

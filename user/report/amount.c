// SPDX-License-Identifier: GPL-2.0-only
#include "report/amount.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

struct scale {
	const char *unit; /* as profiles say it */
	const char *name;
	double divisor;
};

/* Of each unit the largest first. */
static const struct scale scales[] = {
	{ "nanoseconds", "s", 1e9 },	{ "nanoseconds", "ms", 1e6 }, { "nanoseconds", "us", 1e3 },
	{ "microseconds", "s", 1e6 },	{ "microseconds", "ms", 1e3 }, { "microseconds", "us", 1 },
	{ "milliseconds", "s", 1e3 },	{ "milliseconds", "ms", 1 },  { "seconds", "s", 1 },
	{ "bytes", "MiB", 1048576 },	{ "bytes", "KiB", 1024 },     { "bytes", "B", 1 },
};

/* Letters, digits and signs of ASCII: no other byte goes to the terminal, nor half of a character. */
static bool is_plain(const char *unit)
{
	for (; *unit; unit++)
		if (*unit < ' ' || *unit > '~')
			return false;
	return true;
}

struct amount_unit amount_unit(const char *unit, __s64 largest)
{
	const double size = largest < 0 ? -(double)largest : (double)largest;
	const struct scale *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		if (strcmp(scales[i].unit, unit))
			continue;
		found = &scales[i];
		if (size >= found->divisor)
			break;
	}
	if (!found && !strcmp(unit, "count"))
		return (struct amount_unit){ "", 1, 0 };
	if (!found)
		return (struct amount_unit){ is_plain(unit) ? unit : "?", 1, 0 };
	return (struct amount_unit){ found->name, found->divisor, found->divisor == 1 ? 0 : 2 };
}

struct amount amount_text(struct amount_unit unit, __s64 value)
{
	struct amount a;

	if (unit.divisor == 1)
		snprintf(a.text, sizeof(a.text), "%lld%s%.20s", value, *unit.name ? " " : "", unit.name);
	else
		snprintf(a.text, sizeof(a.text), "%.*f %.20s", unit.decimals, (double)value / unit.divisor,
			 unit.name);
	return a;
}

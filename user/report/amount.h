/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * amount.h - values of a profile as people read them: time in s, ms or us, memory in MiB, KiB or bytes.
 */
#ifndef PYPERF_REPORT_AMOUNT_H
#define PYPERF_REPORT_AMOUNT_H

#include <linux/types.h>

/* So that a table has one unit: found once, from its largest value. */
struct amount_unit {
	const char *name; /* "" for what is only counted */
	double divisor;
	int decimals;
};

/*
 * unit: as the profile says it. Of a unit that is not known the value is shown as it is; the unit is "?" if
 * it is not of ASCII that can be printed.
 */
struct amount_unit amount_unit(const char *unit, __s64 largest);

struct amount {
	char text[48];
};

/* "1.25 s"; returned by value, so that .text can be an argument of printf() on the spot. */
struct amount amount_text(struct amount_unit unit, __s64 value);

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include "base/number.h"

#include <stdio.h>
#include <string.h>

#define HUNDREDTHS_MAX 1e18 /* __u64 holds it, and more seconds than that nobody has */

struct number number_group(__u64 value)
{
	struct number n = { "" };
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", value), to = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			n.text[to++] = ',';
		n.text[to++] = digits[i];
	}
	return n;
}

struct number number_hundredths(double value)
{
	double hundredths = value * 100 + 0.5;
	__u64 rounded = 0;
	struct number n;
	size_t used;

	if (hundredths >= HUNDREDTHS_MAX)
		rounded = HUNDREDTHS_MAX;
	else if (hundredths > 0)
		rounded = hundredths;
	n = number_group(rounded / 100);
	used = strlen(n.text);
	snprintf(n.text + used, sizeof(n.text) - used, ".%02u", (unsigned int)(rounded % 100));
	return n;
}

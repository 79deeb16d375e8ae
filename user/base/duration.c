// SPDX-License-Identifier: GPL-2.0-only
#include "base/duration.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static const struct {
	const char *name;
	double seconds;
} units[] = {
	{ "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 },
};

/* 0: it has none of these names. */
static double seconds_of(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == length && !strncmp(units[i].name, name, length))
			return units[i].seconds;
	return 0;
}

/* A number of decimal digits, not negative. Returns what comes behind it, NULL = it is none. */
static const char *parse_number(const char *text, double *ret)
{
	double number;
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return NULL;
	if (text[strspn(text, "0123456789.")] == 'x') /* of strtod() also hexadecimal */
		return NULL;
	errno = 0;
	number = strtod(text, &end);
	if (errno || end == text)
		return NULL;
	*ret = number;
	return end;
}

int duration_parse(const char *text, double bare, double *ret)
{
	const char *at = text;
	double sum = 0;

	do {
		double number = 0, seconds;
		size_t length;

		at = parse_number(at, &number);
		if (!at)
			return -EINVAL;
		for (length = 0; isalpha((unsigned char)at[length]); length++)
			;
		seconds = length ? seconds_of(at, length) : sum ? 0 : bare;
		if (!seconds || (!length && *at))
			return -EINVAL;
		sum += number * seconds;
		at += length;
	} while (*at);
	*ret = sum;
	return 0;
}

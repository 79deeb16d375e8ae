// SPDX-License-Identifier: GPL-2.0-only
#include "findings/says.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "report/amount.h"
#include "report/chance.h"

void says_value(int column, __s64 value, __s64 of, struct finding *f)
{
	f->event = column == PROFILE_TIME ? event_rows[EVENT_CPU].period : event_rows[column].type;
	f->unit = event_unit_name(column == PROFILE_TIME ? UNIT_NANOSECONDS : event_rows[column].unit);
	f->value = value;
	f->of = of;
	f->share = of > 0 ? (double)value / (double)of : 0;
}

void says_samples(struct finding *f, __s64 found, __s64 samples)
{
	struct chance_bounds b;

	if (samples <= 0)
		return;
	b = chance_share((double)found / (double)samples, (double)samples);
	f->is_sampled = true;
	f->low = b.low;
	f->high = b.high;
	f->samples = samples;
}

void says_samples_of_time(struct finding *f, __s64 found)
{
	const double n = (double)found;
	const double half = n > 0 ? CHANCE_Z * chance_deviation(n, 1, 0, 1) / n : 1;

	f->is_sampled = true;
	f->low = half < 1 ? f->share * (1 - half) : 0;
	f->high = f->share * (1 + half);
	if (f->high > 1) /* there is no more time than that */
		f->high = f->share > 1 ? f->share : 1;
	f->samples = found;
}

bool says_long(const struct scene *s, const struct finding *f, double seconds, double part)
{
	return (double)f->value >= seconds * 1e9 && (double)f->value >= part * (double)s->ns;
}

bool says_enough(const struct finding *f, double least)
{
	return f->value > 0 && f->of > 0 && (f->is_sampled ? f->low : f->share) >= least;
}

void says_text(struct finding *f, const char *format, ...)
{
	const size_t used = strlen(f->text);
	va_list args;

	va_start(args, format);
	vsnprintf(f->text + used, sizeof(f->text) - used, format, args);
	va_end(args);
}

static void set_arguments(struct finding *f, va_list args)
{
	size_t i = 0;
	const char *argument;

	while ((argument = va_arg(args, const char *)) && i < FINDING_ARGUMENTS - 1)
		f->arguments[i++] = argument;
	f->arguments[i] = NULL;
}

void says_more(struct finding *f, ...)
{
	va_list args;

	va_start(args, f);
	set_arguments(f, args);
	va_end(args);
}

void says_more_of_these(struct finding *f, ...)
{
	va_list args;

	va_start(args, f);
	set_arguments(f, args);
	va_end(args);
	f->selects = true;
}

struct amount says_amount(const struct finding *f, __s64 value)
{
	return amount_text(amount_unit(f->unit, value), value);
}

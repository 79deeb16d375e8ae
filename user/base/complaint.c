// SPDX-License-Identifier: GPL-2.0-only
#include "base/complaint.h"

#include <stdarg.h>

#include "base/log.h"

void complain(struct complaint *c, const char *format, ...)
{
	va_list args;

	if (c->stands)
		return;
	c->stands = true;
	va_start(args, format);
	log_vwrite(LOG_WARNING, format, args);
	va_end(args);
}

void complaint_over(struct complaint *c, const char *format, ...)
{
	va_list args;

	if (!c->stands)
		return;
	c->stands = false;
	if (!format)
		return;
	va_start(args, format);
	log_vwrite(LOG_INFO, format, args);
	va_end(args);
}

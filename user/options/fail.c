// SPDX-License-Identifier: GPL-2.0-only
#include "options/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int options_fail(char *error, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	for (; *error; error++)
		if ((unsigned char)*error < ' ' || *error == 0x7f)
			*error = '?';
	return -EINVAL;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fail.h - how everything in options/ says what is wrong.
 */
#ifndef PYPERF_OPTIONS_FAIL_H
#define PYPERF_OPTIONS_FAIL_H

#include <stddef.h>

/* Makes the error, one line whatever is in the arguments. Returns -EINVAL. */
int options_fail(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif

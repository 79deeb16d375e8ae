/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * derive.h - what the options mean together: values that are more than a number or a word, and which of
 * them go with which. For options.c alone.
 */
#ifndef PYPERF_OPTIONS_DERIVE_H
#define PYPERF_OPTIONS_DERIVE_H

#include "options/options.h"

/* Fills the derived part of o. 0, or -EINVAL with one line in error. */
int options_derive(struct options *o, char *error, size_t size);
/* Makes the error, one line whatever is in the arguments. Returns -EINVAL. */
int options_fail(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif

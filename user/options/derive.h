/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * derive.h - what the options mean together: values that are more than a number or a word, and which of
 * them go with which. For options/ alone.
 */
#ifndef PYPERF_OPTIONS_DERIVE_H
#define PYPERF_OPTIONS_DERIVE_H

#include "options/options.h"

/* Fills the derived part of o. 0, or -EINVAL with one line in error. */
int options_derive(struct options *o, char *error, size_t size);

/* Its parts, each of one subject; they return what it returns. */
int derive_targets(struct options *o, char *error, size_t size);
int derive_selection(const struct options *o, char *error, size_t size);
int derive_pids(struct options *o, char *error, size_t size);
int derive_outside(struct options *o, char *error, size_t size);
int derive_intervals(struct options *o, char *error, size_t size);
int derive_format(struct options *o, char *error, size_t size);
int derive_asked(struct options *o, char *error, size_t size);
/* Seconds, more than 0 and up to 1e9. -EINVAL, and *ret is as it was, for anything else. */
int derive_seconds(const char *text, double *ret);
/* Percent from 0 to max, with or without its sign: "5", "2.5%". -EINVAL, and *ret is as it was, otherwise. */
int derive_percent(const char *text, double max, double *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expression.h - a regular expression that somebody chose who may mean harm: an agent that was talked into
 * it, a script that hands on its input. What it may take, of memory and of steps, has an end; that of
 * regcomp(3) of glibc has none.
 */
#ifndef PYPERF_REPORT_EXPRESSION_H
#define PYPERF_REPORT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

struct expression;

/* What --focus or --ignore (option) says. 0; -ENOMEM; -EINVAL, and one line in error. */
int expression_new(const char *text, const char *option, struct expression **ret, char *error, size_t size);
/* NULL is fine. */
void expression_free(struct expression *e);
/* Whether any part of the text matches. 0 or 1; -E2BIG if it takes too much to know that. */
int expression_matches(const struct expression *e, const char *text);

#endif

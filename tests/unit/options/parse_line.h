/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse_line.h - command lines for the tests of the options: accepted without a word, or refused in one line
 * of text that names the culprit.
 */
#ifndef PYPERF_TESTS_PARSE_LINE_H
#define PYPERF_TESTS_PARSE_LINE_H

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "options/options.h"
#include "tests/forge/test.h"

static struct options o;
static char error[256];
static char *args[32];
static int arg_count;

/* Parses "pyperf-bpf" and these arguments, up to NULL. */
static inline int parse_list(va_list list)
{
	char *arg;

	options_free(&o);
	memset(&o, 0xa5, sizeof(o)); /* nothing may depend on what was there */
	o.pid_list = NULL;
	memset(o.owned, 0, sizeof(o.owned));
	strcpy(error, "untouched");
	arg_count = 0;
	args[arg_count++] = (char *)"pyperf-bpf";
	while ((arg = va_arg(list, char *)) && arg_count < 30)
		args[arg_count++] = arg;
	args[arg_count] = NULL;
	return options_parse(&o, arg_count, args, error, sizeof(error));
}

static inline void accept_line(const char *first, ...)
{
	va_list list;
	int err;

	(void)first;
	va_start(list, first);
	err = parse_list(list);
	va_end(list);
	if (err)
		fail_msg("refused: %s", error);
	assert_string_equal(error, "untouched");
}

/* Refused in one line of text that contains `culprit`. */
static inline void refuse(const char *culprit, ...)
{
	va_list list;
	int err;

	va_start(list, culprit);
	err = parse_list(list);
	va_end(list);
	assert_int_equal(err, -EINVAL);
	if (!strstr(error, culprit) || !strcmp(error, "untouched"))
		fail_msg("the error does not name '%s': %s", culprit, error);
	for (const char *s = error; *s; s++)
		if (iscntrl((unsigned char)*s))
			fail_msg("the error is not one line of text: %s", error);
}

/* After the tests of a group, or after each. */
static inline int free_options(void **state)
{
	(void)state;
	options_free(&o);
	return 0;
}

#define ACCEPT(...)	     accept_line("", __VA_ARGS__, NULL)
#define REFUSE(culprit, ...) refuse(culprit, __VA_ARGS__, NULL)

#endif

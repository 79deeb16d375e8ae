// SPDX-License-Identifier: GPL-2.0-only
#include "report/expression.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buf.h"
#include "base/cleanup.h"

/*
 * Of one text, 4 KiB at most: what is honest takes some thousands, and "a.*b" of a name that somebody made
 * for it 8 million. So many take half a second.
 */
#define STEPS_MAX   10000000
#define HEAP_KB_MAX 16384
#define NESTING_MAX 100

struct expression {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

void expression_free(struct expression *e)
{
	if (!e)
		return;
	pcre2_code_free(e->code);
	pcre2_match_data_free(e->match);
	pcre2_match_context_free(e->limits);
	free(e);
}

static void cleanup_expression(struct expression **e)
{
	expression_free(*e);
}

/* As POSIX has it, a point is any byte, and nothing but the end of the text is its end. */
static int compile_expression(struct expression *e, const char *text, int *ret_why)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	PCRE2_SIZE at;

	if (!context)
		return -ENOMEM;
	pcre2_set_parens_nest_limit(context, NESTING_MAX);
	e->code = pcre2_compile((PCRE2_SPTR)text, strlen(text),
				PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP |
					PCRE2_NEVER_BACKSLASH_C,
				ret_why, &at, context);
	pcre2_compile_context_free(context);
	return e->code ? 0 : -EINVAL;
}

static int limit(struct expression *e)
{
	e->match = pcre2_match_data_create(1, NULL);
	e->limits = pcre2_match_context_create(NULL);
	if (!e->match || !e->limits)
		return -ENOMEM;
	pcre2_set_match_limit(e->limits, STEPS_MAX);
	pcre2_set_depth_limit(e->limits, STEPS_MAX);
	pcre2_set_heap_limit(e->limits, HEAP_KB_MAX);
	return 0;
}

/* In one line, whatever the expression has in it. */
static int say_why(const char *option, const char *text, int why, char *error, size_t size)
{
	_cleanup_buf_ struct buf valid = { 0 }, shown = { 0 };
	char said[128] = "";
	int err = buf_add_utf8(&valid, text, 60) ?: buf_add(&valid, "", 1) ?:
		  buf_add_shown(&shown, valid.data, false) ?: buf_add(&shown, "", 1);

	if (err)
		return err;
	pcre2_get_error_message(why, (PCRE2_UCHAR *)said, sizeof(said));
	snprintf(error, size, "--%s wants a regular expression (as Perl has them), not '%s': %s", option,
		 shown.data, said);
	return -EINVAL;
}

int expression_new(const char *text, const char *option, struct expression **ret, char *error, size_t size)
{
	_cleanup_(cleanup_expression) struct expression *e = calloc(1, sizeof(*e));
	int why = 0, err;

	if (!e)
		return -ENOMEM;
	err = compile_expression(e, text, &why) ?: limit(e);
	if (err == -EINVAL)
		return say_why(option, text, why, error, size);
	if (!err)
		*ret = TAKE_PTR(e);
	return err;
}

int expression_matches(const struct expression *e, const char *text)
{
	const int n = pcre2_match(e->code, (PCRE2_SPTR)text, strlen(text), 0, 0, e->match, e->limits);

	return n >= 0 ? 1 : n == PCRE2_ERROR_NOMATCH ? 0 : -E2BIG;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asked_name.h - the function that somebody asks for by name. Names and files are those of a profile, which
 * may be anybody's.
 */
#ifndef PYPERF_REPORT_ASKED_NAME_H
#define PYPERF_REPORT_ASKED_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct recorded;

/*
 * Whether a function is what is asked for: by its qualified name or what that has behind a dot, alone or
 * behind its module or what that has behind a dot. So json.dumps is dumps of .../json/__init__.py, and
 * Encoder.encode, encode, json.encoder.Encoder.encode and encoder.encode are one method.
 */
bool asked_name_is(const char *name, const char *file, const char *of);

/* Whether it can be nothing but a name: words with dots between, no other signs of a regular expression. */
bool asked_name_is_plain(const char *of);

/*
 * Why there is no stack with it, and what may have been meant, in one line: the name of the profile's
 * function that is most alike. event: of what kind the stacks would be.
 */
void asked_name_explain(const struct recorded *r, const char *of, const char *event, char *error,
			size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arguments.h - from the arguments of a call to the words of a command line. What an option may be, the
 * command itself says; here only the types are judged. Nothing that a client sends can become another option,
 * a shell's word, or a file that is written.
 */
#ifndef PYPERF_MCP_ARGUMENTS_H
#define PYPERF_MCP_ARGUMENTS_H

#include <stddef.h>

#include "mcp/recordings.h"
#include "mcp/tools.h"
#include "mcp/words.h"

#define RECORD_SECONDS 10 /* where none are given */

struct json_object;

/*
 * given: an object, or NULL. Adds to words, first the program and the command. 0; -ENOMEM; -EINVAL with one
 * line in error that says what to do.
 */
int arguments_words(const struct tool *t, struct json_object *given, const struct recordings *r,
		    struct words *words, char *error, size_t size);
/* How long it records. */
double arguments_seconds(struct json_object *given);
/* The profile that it is about, if that was recorded here. */
bool arguments_recording(const struct tool *t, struct json_object *given, const struct recordings *r,
			 struct recording_paths *ret);
/* What holds of a most or a cut: the number that is given, or its own. */
long arguments_number(const struct argument *a, struct json_object *given);

#endif

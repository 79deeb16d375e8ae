/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pushed_notes.h - what is said of the books that a store has of what was pushed to it.
 */
#ifndef PYPERF_REPORT_PUSHED_NOTES_H
#define PYPERF_REPORT_PUSHED_NOTES_H

#include "base/buf.h"
#include "recorded/pushed_books.h"

/* Calls say() with a code and one line for each thing to be known. Nothing for what is of no store. */
void pushed_notes(const struct pushed_books *b,
		  void (*say)(void *context, const char *code, const char *text), void *context);
/* "{"profiles":12,...,"runs":[...]}" 0 or -ENOMEM. */
int pushed_notes_json(const struct pushed_books *b, struct buf *out);

#endif

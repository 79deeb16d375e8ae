/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buf.h - a byte buffer that grows, for everything that is encoded before it is written. The two text
 * functions take bytes chosen by a foreign process and leave no invalid UTF-8 or no control code behind.
 */
#ifndef PYPERF_BASE_BUF_H
#define PYPERF_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

#define BUF_MAX ((size_t)1 << 30) /* bytes; far above any profile, and int holds it */

/* All zero is an empty buffer. data is not NUL-terminated. */
struct buf {
	char *data;
	size_t size;	 /* bytes in use */
	size_t capacity; /* bytes allocated */
	size_t size_max; /* it may not be larger; 0 = BUF_MAX */
};

/* On failure (-ENOMEM: no memory, or more than it may have) every function leaves the buffer as it was. */

/* Makes room for `more` bytes behind size. */
int buf_reserve(struct buf *b, size_t more);
int buf_add(struct buf *b, const void *data, size_t size);
int buf_add_string(struct buf *b, const char *s);
/* In decimal digits; faster than buf_printf(), for long lists. */
int buf_add_number(struct buf *b, unsigned long long value);
int buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends s as valid UTF-8, at most `limit` bytes of it: each invalid byte becomes U+FFFD. */
int buf_add_utf8(struct buf *b, const char *s, size_t limit);

/*
 * Whether the character at s, which is not its NUL, may be shown as it is: it is valid UTF-8, and no control
 * code (C0, DEL, C1), line or paragraph separator, or mark that turns the direction of text around.
 * *ret_length: its bytes, 1 if it is invalid.
 */
bool buf_is_shown(const char *s, size_t *ret_length);

/*
 * Appends valid UTF-8 as text that stays on one line and moves no terminal: what may not be shown becomes
 * '?', and ';' becomes ':' when it would separate fields.
 */
int buf_add_shown(struct buf *b, const char *s, bool separator);

/*
 * Appends UTF-8 as a string of JSON, in its quotes. What buf_is_shown() does not let through is escaped, as
 * somebody may look at the text on a terminal; an invalid byte becomes U+FFFD.
 */
int buf_add_json(struct buf *b, const char *s);

/* Appends a member of an object of JSON that is not its first one. */
int buf_add_member(struct buf *b, const char *key, const char *text);

/* Appends text that is JSON already, in which strings may have raw what buf_add_json() escapes. */
int buf_add_json_shown(struct buf *b, const char *json);

/* Bytes (1-4) of the valid UTF-8 sequence at s, 0 if there is none. Stops at the NUL. */
size_t buf_utf8_length(const char *s);

/* Keeps the memory. */
void buf_clear(struct buf *b);
void buf_free(struct buf *b);

#define _cleanup_buf_ _cleanup_(buf_free)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keys.h - the part of an address behind the '?', by a table of the keys that an address has. Every key and
 * value is checked, since one that is misspelt and ignored would give an answer to another question.
 */
#ifndef PYPERF_HTTP_KEYS_H
#define PYPERF_HTTP_KEYS_H

#include <stddef.h>

struct MHD_Connection;

#define KEYS_ERROR_SIZE 512

/* The state of reading keys. It is a member of the structure that they are read into, and begins as zeros. */
struct keys {
	unsigned int seen;	     /* bits of keys that were there: a second time they are refused */
	char error[KEYS_ERROR_SIZE]; /* "" = none; else one line that says what to do */
};

/* At most 32 of them. */
struct key_table {
	const struct key {
		const char *name;
		int (*set)(struct keys *k, const char *value); /* 0, or what keys_fail() returns */
	} *rows;
	size_t count;
	int (*other)(struct keys *k, const char *name, const char *value); /* sets one that is not in rows */
};

/* Puts the line into k->error, what is not printable ASCII as '?': it goes back to who sent it. -EINVAL. */
int keys_fail(struct keys *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * One key and its value, without percent escapes; NULL if it has no value. 0 or -EINVAL. After the first
 * failure nothing is accepted, and its line stays.
 */
int keys_add(struct keys *k, const struct key_table *table, const char *name, const char *value);
/* All that a client sent. 0 or -EINVAL. */
int keys_read(struct keys *k, const struct key_table *table, struct MHD_Connection *connection);

#endif

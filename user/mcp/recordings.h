/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recordings.h - profiles that were recorded for a client, in a private directory that goes at the end: their
 * names r1, r2, ..., bounded in number, and each in size. The oldest go for new ones.
 */
#ifndef PYPERF_MCP_RECORDINGS_H
#define PYPERF_MCP_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>

#define RECORDINGS_MAX	     16
#define RECORDING_BYTES_MAX  (16 << 20)
#define RECORDING_PATH_MAX   256

struct recordings {
	char folder[RECORDING_PATH_MAX / 2]; /* "" = not made yet */
	unsigned int last;		     /* number of the newest name */
	unsigned int done[RECORDINGS_MAX];   /* numbers of those that are whole, the oldest first */
	size_t count;
};

struct recording_paths {
	char profile[RECORDING_PATH_MAX], books[RECORDING_PATH_MAX];
};

/* Room for a new one, which recordings_keep() or recordings_drop() is told of. 0 or -errno. */
int recordings_begin(struct recordings *r, unsigned int *ret_number, struct recording_paths *ret);
/* It is whole. Returns the number of the one that went for it, or 0. */
unsigned int recordings_keep(struct recordings *r, unsigned int number);
/* It is none. */
void recordings_drop(const struct recordings *r, unsigned int number);
/* Of the name of one that is there. */
bool recordings_find(const struct recordings *r, const char *name, struct recording_paths *ret);
/* A name of this kind, whether or not it is there. */
bool recordings_is_name(const char *name);
/* Removes all of them. */
void recordings_close(struct recordings *r);

#endif

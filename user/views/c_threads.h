/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * c_threads.h - what threads of C took in processes of Python, by the library that each is of: the file of
 * its outermost function that is not one of the C library's, which starts them all. That needs --native.
 */
#ifndef PYPERF_VIEWS_C_THREADS_H
#define PYPERF_VIEWS_C_THREADS_H

#include <stdio.h>

#include "profile/profile.h"

struct c_threads_row {
	__u32 file; /* string; 0: nothing is known of the native code */
	__u64 count;
};

struct c_threads {
	struct c_threads_row *rows; /* the hottest first */
	size_t n;
};

/* Of the kind of event that is shown. 0 or -ENOMEM; c_threads_free() it in both cases. */
int c_threads_find(const struct profile *p, struct c_threads *ret);
void c_threads_free(struct c_threads *c);

/*
 * "Threads of C: 33.7% libopenblas.so, 1.2% libjvm.so" on a line of its own below an empty one, as shares of
 * the profile with so many decimals; nothing where no such thread was met. dim, reset: what a terminal wants
 * around it, or "".
 */
void c_threads_print(const struct profile *p, int decimals, const char *dim, const char *reset, FILE *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * c_threads.h - what threads of C took in processes of Python, by the library that each is of: the file of
 * its outermost function that is not one of the C library's, which starts them all. That needs --native.
 */
#ifndef PYPERF_VIEWS_C_THREADS_H
#define PYPERF_VIEWS_C_THREADS_H

#include <stdio.h>

#include "profile/profile.h"

/*
 * "Threads of C: 33.7% libopenblas.so, 1.2% libjvm.so" on a line of its own below an empty one, as shares of
 * the profile with so many decimals; nothing where no such thread was met. dim, reset: what a terminal wants
 * around it, or "".
 */
void c_threads_print(const struct profile *p, int decimals, const char *dim, const char *reset, FILE *f);

#endif

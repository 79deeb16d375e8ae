/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * package.h - whose code a file is, by its path alone: the profile may be another machine's.
 */
#ifndef PYPERF_PROFILE_PACKAGE_H
#define PYPERF_PROFILE_PACKAGE_H

#include <stddef.h>

enum package_kind { PACKAGE_PROGRAM, PACKAGE_INSTALLED, PACKAGE_STANDARD, PACKAGE_LIBRARY, PACKAGE_KERNEL };

/* What it is called in JSON. */
const char *package_kind_name(enum package_kind kind);

/*
 * The package of a file, and its name in `name`: of site-packages/x/y.py it is "x", of the standard library
 * "stdlib", of a shared object elsewhere its file's name, of all else "program".
 */
enum package_kind package_of(const char *file, char *name, size_t size);

#endif

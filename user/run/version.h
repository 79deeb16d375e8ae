/* SPDX-License-Identifier: GPL-2.0-only */
/* version.h - what --version says: the version, and of what this program was built. */
#ifndef PYPERF_RUN_VERSION_H
#define PYPERF_RUN_VERSION_H

#include <stdio.h>

/* "pyperf-bpf VERSION" is the first line. Each other one is "name: value". */
void version_print(FILE *f, const char *commit);

#endif

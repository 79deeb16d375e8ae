/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forbidden.h - whether the memory of a process may be read, and if not, why and what would allow it.
 */
#ifndef PYPERF_PROC_FORBIDDEN_H
#define PYPERF_PROC_FORBIDDEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/lacking.h"

#define FORBIDDEN_SIZE (LACKING_SIZE + 256) /* of a text, with its end */

/* Whether the kernel refuses it. One that has ended is not forbidden. */
bool forbidden_is(pid_t pid);

/*
 * Why the memory of nobody can be read here, one's own neither, and what would allow it; NULL: it can. To be
 * asked before system calls are given up.
 */
const char *forbidden_everywhere(void);

/* Why, and what would allow it, as half a sentence. Both return text. */
const char *forbidden_why(pid_t pid, char text[FORBIDDEN_SIZE]);
const char *forbidden_ways(char text[FORBIDDEN_SIZE]);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lacking.h - what to tell somebody whom the kernel has refused something that takes capabilities. Root of a
 * container is root already: it is told which of them is missing, and where it was taken away.
 */
#ifndef PYPERF_BASE_LACKING_H
#define PYPERF_BASE_LACKING_H

#include <stddef.h>
#include <linux/types.h>

#define LACKING_SIZE 256 /* bytes of what is said */

/*
 * Notes what this process may do, for lacking_advice(). It is called before anything is given up; otherwise
 * what the process may do at its first advice counts.
 */
void lacking_remember(void);

/*
 * Which of these capabilities (PRIVILEGE(), rows of capabilities.def) the process was not given: all of them
 * where those of its user namespace count for nothing.
 */
__u64 lacking_of(__u64 wanted);

/*
 * What to do about them as a clause, such as "run as root, or with CAP_BPF and CAP_PERFMON", into a text of
 * LACKING_SIZE bytes. Returns the text.
 */
const char *lacking_advice(__u64 wanted, char *text);

#endif

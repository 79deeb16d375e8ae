/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * so_far.h - a command that reads profiles and is ended by SIGTERM, as mcp does with one that takes too long,
 * says on stderr how far it came, and has failed.
 */
#ifndef PYPERF_RUN_SO_FAR_H
#define PYPERF_RUN_SO_FAR_H

struct recorded;

/* From now on profiles are read into r, which stays where it is until the process ends. 0 or -errno. */
int so_far_reading(const struct recorded *r);
/* All are read, and what was asked of them is being found out. */
void so_far_answering(void);

#endif

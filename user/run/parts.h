/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts.h - the parts of a run that are there from its first moment to its last: worker, kernel side, stores,
 * discovery, server. In which order they come and go is said here; what they do in between is in run.c.
 */
#ifndef PYPERF_RUN_PARTS_H
#define PYPERF_RUN_PARTS_H

struct agent;

#define CODES_BYTES_MAX (256 << 20) /* of the store of names; a generation ends before it is full */

/*
 * Opens them by the options; no tick is taken yet. 0, or -errno after a line that says what failed. Whatever
 * was opened then, parts_close() closes.
 */
int parts_open(struct agent *a);
/* Closes what there is of a run, in whichever state it ended. */
void parts_close(struct agent *a);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jits.h - code that processes have made at run time, and its names, which they write to files of their own
 * (proc/perf_map.h). Each range of such memory has an interval of the text space for the whole run.
 */
#ifndef PYPERF_NAMES_JITS_H
#define PYPERF_NAMES_JITS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define JITS_REGIONS_MAX 4096
#define JITS_BYTES_MAX	 (16 << 20) /* of names of all processes */

struct jits;

int jits_new(struct jits **ret); /* 0 or -ENOMEM */
void jits_free(struct jits *j);	 /* NULL is fine */

/*
 * The position of the first byte of this memory of a process (struct process.id). 0; -ENOSPC beyond the
 * bounds; -ENOMEM.
 */
int jits_region(struct jits *j, __u32 process, __u64 start, __u64 end, __u64 *ret_position);

/*
 * Takes the bytes of perf_map_read(), which it copies, in place of those it had of this process. 0; -EBADMSG;
 * -ENOSPC beyond JITS_BYTES_MAX; -ENOMEM. After a failure it has what it had.
 */
int jits_names(struct jits *j, __u32 process, const void *bytes, size_t size);

/* The name of what is at a position, "" if it has none; NULL for one that nothing was given. */
const char *jits_find(const struct jits *j, __u64 position);

#endif

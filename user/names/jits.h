/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jits.h - code that processes have made at run time, and its names, which they write to files of their own
 * (proc/perf_map.h). Each range of such memory has an interval of the text space until it is given back, as
 * files have (names/natives.h). Names are kept as long as a range of their process is.
 */
#ifndef PYPERF_NAMES_JITS_H
#define PYPERF_NAMES_JITS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define JITS_REGIONS_MAX 8192
#define JITS_BYTES_MAX	 (24 << 20) /* of names of all processes */

struct jits;
struct natives_stats;

int jits_new(struct jits **ret); /* 0 or -ENOMEM */
void jits_free(struct jits *j);	 /* NULL is fine */

/*
 * The position of the first byte of this memory of a process (struct process.id). 0; -ENOSPC beyond the
 * bounds or the owner's share of them; -EFBIG for one above 4 GiB; -ENOMEM.
 */
int jits_region(struct jits *j, __u32 process, __u64 owner, __u64 start, __u64 end, __u64 *ret_position);

/*
 * Takes the bytes of perf_map_read(), which it copies, in place of those it had of this process. 0; -ENOENT
 * if the process has no region; -EBADMSG; -ENOSPC beyond JITS_BYTES_MAX; -ENOMEM. After a failure it has what
 * it had.
 */
int jits_names(struct jits *j, __u32 process, const void *bytes, size_t size);

/* For natives.c, whose functions of these names say what they do. position: in the region that is seen. */
void jits_begin_look(struct jits *j);
void jits_see(struct jits *j, __u64 position);
void jits_end_look(struct jits *j, __u32 turn);
__u32 jits_give_back(struct jits *j, __u32 turn);
double jits_fullness(const struct jits *j);
double jits_unused(const struct jits *j);
__u64 jits_refused(const struct jits *j);
/* Adds its regions, their positions and the bytes of their names. */
void jits_add_stats(const struct jits *j, struct natives_stats *s);

/* The name of what is at a position, "" if it has none; NULL for one that nothing was given. */
const char *jits_find(const struct jits *j, __u64 position);

#endif

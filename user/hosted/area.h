/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * area.h - the memory that the profiler and its sampler's process share: all tables of the sampler, its
 * options and variables, and its ring of records. The sampler's process was forked with it; the profiler has
 * its file, and maps a table from it as it would map one of the kernel's.
 */
#ifndef PYPERF_HOSTED_AREA_H
#define PYPERF_HOSTED_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "hosted/ring.h"
#include "kern/home.h"

/* Words by which the two speak. */
struct area_control {
	__u32 runs;	       /* samples are to be taken */
	__u32 asked, answered; /* the accounts of all threads are to be counted; that was done */
	__u32 frequency;
	__u32 wall;   /* all time is counted, not only that on a CPU */
	__u64 budget; /* ns of CPU time that looks may cost in a second; 0 = no limit */
	__u64 round;  /* odd while samples are taken; goes up */
	__u64 due;    /* looks that were due until now, of all threads together */
};

/* A table of the area. */
struct area_table {
	const char *name;
	size_t offset, bytes;
	bool is_hash;
	__u32 key_size, value_size, entries;
};

#define AREA_TABLES 32

struct area {
	int fd; /* -1: there is none */
	__u8 *base;
	size_t size;
	struct area_control *control;
	struct pyperf__bss *bss;
	const struct pyperf__rodata *rodata;
	struct shared_ring *ring;
	struct area_table tables[AREA_TABLES];
	unsigned int count;
};

/* Makes it for a sized object, with a copy of its options. 0 or -errno. */
int area_open(struct area *a, struct pyperf *skel);
void area_close(struct area *a);
/* NULL: there is no such table. */
const struct area_table *area_find(const struct area *a, const char *name);
/* The tables as kern/table.h has them. */
void area_side(const struct area *a, struct side *ret);

#endif

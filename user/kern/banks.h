/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * banks.h - the tables of the call tree, as the ticks fill them, and their two halves, of which one is
 * emptied while the ticks use the other.
 */
#ifndef PYPERF_KERN_BANKS_H
#define PYPERF_KERN_BANKS_H

#include <stddef.h>
#include <linux/types.h>

struct code;
struct kernel;
struct node;
struct owner;

/* The tables, mapped read-only. They change while the ticks run. */
struct kernel_tables {
	const struct node *nodes;
	const struct code *codes;
	const struct owner *owners;
	__u32 node_count, code_count, owner_count;
	size_t map_bytes; /* memory of all maps */
};

const struct kernel_tables *kernel_tables(const struct kernel *k);

/* The numbers first to end - 1. */
struct kernel_range {
	__u32 first, end;
};

/* One half of the tables. Node 0 and the codes below CODE_FIRST belong to neither bank. */
struct kernel_bank {
	struct kernel_range nodes, codes, owners;
};

/*
 * A new generation of the tree begins while the ticks go on, in three steps: kernel_flip() makes all ticks
 * that begin from now on use the other bank. kernel_wait() returns when no tick uses the bank that was left.
 * kernel_clear() empties that bank, so that the next flip can use it. Before that the caller takes from it
 * what is wanted, and reads the records of its code objects from the ring buffer. The last two return 0 or
 * -errno. After a failure nothing has changed.
 */
void kernel_flip(struct kernel *k);
int kernel_wait(const struct kernel *k);
int kernel_clear(struct kernel *k);
/* The bank that the ticks do not use. */
struct kernel_bank kernel_other_bank(const struct kernel *k);

/* How full the bank is that the ticks use, 0 to 1: of its tables of nodes, codes and owners the fullest. */
double kernel_fullness(const struct kernel *k);

#endif

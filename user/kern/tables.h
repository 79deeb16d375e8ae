/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tables.h - the maps of the BPF object: how large they are, where user space sees them, how a bank is
 * emptied.
 */
#ifndef PYPERF_KERN_TABLES_H
#define PYPERF_KERN_TABLES_H

#include "bpf/abi.h"
#include "kern/banks.h"

struct kernel_options;
struct pyperf;
struct side;

/* The memory of all maps: values as the kernel rounds them, and the headers of a hash map's elements. */
size_t tables_bytes(const struct pyperf *skel);
/* How many sets of four threads hold the threads that the options ask for: a power of two. */
__u32 tables_thread_sets(const struct kernel_options *o);
/* How many sets of eight threads hold the threads that wait: a power of two. */
__u32 tables_wait_sets(const struct kernel_options *o);
/* Sets the sizes of all maps, before loading. cpus: all possible ones. 0 or -errno. */
int tables_size(struct pyperf *skel, const struct kernel_options *o, int cpus, struct kernel_tables *ret);
/*
 * After loading: reserves the entries that mean "none", and maps the tables. 0 or -errno. The caller calls
 * tables_unmap() after a failure too.
 */
int tables_map(const struct side *s, struct kernel_tables *tables, const struct cpu_stats **ret_stats);
void tables_unmap(const struct side *s, const struct kernel_tables *tables, const struct cpu_stats *stats);
/* So many counters, of CPUs and the spare one, added up; of the longest tick, the longest. */
void tables_sum_stats(const struct cpu_stats *stats, int count, struct cpu_stats *ret);
/*
 * If o->wall, fills the books of wall time, which the programs do not keep: the sums of those of its parts.
 */
void tables_add_wall(struct cpu_stats *sum, const struct kernel_options *o);
/* The numbers that belong to this bank, 0 or 1. */
struct kernel_bank tables_bank(const struct kernel_tables *tables, unsigned int bank);
/*
 * Forgets the nodes, codes and owners of a bank that no program uses. 0 or -errno, and then nothing changed.
 */
int tables_clear(const struct side *s, const struct kernel_tables *tables, unsigned int bank);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - the journal of samples (--log): when each sample of the last minutes was taken, and of which
 * stack. The kernel side notes samples as nodes of the call tree, which name a stack until their bank is
 * cleared. So before that the stacks of what was noted become samples of a profile, which is kept with the
 * entries.
 */
#ifndef PYPERF_TREE_JOURNAL_H
#define PYPERF_TREE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"
#include "tree/journal_blocks.h"
#include "tree/journal_stacks.h"

struct kernel;
struct loop;
struct profile;
struct routes;
struct windows;

/* What was noted in one generation of the call tree. */
struct journal_chunk {
	struct journal_chunk *next; /* the next younger one that is closed */
	struct journal_blocks blocks;
	struct profile *stacks; /* NULL: entries name nodes, as the generation goes on */
};

/* Samples that are not in the journal, as they came faster than they were read, or found no memory. */
struct journal_gap {
	__u64 from, to; /* when they were taken, ns of CLOCK_MONOTONIC */
	__u64 lost;
};

#define JOURNAL_GAPS 64 /* that are kept apart; the oldest becomes one with the next */

struct journal {
	struct kernel *kernel;
	const struct windows *windows; /* for the harvest's inputs, the kinds of events and the frequency */
	__u64 keep_ns;		       /* what is older goes */
	__u32 blocks_max;
	__u32 block_bytes; /* of one, at most */
	bool traced;
	const struct routes *routes; /* of spans; may be NULL */
	struct journal_chunk open[BANKS];
	struct journal_chunk *closed; /* the oldest first */
	struct journal_recent *recent;
	struct journal_gap gaps[JOURNAL_GAPS]; /* the oldest first */
	int gap_count;
	__u32 blocks;		       /* of all chunks */
	__u32 held;		       /* stretches that are being read: nothing goes for its age meanwhile */
	__u64 changes;		       /* how often blocks have gone, or a chunk was closed */
	__u64 read_ns;		       /* when the kernel side's rings were last read */
	__u64 begin_ns;		       /* since when there is a journal */
	__u64 cut_ns;		       /* ticks of before and of later are not one entry */
	__u64 gone_ns;		       /* nothing later than that has gone */
	__u64 samples, lost;	       /* that were noted, that were not */
	struct journal_stacks closing; /* of the bank that is to be cleared */
	struct profile *closing_stacks;
	struct {
		struct journal_block *block;
		__u32 entry;
	} closing_at;
};

/* What may be taken by a minute for each 8 CPUs. */
#define JOURNAL_MINUTE_BYTES (1 << 20)

/*
 * Keeps the samples of so many minutes. traced: they have ids of spans. kernel and windows are borrowed; the
 * rings are first read by journal_read(). 0 or -ENOMEM.
 */
int journal_new(struct journal **ret, struct kernel *k, const struct windows *w, long minutes, int cpus,
		bool traced);
void journal_free(struct journal *j);
/* Reads the kernel side's rings at least once a second, more often the faster they fill. 0 or -errno. */
int journal_watch(struct journal *j, struct loop *loop);
/*
 * A stretch will end at this clock_ns(), which has just been, and the next one begin there: so many ticks are
 * in each as there were.
 */
void journal_cut(struct journal *j, __u64 ns);
/* Whether all that was noted in this stretch is still there, and nothing of it was lost. */
bool journal_has_all(const struct journal *j, __u64 from, __u64 to);
/* Takes what the kernel side has noted so far, and lets go what is too old. */
void journal_read(struct journal *j);
/* Takes one sample. Those that nobody asked for, or that cannot be, are left out. */
void journal_add(struct journal *j, const struct journal_sample *s);

/*
 * For generation.c, around the clearing of a bank that no program uses any more: journal_read() first. Then
 * journal_close() gives the stacks of what was noted there a home. 0, or -EAGAIN: the windows' pause_ns has
 * come, and it is to be called again. Without memory what was noted there is lost, and counted.
 */
int journal_close(struct journal *j, unsigned int bank);

/*
 * Samples of this stretch that are not in the journal, or may be of it; not those that were too old: by the
 * spans in which they were taken, as far as these are in the stretch, the oldest first. What is more than
 * `most` spans is part of the last one, which then reaches from the first of them to the last. Returns how
 * many.
 */
__u32 journal_losses(const struct journal *j, __u64 from, __u64 to, struct journal_gap *ret, __u32 most);
/* From when on all is there. */
__u64 journal_oldest(const struct journal *j);
/* Bytes that it takes now. */
size_t journal_bytes(const struct journal *j);

#endif

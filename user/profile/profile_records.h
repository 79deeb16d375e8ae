/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile_records.h - what a profile consists of, for profile.c, which makes it, and profile_read.c, which
 * reads it.
 */
#ifndef PYPERF_PROFILE_PROFILE_RECORDS_H
#define PYPERF_PROFILE_PROFILE_RECORDS_H

#include "base/buf.h"
#include "base/hash.h"
#include "profile/moments.h"
#include "profile/profile.h"

struct chunk {
	struct chunk *next;
	size_t used, size;
	char data[] __attribute__((aligned(8)));
};

struct entry {
	UT_hash_handle hh;
	__u32 id;
	__u32 size; /* bytes of the record */
	char record[] __attribute__((aligned(8)));
};

struct profile_table {
	struct entry *by_content;
	struct entry **by_id; /* id - 1 */
	__u32 n, capacity;
};

/* A text that was met, by its address; what is there now may be another one. */
struct met_text {
	const char *text;
	__u32 id;
};

#define MET_BITS 8

struct profile {
	struct profile_info info;
	struct chunk *chunks;
	struct profile_table tables[PROFILE_KINDS];
	__u64 (*counts)[EVENT_KINDS + 1]; /* of samples, id - 1; the last is PROFILE_TIME */
	__u32 counts_capacity;
	__u64 total[EVENT_KINDS + 1], booked[EVENT_KINDS + 1];
	__u64 *accounts; /* ns, of owners, id - 1; NULL = there are none */
	__u32 accounts_capacity, account_count;
	size_t bytes; /* of the arena */
	struct met_text met[1 << MET_BITS];
	struct profile_owner last_owner; /* whose id is this, 0 = none has been met */
	__u32 last_owner_id;
	__u32 last_sample; /* that profile_sample() has found or added */
	struct moments moments;
	struct buf scratch;
};

#endif

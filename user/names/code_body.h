/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code_body.h - the parts of the code store (codes.h) that are shared by content: blobs (a string or a line
 * table) and bodies (a code object made of blobs, with the lines and columns found so far). References are
 * counted. Contents come from the profiled processes, so what they take is counted in bytes.
 */
#ifndef PYPERF_NAMES_CODE_BODY_H
#define PYPERF_NAMES_CODE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/hash.h"
#include "names/codes.h"
#include "python/line_index.h"

struct blob {
	UT_hash_handle hh;
	__u32 refs;
	__u32 length;
	char bytes[]; /* NUL-terminated */
};

struct body_key {
	struct blob *name; /* NULL = not readable */
	struct blob *file;
	struct blob *table;
	__s32 first_line;   /* as the code object has it: what the lines of the table are added to */
	__u32 table_length; /* of the code object's line table, also while table is NULL */
	__u64 line_format;  /* enum line_format; so wide that there is no padding, which would be hashed */
};

struct body_slot {
	__u32 instr_plus_one; /* 0 = free */
	struct line_position position;
};

struct body {
	UT_hash_handle hh;
	struct body_key key;
	__u32 refs;
	__u32 used;
	__u32 size; /* of slots: 0 or a power of two */
	struct body_slot *slots;
	struct line_index *index; /* of a large line table, once it was asked; else NULL */
};

struct bodies {
	struct blob *blobs;
	struct body *bodies;
	size_t bytes_max; /* of stats.bytes, 0 = no limit */
	struct codes_stats stats;
};

bool bodies_fit(const struct bodies *bodies, size_t size);

/* Another reference; NULL is allowed. */
struct blob *blob_ref(struct blob *blob);

/* A reference to the blob of these bytes. Returns 0, -ENOSPC or -ENOMEM. */
int blob_get(struct bodies *bodies, const void *bytes, size_t length, struct blob **ret);

void body_key_put(struct bodies *bodies, struct body_key *key);

/*
 * A reference to the body with this key. It takes over the key's references, even when it fails. 0, or as
 * blob_get().
 */
int body_get(struct bodies *bodies, struct body_key *key, struct body **ret);
void body_put(struct bodies *bodies, struct body *body);

/* From 1; 0 = unknown, as where it is 0 or less: no file has such a line. */
static inline int body_first_line(const struct body *body)
{
	return body->key.first_line > 0 ? body->key.first_line : 0;
}

/*
 * The line and column of an instruction, from memory or from the line table, which must be there. Where the
 * table has no line it is the first line, without a column. A large table is read once and then has an index.
 * If there is no room for that, the line is 0 and codes_stats.missing counts it.
 */
struct line_position body_position(struct bodies *bodies, struct body *body, __u32 instr_plus_one);

#endif

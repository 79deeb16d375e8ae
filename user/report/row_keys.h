/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * row_keys.h - which row of a table a frame, or the labels of a stack, belongs to.
 */
#ifndef PYPERF_REPORT_ROW_KEYS_H
#define PYPERF_REPORT_ROW_KEYS_H

#include <stdbool.h>
#include <linux/types.h>

#include "recorded/recorded.h"
#include "report/report_query.h"

/* What makes a row: two of equal keys are one. */
struct row_key {
	__u32 name, file; /* strings of recorded */
	__u32 kind;	  /* string: what the name names, as "python", "syscall", "process" */
	__u32 has_number;
	__s64 line;   /* of the file; of a function, where it begins; 0 = not known */
	__s64 number; /* a process or thread id, or the number that a label is */
};

struct row_keys {
	struct recorded *recorded; /* gets the names of packages */
	enum answer_by by;
	bool fold;		      /* what is not the program's own is a row for each package */
	__u32 label;		      /* string: the key of BY_LABEL and its like */
	__u32 comm, pid, tid, thread; /* strings: keys of our labels; 0 = the profile has none */
	struct interned keys;	      /* struct row_key */
	__u32 *of_place;	      /* by place id - 1: the row; 0 = not known yet */
};

/* label: of BY_LABEL. 0 or -ENOMEM; row_keys_free() it in both cases. */
int row_keys_open(struct row_keys *k, struct recorded *r, enum answer_by by, const char *label, bool fold);
void row_keys_free(struct row_keys *k);

/* The row of a key, but for its kind, which becomes this. */
int row_keys_add(struct row_keys *k, struct row_key *key, const char *kind, __u32 *ret);
/* The row of a frame. 0, -ENOMEM or -E2BIG. */
int row_keys_place(struct row_keys *k, __u32 place, __u32 *ret);
/* The row of a stack's labels; 0 = it has no such label. */
int row_keys_labels(struct row_keys *k, const struct recorded_stack *s, __u32 *ret);

static inline const struct row_key *row_keys_get(const struct row_keys *k, __u32 row)
{
	return interned_get(&k->keys, row, NULL);
}

/* The same for the same thing in any profile, to ask for it again. 16 hexadecimal digits. */
void row_keys_id(const struct recorded *r, const struct row_key *key, char ret[17]);
/* That of the function of a frame, as its row by functions has it. */
void row_keys_function_id(const struct recorded *r, __u32 place, char ret[17]);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * carried.h - the books of a pushed profile. A receiver merges profiles and keeps nothing of their comments;
 * what it keeps are samples, which it adds up. So the books are samples of a type of their own, each of a
 * frame that says what is counted, below the frame "[books]".
 */
#ifndef PYPERF_PROFILE_CARRIED_H
#define PYPERF_PROFILE_CARRIED_H

#include <stddef.h>
#include <linux/types.h>

#include "profile/full_tables.h"

struct profile_info;

#define CARRIED_TYPE	  "books" /* the sample type, of the unit "count" */
#define CARRIED_ROOT	  "[books]"
#define CARRIED_FULL	  "full "
#define CARRIED_RUN	  "run "
#define CARRIED_NAME_SIZE 64

enum carried_kind {
#define CARRIED(NAME, name, amount) CARRIED_##NAME,
#include "profile/carried.def"
#undef CARRIED
	CARRIED_KINDS
};

extern const char *const carried_names[CARRIED_KINDS];

#define CARRIED_MAX (CARRIED_KINDS + FULL_TABLES + 1)

struct carried {
	char name[CARRIED_NAME_SIZE];
	__u64 amount; /* > 0 */
};

/* Returns how many there are. */
size_t carried_list(const struct profile_info *info, struct carried ret[CARRIED_MAX]);

#endif

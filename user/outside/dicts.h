/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dicts.h - dicts of a live process: what they have for keys that are texts (3.8 to 3.15). Nothing read is
 * trusted.
 */
#ifndef PYPERF_OUTSIDE_DICTS_H
#define PYPERF_OUTSIDE_DICTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "outside/values.h"

#define DICTS_ALL   65536 /* entries that are looked at, at most */
#define DICTS_NAMES 8	  /* that can be asked for at once */

/*
 * Looks for these names among the first entries of a dict, so many at most. ret[i] becomes what it has for
 * the i-th name, and stays as it is if there is nothing. Whether all are there.
 */
bool dicts_find(struct values *o, __u64 dict, __u32 entries, const char *const *names, int count,
		__u64 *ret);
/*
 * Where a name stands in a table of keys that a class keeps for its instances; -1 if it has none, or if there
 * is no such table. *ret_name becomes the name's address.
 */
int dicts_shared_index(struct values *o, __u64 keys, const char *name, __u64 *ret_name);

#endif

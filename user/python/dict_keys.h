/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dict_keys.h - a dict's table of keys, by its header as it lies in memory: where the entries are. It is
 * Objects/dict-common.h up to 3.10, Include/internal/pycore_dict.h since.
 */
#ifndef PYPERF_PYTHON_DICT_KEYS_H
#define PYPERF_PYTHON_DICT_KEYS_H

#include <stdbool.h>
#include <linux/types.h>

#define DICT_KEYS_HEADER 5 /* words that are read: up to 3.10 all but the indices */

struct dict_keys {
	__u64 entries;	/* address of the first one */
	__u64 count;	/* of those that were used, some of which may have no key any more */
	__u64 size;	/* places of the hash table */
	__u32 words;	/* of an entry; the last two are its key and its value */
	bool is_shared; /* it can be a class's, whose instances have the values */
};

/* address: of the header. version: as of struct layout. 0, or -EBADMSG for what is no such table. */
int dict_keys_parse(__u32 version, const __u64 header[DICT_KEYS_HEADER], __u64 address,
		    struct dict_keys *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hash.h - uthash, as every table of this program uses it; nothing else includes <uthash.h>. Of uthash's own
 * ways two are changed:
 * - When memory is short it would end the program. Here an entry that could not be added has hh.tbl == NULL.
 *   Whoever adds an entry looks at that.
 * - Its hash has no key. Most of what is looked up here (names, paths, build ids) was chosen by a profiled
 *   process. It could prepare a million keys with one hash value, and every look-up would walk all of them.
 */
#ifndef PYPERF_BASE_HASH_H
#define PYPERF_BASE_HASH_H

#include <stddef.h>

#define HASH_NONFATAL_OOM	      1
#define HASH_FUNCTION(key, size, ret) ((ret) = hash_bytes(key, size))
#include <uthash.h>

/* SipHash-1-3 of these bytes with a key that each run draws anew; one key for all tables. */
unsigned int hash_bytes(const void *bytes, size_t size);

#endif

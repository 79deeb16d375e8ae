/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * siphash.h - SipHash-1-3 of Aumasson and Bernstein: a hash with a secret key. Who does not know the key
 * cannot choose bytes whose hashes collide. One round a word and three at the end are enough for hash tables
 * (CPython, Rust and the Linux kernel's hsiphash use the same).
 */
#ifndef PYPERF_BASE_SIPHASH_H
#define PYPERF_BASE_SIPHASH_H

#include <stddef.h>
#include <linux/types.h>

struct siphash_key {
	__u64 word[2];
};

/* The hash of `size` bytes, which need no alignment. All little-endian machines get an equal one. */
__u64 siphash(const struct siphash_key *key, const void *data, size_t size);

#endif

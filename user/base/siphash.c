// SPDX-License-Identifier: GPL-2.0-only
#include "base/siphash.h"

#include <string.h>

static __u64 rotate_left(__u64 x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void sip_round(__u64 v[4])
{
	v[0] += v[1];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[0] = rotate_left(v[0], 32);
	v[2] += v[3];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[2] = rotate_left(v[2], 32);
}

static inline void mix(__u64 v[4], __u64 word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

__u64 siphash(const struct siphash_key *key, const void *data, size_t size)
{
	/* The algorithm's constants: "somepseudorandomlygeneratedbytes". */
	__u64 v[4] = { key->word[0] ^ 0x736f6d6570736575, key->word[1] ^ 0x646f72616e646f6d,
		       key->word[0] ^ 0x6c7967656e657261, key->word[1] ^ 0x7465646279746573 };
	__u64 word, last = (__u64)size << 56;
	const char *at = data;
	size_t left = size;

	for (; left >= sizeof(word); at += sizeof(word), left -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		mix(v, word);
	}
	while (left--)
		last |= (__u64)(unsigned char)at[left] << (8 * left);
	mix(v, last);
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

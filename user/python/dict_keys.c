// SPDX-License-Identifier: GPL-2.0-only
#include "python/dict_keys.h"

#include <errno.h>

#include "bpf/abi/trace.h"

#define VERSION_3_11  0x030b0000
#define LOG2_SIZE_MAX 24
#define SIZE_OLD_MAX  (1 << 20)
#define KIND_SHARED   2 /* DICT_KEYS_SPLIT */

static bool is_power(__u64 n)
{
	return n && !(n & (n - 1));
}

static int parse_old(const __u64 *header, __u64 address, struct dict_keys *ret)
{
	const __u64 size = header[1], free = header[3], count = header[4];
	const __u64 index_bytes = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;

	if (!is_power(size) || size > SIZE_OLD_MAX || count > size)
		return -EBADMSG;
	*ret = (struct dict_keys){
		.entries = address + TRACE_KEYS_OLD + size * index_bytes,
		.count = count,
		.size = size,
		.words = 3,
		.is_shared = free + count <= size,
	};
	return 0;
}

static int parse_new(const __u64 *header, __u64 address, struct dict_keys *ret)
{
	const unsigned int log2_size = header[1] & 0xff, log2_index_bytes = header[1] >> 8 & 0xff;
	const unsigned int kind = header[1] >> 16 & 0xff;
	const __u64 count = header[3];

	if (log2_size > LOG2_SIZE_MAX || log2_index_bytes < log2_size || log2_index_bytes > log2_size + 3 ||
	    kind > KIND_SHARED || count > 1ULL << log2_size)
		return -EBADMSG;
	*ret = (struct dict_keys){
		.entries = address + TRACE_KEYS_NEW + (1ULL << log2_index_bytes),
		.count = count,
		.size = 1ULL << log2_size,
		.words = kind ? 2 : 3,
		.is_shared = kind == KIND_SHARED,
	};
	return 0;
}

int dict_keys_parse(__u32 version, const __u64 header[DICT_KEYS_HEADER], __u64 address, struct dict_keys *ret)
{
	return version < VERSION_3_11 ? parse_old(header, address, ret) : parse_new(header, address, ret);
}

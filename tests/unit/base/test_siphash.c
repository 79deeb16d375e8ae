// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/cleanup.h"
#include "base/siphash.h"
#include "tests/forge/test.h"

/*
 * The low halves of the hashes of "", 00, 00 01, 00 01 02 ... with the key 00 01 .. 0f, as in the Linux
 * kernel's lib/tests/siphash_kunit.c (hsiphash, 64 bits).
 */
static const __u32 of_the_kernel[] = {
	0x050fc4dc, 0x7d57ca93, 0x4dc7d44d, 0xe7ddf7fb, 0x88d38328, 0x49533b67, 0xc59f22a7, 0x9bb11140,
	0x8d299a8e,
	0x6c063de4, 0x92ff097f, 0xf94dc352, 0x57b4d9a2, 0x1229ffa7, 0xc0f95d34, 0x2a519956, 0x7d908b66,
};

TEST(as_the_kernel_has_it)
{
	const struct siphash_key key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
	__u8 bytes[ARRAY_SIZE(of_the_kernel)];

	for (size_t i = 0; i < ARRAY_SIZE(of_the_kernel); i++) {
		bytes[i] = i;
		assert_int_equal((__u32)siphash(&key, bytes, i), of_the_kernel[i]);
	}
}

/*
 * All 64 bits: hash(b'abc') and hash(b'hello world!!') of CPython 3.11 with PYTHONHASHSEED=0, which is the
 * key 0.
 */
TEST(as_python_has_it)
{
	const struct siphash_key zero = {};

	assert_true((__s64)siphash(&zero, "abc", 3) == -4594863902769663758);
	assert_true((__s64)siphash(&zero, "hello world!!", 13) == -8602798515680944651);
}

TEST(at_any_address)
{
	const struct siphash_key key = { { 1, 2 } };
	__u64 first;
	char bytes[64];

	memcpy(bytes, "fourteen bytes", 14);
	first = siphash(&key, bytes, 14);
	for (size_t i = 1; i < 8; i++) {
		memmove(bytes + i, bytes + i - 1, 14);
		assert_true(siphash(&key, bytes + i, 14) == first);
	}
}

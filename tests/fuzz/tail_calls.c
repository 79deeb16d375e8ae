// SPDX-License-Identifier: GPL-2.0-only
/*
 * tail_calls.c - code of any bytes, in a file that calls itself an interpreter. It lies across the place
 * where one piece that is read ends and the next begins.
 */
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/tail_calls.h"

const char *const fuzz_corpus = "tail_calls";

#define PIECE	  65536
#define PART_SIZE 8
#define PARTS	  (2 * PIECE / PART_SIZE)

/* All code as one segment, or as two whose addresses lie far apart. */
static struct code_loads loads_of(size_t size, bool both)
{
	struct code_loads all = { .list = { { 0x400000, 0, PIECE + size } }, .count = 1 };

	if (both) {
		all.list[0].size = PIECE;
		all.list[1] = (struct code_load){ 0x7fff00000000, PIECE, size };
		all.count = 2;
	}
	return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static __u32 parts[PARTS];
	static bool is[PARTS + 1];
	_cleanup_close_ int fd = memfd_create("tail_calls", MFD_CLOEXEC);
	const size_t before = PIECE - size / 2, rest = size - size / 2;
	const struct code_loads loads = loads_of(rest, size & 1);

	if (!size || size > PIECE)
		return 0;
	memset(is, 0, sizeof(is));
	for (__u32 i = 0; i < PARTS; i++)
		parts[i] = i * PART_SIZE;
	FUZZ_CHECK(fd >= 0 && pwrite(fd, data, size, before) == (ssize_t)size);
	FUZZ_CHECK(!tail_calls_find(fd, &loads, parts, PARTS, is));
	/* What is in front of the code has no jumps, and nothing is behind the last part. */
	FUZZ_CHECK(!is[0] || before < PART_SIZE);
	FUZZ_CHECK(!is[PARTS]);
	return 0;
}

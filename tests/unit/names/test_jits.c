// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_jits.c - memory with code that processes have made: positions that stay, and names that are renewed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "names/jits.h"
#include "proc/perf_map.h"
#include "tests/forge/test.h"

static struct jits *jits;

static int setup(void **state)
{
	(void)state;
	return jits_new(&jits);
}

static int teardown(void **state)
{
	(void)state;
	jits_free(jits);
	return 0;
}

static int name(__u32 process, const char *text)
{
	_cleanup_close_ int fd = memfd_create("map", MFD_CLOEXEC);
	_cleanup_buf_ struct buf b = { 0 };

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(perf_map_read(fd, &b), 0);
	return jits_names(jits, process, b.data, b.size);
}

static __u64 region(__u32 process, __u64 start, __u64 end)
{
	__u64 position = 0;

	assert_int_equal(jits_region(jits, process, process, start, end, &position), 0);
	return position;
}

TEST(names_are_of_a_process)
{
	__u64 a, b, c;

	a = region(1, 0x1000, 0x3000);
	b = region(2, 0x1000, 0x3000);
	c = region(1, 0x9000, 0xa000);
	assert_int_equal(a, TEXT_JITS);
	assert_true(b >= a + 0x2000 && c >= b + 0x2000);
	assert_int_equal(region(1, 0x1000, 0x3000), a);
	assert_string_equal(jits_find(jits, a), "");
	assert_int_equal(name(1, "1000 10 first\n9000 10 second\n"), 0);
	assert_string_equal(jits_find(jits, a + 0xf), "first");
	assert_string_equal(jits_find(jits, a + 0x10), "");
	assert_string_equal(jits_find(jits, c), "second");
	assert_string_equal(jits_find(jits, b), "");
	assert_int_equal(name(1, "1000 10 renewed\n"), 0);
	assert_string_equal(jits_find(jits, a), "renewed");
	assert_string_equal(jits_find(jits, c), "");
	assert_null(jits_find(jits, TEXT_JITS - 1));
	assert_null(jits_find(jits, c + 0x1000));
}

TEST(hostile_names)
{
	__u64 a = region(1, 0x1000, 0x2000);

	assert_int_equal(name(1, "1000 10 kept\n"), 0);
	assert_int_equal(jits_names(jits, 1, "12345678", 8), -EBADMSG);
	assert_int_equal(jits_names(jits, 1, "", 0), -EBADMSG);
	assert_string_equal(jits_find(jits, a), "kept");
}

TEST(bounds)
{
	_cleanup_free_ char *large = calloc(1, JITS_BYTES_MAX + 1);
	__u64 position;

	assert_int_equal(jits_names(jits, 1, large, 1), -ENOENT); /* it has no region */
	region(1, 0x1000, 0x2000);
	assert_int_equal(jits_names(jits, 1, large, JITS_BYTES_MAX + 1), -ENOSPC);
	assert_int_equal(jits_region(jits, 1, 1, 0, (1ULL << 32) + 1, &position), -EFBIG);
	for (__u32 i = 2; i < JITS_REGIONS_MAX; i++)
		region(i, 0x1000, 0x2000);
	assert_int_equal(jits_region(jits, 1, 1, 0x5000, 0x6000, &position), -ENOSPC);
	region(7, 0x1000, 0x2000);
}

/* Each region here is of a process of user 1, and of another one for others. */
TEST(one_user_leaves_room)
{
	_cleanup_free_ char *large = calloc(1, JITS_BYTES_MAX);
	__u64 position;
	__u32 i = 0;

	while (!jits_region(jits, 100 + i, 1, 0x1000, 0x2000, &position))
		i++;
	assert_int_equal(i, JITS_REGIONS_MAX / 2);
	assert_int_equal(jits_region(jits, 7, 2, 0x1000, 0x2000, &position), 0);
	assert_int_equal(jits_names(jits, 100, large, JITS_BYTES_MAX / 2 + 1), -ENOSPC);
	/* As to its size it may. */
	assert_int_equal(jits_names(jits, 100, large, JITS_BYTES_MAX / 2), -EBADMSG);
}

/* A bank of the call tree was cleared, and nobody had a region mapped but perhaps this one. */
static __u32 bank_cleared(__u32 turn, __u64 in_use)
{
	jits_begin_look(jits);
	if (in_use)
		jits_see(jits, in_use + 17);
	jits_end_look(jits, turn);
	return jits_give_back(jits, turn + 1);
}

/* Far more regions than there is room for, and more names, of processes that come and go. */
TEST(given_back)
{
	const __u64 kept = region(1, 0x1000, 0x3000);
	__u32 turn = 1;
	__u64 gone;

	assert_int_equal(name(1, "1000 10 kept\n"), 0);
	for (__u32 i = 2; i < 5 * JITS_REGIONS_MAX; i += 1000) {
		for (__u32 j = 0; j < 1000; j++)
			gone = region(i + j, 0x1000, 0x2000);
		assert_int_equal(name(i + 999, "1000 10 gone\n"), 0);
		bank_cleared(turn++, kept);
		assert_string_equal(jits_find(jits, gone), "gone");
		assert_int_equal(bank_cleared(turn++, kept), 1000);
		assert_null(jits_find(jits, gone));
		assert_int_equal(name(i + 999, "1000 10 late\n"), -ENOENT); /* an answer that is late */
	}
	assert_string_equal(jits_find(jits, kept), "kept");
	assert_int_equal(jits_refused(jits), 0);
}

/* Names are kept as long as a region of their process is. */
TEST(one_of_two_regions)
{
	const __u64 a = region(1, 0x1000, 0x3000), b = region(1, 0x5000, 0x6000);

	assert_int_equal(name(1, "1000 10 first\n5000 10 second\n"), 0);
	bank_cleared(1, b);
	assert_int_equal(bank_cleared(2, b), 1);
	assert_null(jits_find(jits, a));
	assert_string_equal(jits_find(jits, b), "second");
	bank_cleared(3, 0);
	assert_int_equal(bank_cleared(4, 0), 1);
	assert_true(jits_fullness(jits) == 0);
}

AROUND_EACH(setup, teardown);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_jits.c - memory with code that processes have made: positions that stay, and names that are renewed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "names/jits.h"
#include "proc/perf_map.h"

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

	assert_int_equal(jits_region(jits, process, start, end, &position), 0);
	return position;
}

static void names_are_of_a_process(void **state)
{
	__u64 a, b, c;

	(void)state;
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

static void hostile_names(void **state)
{
	__u64 a = region(1, 0x1000, 0x2000);

	(void)state;
	assert_int_equal(name(1, "1000 10 kept\n"), 0);
	assert_int_equal(jits_names(jits, 1, "12345678", 8), -EBADMSG);
	assert_int_equal(jits_names(jits, 1, "", 0), -EBADMSG);
	assert_string_equal(jits_find(jits, a), "kept");
}

static void bounds(void **state)
{
	_cleanup_free_ char *large = calloc(1, JITS_BYTES_MAX + 1);
	__u64 position;

	(void)state;
	assert_int_equal(jits_names(jits, 1, large, JITS_BYTES_MAX + 1), -ENOSPC);
	assert_int_equal(jits_region(jits, 1, 0, (1ULL << 32) + 1, &position), -ENOSPC);
	for (__u32 i = 0; i < JITS_REGIONS_MAX; i++)
		region(i, 0x1000, 0x2000);
	assert_int_equal(jits_region(jits, 1, 0x5000, 0x6000, &position), -ENOSPC);
	region(7, 0x1000, 0x2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_are_of_a_process, setup, teardown),
		cmocka_unit_test_setup_teardown(hostile_names, setup, teardown),
		cmocka_unit_test_setup_teardown(bounds, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_function_names.c - one by one, all functions of this very program have the names that they have when
 * they are read at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/function_names.h"
#include "elf/functions.h"
#include "tests/forge/test.h"

static int fd = -1;

static int setup_group(void **state)
{
	(void)state;
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	return fd < 0;
}

/* Compares `count` parts, from the last to the first, and adds up how many have a name. */
static __u32 compare(const struct functions *all, __u32 first, __u32 count)
{
	__u32 offsets[SOURCE_ASKED_MAX], named = 0;
	_cleanup_buf_ struct buf bytes = { 0 };
	struct source one_by_one;

	for (__u32 i = 0; i < count; i++)
		offsets[count - 1 - i] = all->list[first + i].offset + i % 2;
	assert_int_equal(function_names_read(fd, -1, offsets, count, &bytes), 0);
	assert_int_equal(source_parse(bytes.data, bytes.size, &one_by_one), 0);
	assert_int_equal(one_by_one.count, count);
	for (__u32 i = 0; i < count; i++) {
		const struct source_place *p = &one_by_one.places[i];
		const struct function *f = functions_find(all, offsets[i]);
		const char *name = p->count ? one_by_one.strings + p->frames[0].name : "";

		assert_int_equal(p->offset, offsets[i]);
		assert_string_equal(name, f ? all->names + f->name : "");
		named += *name != 0;
	}
	return named;
}

TEST(same_names)
{
	_cleanup_buf_ struct buf bytes = { 0 };
	struct functions all;
	__u32 named = 0;

	assert_int_equal(functions_read(fd, -1, &bytes), 0);
	assert_int_equal(functions_parse(bytes.data, bytes.size, &all), 0);
	assert_false(all.names_apart);
	for (__u32 first = 0; first < all.count; first += SOURCE_ASKED_MAX)
		named += compare(&all, first,
				 all.count - first < SOURCE_ASKED_MAX ? all.count - first : SOURCE_ASKED_MAX);
	assert_true(named > 20);
}

TEST(what_cannot_be_asked)
{
	_cleanup_close_ int text = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	const __u32 offsets[SOURCE_ASKED_MAX + 1] = { 0 };
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(function_names_read(fd, -1, offsets, 0, &out), -EINVAL);
	assert_int_equal(function_names_read(fd, -1, offsets, SOURCE_ASKED_MAX + 1, &out), -EINVAL);
	assert_int_equal(function_names_read(text, -1, offsets, 1, &out), -ENOEXEC);
	assert_int_equal(out.size, 0);
}

AROUND_ALL(setup_group, NULL);

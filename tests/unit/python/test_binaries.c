// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_binaries.c - what is remembered of files: each is read once until it changes, and the table does not
 * grow for ever. It includes binaries.c itself, to see how many there are.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/python/binaries.c"

#include "tests/forge/test.h"
#include "tests/unit/elf/forge_elf.h"

static char folder[] = "/tmp/pyperf-binaries.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static int forget_all(void **state)
{
	(void)state;
	while (binaries)
		forget_oldest();
	return 0;
}

static const char *path_of(int number)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d", folder, number);
	return path;
}

static void write_file(int number, const void *bytes, size_t size)
{
	FILE *f = fopen(path_of(number), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void write_python(int number, __u32 version)
{
	static struct forge f;

	forge_python(&f, version);
	write_file(number, f.bytes, FORGE_SIZE);
}

/* As if this process had mapped the file. */
static int get(int number, const struct image **ret)
{
	struct procfs_map map = { .start = 0x1000, .end = 0x2000 };
	struct stat stat;

	snprintf(map.path, sizeof(map.path), "%s", path_of(number));
	assert_int_equal(lstat(map.path, &stat), 0);
	map.device = stat.st_dev;
	map.inode = stat.st_ino;
	return binaries_get(getpid(), &map, ret);
}

TEST(reads_a_file_once)
{
	const struct image *first = NULL, *again = NULL, *none = (void *)1;

	write_python(0, 0x030c01f0);
	write_file(1, "no ELF", 6);
	assert_int_equal(get(0, &first), 0);
	assert_non_null(first);
	assert_int_equal(first->version, 0x030c01f0);
	assert_int_equal(get(1, &none), 0);
	assert_null(none);
	assert_int_equal(HASH_COUNT(binaries), 2);
	assert_int_equal(get(0, &again), 0);
	assert_ptr_equal(again, first);
	assert_int_equal(HASH_COUNT(binaries), 2);
	unlink(path_of(0));
	unlink(path_of(1));
}

/* The same inode with another size or another time is another file. */
TEST(reads_it_again_when_it_changes)
{
	static const struct timespec times[2] = { { 1, 5 }, { 1, 5 } }, later[2] = { { 1, 5 }, { 1, 6 } };
	const struct image *image = NULL;

	write_python(0, 0x030c01f0);
	assert_int_equal(utimensat(AT_FDCWD, path_of(0), times, 0), 0);
	assert_int_equal(get(0, &image), 0);
	write_python(0, 0x030d00f0);
	assert_int_equal(utimensat(AT_FDCWD, path_of(0), later, 0), 0);
	assert_int_equal(get(0, &image), 0);
	assert_int_equal(image->version, 0x030d00f0);
	assert_int_equal(truncate(path_of(0), 10), 0);
	assert_int_equal(utimensat(AT_FDCWD, path_of(0), later, 0), 0);
	assert_int_equal(get(0, &image), 0);
	assert_null(image);
	assert_int_equal(HASH_COUNT(binaries), 3);
	unlink(path_of(0));
}

static unsigned int bad_reads, reads;

/* libelf's answer when memory is short, or a read fails. */
static int read_badly(int fd, struct image *ret)
{
	return reads++ < bad_reads ? -EBADMSG : image_read(fd, ret);
}

/* What seems to be broken may not be: it is read again, but not for ever. */
TEST(reads_a_broken_file_a_few_times)
{
	const struct image *image = NULL;

	write_python(0, 0x030c01f0);
	binaries_read_by(read_badly);
	bad_reads = 2;
	assert_int_equal(get(0, &image), -EBADMSG);
	assert_int_equal(get(0, &image), -EBADMSG);
	assert_int_equal(get(0, &image), 0);
	assert_int_equal(image->version, 0x030c01f0);
	assert_int_equal(get(0, &image), 0);
	assert_int_equal(reads, 3);
	forget_all(NULL);
	bad_reads = -1;
	for (int i = 0; i < 2 * BROKEN_TIMES; i++)
		assert_int_equal(get(0, &image), -EBADMSG);
	assert_int_equal(reads, 3 + BROKEN_TIMES);
	assert_int_equal(HASH_COUNT(binaries), 1);
	binaries_read_by(image_read);
	unlink(path_of(0));
}

TEST(a_file_that_is_gone)
{
	struct procfs_map map = {
		.start = 0x1000, .end = 0x2000, .inode = 12345, .path = "/tmp/pyperf-no-such-file"
	};
	const struct image *image = (void *)1;

	assert_true(binaries_get(getpid(), &map, &image) < 0);
	assert_ptr_equal(image, (void *)1);
	assert_int_equal(HASH_COUNT(binaries), 0);
}

/* The one that was asked for longest ago goes first. */
TEST(bounded)
{
	const struct image *first = NULL, *image;

	write_python(0, 0x030c01f0);
	assert_int_equal(get(0, &first), 0);
	for (int i = 1; i < BINARIES_MAX + 10; i++) {
		write_file(i, "", 0);
		assert_int_equal(get(i, &image), 0);
		assert_null(image);
		if (i % 1000)
			continue;
		assert_int_equal(get(0, &image), 0);
		assert_ptr_equal(image, first);
	}
	assert_int_equal(HASH_COUNT(binaries), BINARIES_MAX);
	assert_int_equal(get(0, &image), 0);
	assert_ptr_equal(image, first);
	for (int i = 0; i < BINARIES_MAX + 10; i++)
		unlink(path_of(i));
}

BY_ITSELF("it includes what it tests");
AROUND_EACH(NULL, forget_all);
AROUND_ALL(make_folder, remove_folder);

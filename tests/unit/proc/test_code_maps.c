// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/code_maps.h"
#include "proc/owner.h"
#include "tests/forge/test.h"

/* In pages, as the kernel counts them: both fields of /proc/self/status together are mm->exec_vm. */
static size_t exec_pages(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	unsigned long exe = 0, lib = 0, n;
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "VmExe: %lu", &n) == 1)
			exe = n;
		else if (sscanf(line, "VmLib: %lu", &n) == 1)
			lib = n;
	}
	return (exe + lib) / 4;
}

/* The pages of all mappings in the bytes; the one that holds the address is in *ret, if it is not NULL. */
static size_t pages_of(const struct buf *b, const void *address, struct code_map *ret)
{
	struct code_map map;
	size_t at = 0, pages = 0;
	int more;

	while ((more = code_maps_next(b->data, b->size, &at, &map)) > 0) {
		pages += map.is_writable ? 0 : (map.end - map.start) / 4096;
		if (ret && (__u64)address >= map.start && (__u64)address < map.end)
			*ret = map;
	}
	assert_int_equal(more, 0);
	return pages;
}

TEST(of_this_process)
{
	_cleanup_buf_ struct buf b = { 0 };
	struct code_map own = { 0 };
	struct code_file file;
	struct stat st;

	assert_int_equal(code_maps_read(getpid(), &b), 0);
	assert_int_equal(pages_of(&b, (const void *)of_this_process, &own), exec_pages());
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	file = code_file_of(&st);
	assert_memory_equal(&own.file, &file, sizeof(file));
	assert_string_equal(strrchr(own.path, '/') + 1, program_invocation_short_name);
	assert_int_equal(own.owner, owner_of_user(getuid()));
}

static void expect_no_file(int flags)
{
	_cleanup_buf_ struct buf b = { 0 }, after = { 0 };
	struct code_map own = { 0 };
	void *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC, flags | MAP_ANONYMOUS, -1, 0);

	assert_true(code != MAP_FAILED);
	assert_int_equal(code_maps_read(getpid(), &b), 0);
	assert_int_equal(pages_of(&b, code, &own), exec_pages());
	assert_string_equal(own.path, "");
	assert_true(own.is_memory);
	assert_int_equal(own.file.size, 0);
	/* What can be written as well is not counted by the kernel either. */
	assert_int_equal(mprotect(code, 8192, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	assert_int_equal(code_maps_read(getpid(), &after), 0);
	assert_int_equal(pages_of(&after, code, &own), exec_pages());
	assert_true(own.is_memory && own.is_writable);
	assert_ptr_equal(own.start, code);
	munmap(code, 8192);
}

TEST(memory_of_no_file)
{
	expect_no_file(MAP_PRIVATE);
}

/* The kernel lists it as "/dev/zero (deleted)", which no perf map is about. */
TEST(shared_memory_of_no_file)
{
	expect_no_file(MAP_SHARED);
}

/* The names of what is there. */
TEST(with_a_perf_map)
{
	void *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	_cleanup_buf_ struct buf b = { 0 };
	struct code_map own = { 0 };
	struct code_file file;
	struct stat st;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	fd = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "1000 10 f\n", 10), 10);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_int_equal(code_maps_read(getpid(), &b), 0);
	unlink(path);
	pages_of(&b, code, &own);
	file = code_file_of(&st);
	assert_memory_equal(&own.file, &file, sizeof(file));
	assert_true(own.is_memory);
	pages_of(&b, (const void *)with_a_perf_map, &own);
	assert_false(own.is_memory);
	munmap(code, 8192);
}

TEST(nobody)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert_int_equal(code_maps_read(INT_MAX, &b), -ESRCH);
	assert_int_equal(b.size, 0);
}

static void expect_refused(const struct buf *b, size_t size)
{
	struct code_map map;
	size_t at = 0;
	int more = 1;

	while (more > 0)
		more = code_maps_next(b->data, size, &at, &map);
	assert_int_equal(more, -EBADMSG);
}

TEST(bytes_that_lie)
{
	_cleanup_buf_ struct buf b = { 0 };
	__u64 *first, end;

	assert_int_equal(code_maps_read(getpid(), &b), 0);
	first = (__u64 *)b.data;
	expect_refused(&b, b.size - 1);
	expect_refused(&b, 5);
	end = first[1];
	first[1] = first[0]; /* empty */
	expect_refused(&b, b.size);
	first[1] = ~0ULL; /* over the next one */
	expect_refused(&b, b.size);
	first[1] = end;
	b.data[b.size - 1] = 'x'; /* a path without an end */
	expect_refused(&b, b.size);
}

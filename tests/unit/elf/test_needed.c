// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_needed.c - which libraries a program needs: this very one, and copies of it that are cut short or lie.
 */
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/forge/test.h"
#include "base/cleanup.h"
#include "elf/file.h"
#include "elf/image.h"
#include "elf/needed.h"

static Elf64_Ehdr header;
static struct image image;
static int self = -1;

static int setup(void **state)
{
	(void)state;
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(self >= 0);
	assert_int_equal(elf_file_header(self, &header), 0);
	assert_int_equal(image_read(self, &image), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(self);
	return 0;
}

/* A copy of this program, of so many bytes at most. */
static int copy_self(size_t most)
{
	char name[] = "/tmp/test_needed.XXXXXX", bytes[65536];
	int fd = mkstemp(name);
	ssize_t n;

	assert_true(fd >= 0);
	unlink(name);
	for (size_t at = 0; at < most && (n = pread(self, bytes, sizeof(bytes), at)) > 0; at += n)
		assert_int_equal(pwrite(fd, bytes, n, at), n);
	assert_int_equal(ftruncate(fd, most), 0);
	return fd;
}

AROUND_ALL(setup, teardown);

TEST(what_this_test_needs)
{
	assert_true(needed_has(self, &header, &image, "libc."));
	assert_true(needed_has(self, &header, &image, "libcmocka"));
	assert_false(needed_has(self, &header, &image, "libpython"));
	assert_false(image.needs_python);
}

/* Without a segment that names the loader it is a library. */
TEST(libraries_are_no_programs)
{
	_cleanup_close_ int fd = copy_self(1 << 26);
	Elf64_Phdr ph;

	assert_true(needed_by_program(fd, &header, &image, "libc."));
	assert_false(needed_by_program(fd, &header, &image, "libpython"));
	for (int i = 0; i < header.e_phnum; i++) {
		const __u64 at = header.e_phoff + i * sizeof(ph);

		assert_int_equal(elf_file_read(fd, &ph, sizeof(ph), at), 0);
		if (ph.p_type != PT_INTERP)
			continue;
		ph.p_type = PT_NULL;
		assert_int_equal(pwrite(fd, &ph, sizeof(ph), at), sizeof(ph));
	}
	assert_true(needed_has(fd, &header, &image, "libc."));
	assert_false(needed_by_program(fd, &header, &image, "libc."));
}

TEST(without_a_dynamic_section)
{
	Elf64_Ehdr none = header;

	none.e_phnum = 0;
	assert_false(needed_has(self, &none, &image, "libc."));
}

/* Wherever it ends, nothing is read that is not there. */
TEST(cut_short)
{
	for (size_t size = 0; size < 1 << 16; size += 4096) {
		_cleanup_close_ int fd = copy_self(size);

		needed_has(fd, &header, &image, "libc.");
	}
}

TEST(names_that_are_elsewhere)
{
	_cleanup_close_ int fd = copy_self(1 << 26);
	Elf64_Phdr ph;
	Elf64_Dyn entry;

	assert_true(needed_has(fd, &header, &image, "libc."));
	for (int i = 0; i < header.e_phnum; i++) {
		assert_int_equal(elf_file_read(fd, &ph, sizeof(ph), header.e_phoff + i * sizeof(ph)), 0);
		if (ph.p_type == PT_DYNAMIC)
			break;
	}
	for (__u64 at = ph.p_offset; at < ph.p_offset + ph.p_filesz; at += sizeof(entry)) {
		assert_int_equal(elf_file_read(fd, &entry, sizeof(entry), at), 0);
		if (entry.d_tag != DT_NEEDED)
			continue;
		entry.d_un.d_val = UINT64_MAX - 2;
		assert_int_equal(pwrite(fd, &entry, sizeof(entry), at), sizeof(entry));
	}
	assert_false(needed_has(fd, &header, &image, "libc."));
}

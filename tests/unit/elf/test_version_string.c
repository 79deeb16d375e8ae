// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_version_string.c - the version of an interpreter from its strings: whatever is not certain is not
 * taken.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "elf/image.h"
#include "elf/version_string.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_elf.h"

static struct forge f;

static int find(__u32 *ret)
{
	_cleanup_close_ int fd = forge_write(&f, FORGE_SIZE);
	struct image image;

	assert_int_equal(image_read(fd, &image), 0);
	return version_string_find(fd, &image, ret);
}

/* The version that these two strings make, 0 if none. */
static __u32 version_of(const char *tag, const char *string)
{
	__u32 version = 77;
	int r;

	forge_old_python(&f, tag, string);
	r = find(&version);
	assert_true(r ? r == -ENOENT && version == 77 : version != 77);
	return r ? 0 : version;
}

TEST(each_form)
{
	assert_int_equal(version_of("cpython-310", "3.10.13"), 0x030a0df0);
	assert_int_equal(version_of("cpython-37", "3.7.0"), 0x030700f0);
	assert_int_equal(version_of("cpython-36", "3.6.15"), 0x03060ff0);
	assert_int_equal(version_of("cpython-39", "3.9.18+"), 0x030912f0);
	assert_int_equal(version_of("cpython-39", "3.9.0a6+"), 0x030900a6);
	assert_int_equal(version_of("cpython-310", "3.10.0b4"), 0x030a00b4);
	assert_int_equal(version_of("cpython-38", "3.8.0rc1"), 0x030800c1);
	/* As the end of a longer string, however long. */
	assert_int_equal(version_of("cpython-310", "/opt/python/3.10.13"), 0x030a0df0);
	assert_int_equal(version_of("cpython-310", "/home/somebody/.pyenv/versions/python-3.10.13"),
			 0x030a0df0);
}

TEST(not_a_version)
{
	static const char *const strings[] = { "",	     "3.10",	 "3.10.",     "3.10.013", "3.10.130",
					       "13.10.13",   "3.3.10.1", "3.10.13.1", "3.10.13 ", "3.10.13x",
					       "3.10.1rc",   "3.10.1c1", "3.10.1a16", "3.10.1++", "3.9.13",
					       "3.11.2",     "2.7.18",	 "03.10.13.", "3..13",	  "3.10.-1",
					       "cpython-310" };

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		assert_int_equal(version_of("cpython-310", strings[i]), 0);
	assert_int_equal(version_of("cpython-311", "3.10.13"), 0);
	assert_int_equal(version_of("cpython-3", "3.10.13"), 0);
	assert_int_equal(version_of("cpython-310-x86_64", "3.10.13"), 0);
	assert_int_equal(version_of("xcpython-310", "3.10.13"), 0);
	assert_int_equal(version_of("", "3.10.13"), 0);
}

TEST(python_2)
{
	static const char *const others[] = { "2.6.9",	 "2.8.0",    "3.7.16",	"2.7", "2.7.018",
					      "12.7.18", "1.2.7.18", "2.7.18x", "" };
	__u32 version = 0;

	forge_old_python(&f, "", "2.7.18");
	assert_int_equal(find(&version), 0);
	assert_int_equal(version, 0x020712f0);
	forge_string(&f, 128, "/opt/python-2.7.18");
	forge_string(&f, 160, "3.7.16");
	assert_int_equal(find(&version), 0);
	forge_string(&f, 128, "/opt/python-2.7.17");
	assert_int_equal(find(&version), -ENOENT);
	forge_old_python(&f, "", "2.7.18rc1");
	assert_int_equal(find(&version), 0);
	assert_int_equal(version, 0x020712c1);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		forge_old_python(&f, "", others[i]);
		assert_int_equal(find(&version), -ENOENT);
	}
	/* What it has of 3 makes it uncertain, and without those classes it is none. */
	forge_old_python(&f, "", "2.7.18");
	forge_string(&f, 128, "cpython-37");
	assert_int_equal(find(&version), -ENOENT);
	forge_old_python(&f, "", "2.7.18");
	*(char *)memmem(f.bytes, FORGE_SIZE, "PyClass_Type", 12) = 'x';
	assert_int_equal(find(&version), -ENOENT);
}

/* Others' versions do not matter, but two of the tag's minor version that differ do, and so do two tags. */
TEST(ambiguous)
{
	__u32 version;

	forge_old_python(&f, "cpython-310", "3.10.13");
	forge_string(&f, 128, "3.0.15");
	forge_string(&f, 160, "3.9.2");
	forge_string(&f, 192, "/usr/3.10.13");
	forge_string(&f, 224, "cpython-310");
	assert_int_equal(find(&version), 0);
	assert_int_equal(version, 0x030a0df0);
	forge_string(&f, 192, "/usr/3.10.12");
	assert_int_equal(find(&version), -ENOENT);
	forge_old_python(&f, "cpython-310", "3.10.13");
	forge_string(&f, 128, "cpython-39");
	forge_string(&f, 160, "3.9.2");
	assert_int_equal(find(&version), -ENOENT);
}

/* What is in a writable segment is not taken; what is cut off by the end of the segment is no string. */
TEST(where_it_is)
{
	__u32 version;

	forge_old_python(&f, "cpython-310", "3.10.13");
	memmove(f.bytes + FORGE_DATA, f.bytes + FORGE_TEXTS + 65, 8);
	memset(f.bytes + FORGE_TEXTS + 65, 0, 8);
	assert_int_equal(find(&version), -ENOENT);
	forge_old_python(&f, "cpython-310", "x");
	memcpy(f.bytes + FORGE_TEXT + 0x1000 - 8, "3.10.13", 8);
	assert_int_equal(find(&version), 0);
	f.bytes[FORGE_TEXT + 0x1000 - 1] = '1';
	assert_int_equal(find(&version), -ENOENT);
	/* A file that is shorter than it says. */
	forge_old_python(&f, "cpython-310", "3.10.13");
	forge_segment(&f, 0)->p_filesz = forge_segment(&f, 0)->p_memsz = 1 << 20;
	assert_int_equal(find(&version), -ENOENT);
}

/* At every place of a segment that is read in several blocks. */
TEST(at_every_place)
{
	static const size_t size = 3 * (64 << 10), places[] = { 64 << 10, (64 << 10) - 24, (128 << 10) - 48 };
	struct image image = { .load_count = 1, .load = { { .file_size = size, .memory_size = size } } };
	_cleanup_free_ char *bytes = calloc(1, size);

	assert_non_null(bytes);
	strcpy(bytes + 100, "cpython-38");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		for (size_t at = places[i] - 30; at < places[i] + 30; at++) {
			_cleanup_close_ int fd = memfd_create("segment", MFD_CLOEXEC);
			__u32 version = 0;

			strcpy(bytes + at, "/opt/3.8.18");
			assert_int_equal(write(fd, bytes, size), size);
			assert_int_equal(version_string_find(fd, &image, &version), 0);
			assert_int_equal(version, 0x030812f0);
			memset(bytes + at, 0, 12);
		}
	}
}

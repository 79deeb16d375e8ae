// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_file.c - lines of a file: what is a key, a value, a comment, and no line at all; who reads it may
 * refuse a key.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "options/options.h"
#include "options/file.h"

static char path[] = "/tmp/test_options_file.XXXXXX";
static char seen[256];

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/test_options_file.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static int see(void *context, const char *key, const char *value, int line, char *reason, size_t size)
{
	char text[64];

	assert_ptr_equal(context, seen);
	if (!strcmp(key, "bad"))
		return options_fail(reason, size, "%s is not wanted", value);
	snprintf(text, sizeof(text), "%d:%s=%s;", line, key, value);
	strcat(seen, text);
	return 0;
}

static int read_text(const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	fclose(f);
	seen[0] = '\0';
	strcpy(error, "untouched");
	return options_file_read(path, see, seen, error, sizeof(error));
}

static void sees(const char *text, const char *wanted)
{
	assert_int_equal(read_text(text, strlen(text)), 0);
	assert_string_equal(seen, wanted);
	assert_string_equal(error, "untouched");
}

TEST(keys_and_values)
{
	sees("", "");
	sees("\n \n\t\n", "");
	sees("a=1\nb = 2\n\tc\t=\t3 \r\n", "1:a=1;2:b=2;3:c=3;");
	sees("a = b = c\n", "1:a=b = c;"); /* the first one ends the key */
	sees("a =\n= b\n", "1:a=;2:=b;");  /* whoever reads it knows the keys */
	sees("a = 1", "1:a=1;");
}

TEST(comments)
{
	sees("# a = 1\n   # b = 2\nc = 3 # d\ne = 4\t#f\n", "3:c=3;4:e=4;");
	sees("a = 1#2\n", "1:a=1#2;");
	sees("a = #\n", "1:a=;");
}

static void refuse_text(const char *text, size_t size, int line, const char *reason)
{
	char wanted[128];

	assert_int_equal(read_text(text, size), -EINVAL);
	snprintf(wanted, sizeof(wanted), "%s:%d: %s", path, line, reason);
	assert_string_equal(error, wanted);
}

TEST(what_is_wrong_and_where)
{
	static char longest[70000];

	refuse_text("a = 1\nb\n", 8, 2, "'b' is not 'key = value'");
	refuse_text("\nbad = this\na = 1\n", 18, 2, "this is not wanted");
	assert_string_equal(seen, "");
	refuse_text("a = 1\0\n", 7, 1, "this is not a line of text");
	memset(longest, 'x', sizeof(longest));
	refuse_text(longest, sizeof(longest), 1, "this is not a line of text");
}

TEST(no_file)
{
	assert_int_equal(options_file_read("/nowhere", see, seen, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "/nowhere: No such file or directory");
	assert_int_equal(options_file_read("/dev/zero", see, seen, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "/dev/zero: not a file");
}

AROUND_EACH(setup, teardown);

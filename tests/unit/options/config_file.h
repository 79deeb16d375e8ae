/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config_file.h - a config file of the test's own, for tests of options that are read from one.
 */
#ifndef PYPERF_TESTS_CONFIG_FILE_H
#define PYPERF_TESTS_CONFIG_FILE_H

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/options/parse_line.h"

static char path[] = "/tmp/test_options_file.XXXXXX";

static inline int make_file(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/test_options_file.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static inline int remove_file(void **state)
{
	free_options(state);
	return unlink(path);
}

static inline void write_bytes(const char *text, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
}

static inline void put(const char *text)
{
	write_bytes(text, strlen(text));
}

#endif

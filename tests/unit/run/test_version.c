// SPDX-License-Identifier: GPL-2.0-only
/* test_version.c - what --version says: the version first, and a line for each part. */
#include <stdlib.h>
#include <string.h>

#include "run/version.h"
#include "tests/forge/test.h"

TEST(what_it_says)
{
	static const char *const lines[] = { "\ncommit: 1234abcd\n", "\nbuilt for: ", "\nlibbpf: 1.",
					     "\npush and kubelet: libcurl/" };
	char *said = NULL;
	size_t size;
	FILE *f = open_memstream(&said, &size);

	version_print(f, "1234abcd");
	fclose(f);
	assert_ptr_equal(strstr(said, "pyperf-bpf " PYPERF_VERSION "\n"), said);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_non_null(strstr(said, lines[i]));
	free(said);
}

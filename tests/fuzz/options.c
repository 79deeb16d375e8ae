// SPDX-License-Identifier: GPL-2.0-only
/*
 * options.c - a file of options. Its author is trusted, but makes mistakes: each is told in one line.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options/options.h"

const char *const fuzz_corpus = "options";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("options", MFD_CLOEXEC), result;
	char path[64], program[] = "pyperf-bpf", config[] = "--config";
	char *arguments[] = { program, config, path, NULL };
	char error[256] = "";
	struct options o;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = options_parse(&o, 3, arguments, error, sizeof(error));
	FUZZ_CHECK(!result || result == -EINVAL || result == -ENOMEM);
	FUZZ_ENDS(error);
	FUZZ_CHECK(!result == !*error && !strchr(error, '\n'));
	options_free(&o);
	close(fd);
	return 0;
}

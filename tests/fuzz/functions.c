// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - the functions of ELF files, which any user may write and map; and the bytes that a worker,
 * which such a file has taken over, could send.
 */
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "elf/eh_frame.h"
#include "elf/function_names.h"
#include "elf/functions.h"

const char *const fuzz_corpus = "functions";

static void check_parts(const struct functions *f)
{
	FUZZ_CHECK(!functions_find(f, f->end));
	for (__u32 i = 0; i < f->count; i++) {
		FUZZ_CHECK(functions_find(f, f->list[i].offset) == &f->list[i]);
		FUZZ_CHECK(strlen(f->names + f->list[i].name) < FUNCTIONS_NAMES_MAX);
	}
}

static int on_function(void *context, const struct eh_function *f)
{
	FUZZ_CHECK(f->size);
	return ++*(int *)context > 100000 ? -1 : 0;
}

/* The names one by one, of places that the data itself says. */
static void read_names(int fd, const uint8_t *data, size_t size)
{
	__u32 offsets[16] = { 0x1000, 0x1010, 0x2000 };
	struct buf bytes = { 0 };
	struct source names;

	memcpy(offsets + 3, data, size < 52 ? size : 52);
	if (!function_names_read(fd, -1, offsets, 16, &bytes)) {
		FUZZ_CHECK(bytes.size <= SOURCE_BYTES_MAX);
		FUZZ_CHECK(!source_parse(bytes.data, bytes.size, &names));
	}
	buf_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("functions", MFD_CLOEXEC), count = 0;
	struct buf bytes = { 0 };
	struct functions f;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (!functions_read(fd, -1, &bytes)) {
		FUZZ_CHECK(bytes.size <= FUNCTIONS_BYTES_MAX);
		FUZZ_CHECK(!functions_parse(bytes.data, bytes.size, &f));
		check_parts(&f);
	}
	read_names(fd, data, size);
	if (!functions_parse(data, size, &f))
		check_parts(&f);
	eh_frame_each(&(struct eh_frame){ data, size, 0x1000, size & 1 }, on_function, &count);
	buf_free(&bytes);
	close(fd);
	return 0;
}

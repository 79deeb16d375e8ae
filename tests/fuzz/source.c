// SPDX-License-Identifier: GPL-2.0-only
/*
 * source.c - the DWARF of ELF files, which any user may write and map; and the bytes that a worker, which
 * such a file has taken over, could send. The files of the corpus are workloads/native/lines.c, by gcc 12 and
 * clang 19.
 */
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "elf/source.h"

const char *const fuzz_corpus = "source";

static void check_places(const struct source *s)
{
	for (__u32 i = 0; i < s->count; i++) {
		FUZZ_CHECK(s->places[i].count <= SOURCE_FRAMES_MAX);
		for (__u32 k = 0; k < s->places[i].count; k++) {
			FUZZ_CHECK(strlen(s->strings + s->places[i].frames[k].name) < SOURCE_STRINGS_MAX);
			FUZZ_CHECK(strlen(s->strings + s->places[i].frames[k].file) < SOURCE_STRINGS_MAX);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("source", MFD_CLOEXEC);
	__u32 offsets[SOURCE_ASKED_MAX];
	struct buf bytes = { 0 };
	struct source s;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	/* The first 2 KiB of the file, and what is far outside of it. */
	for (__u32 i = 0; i < SOURCE_ASKED_MAX; i++)
		offsets[i] = i ? 8 * i : ~0U;
	if (!source_read(fd, fd, offsets, SOURCE_ASKED_MAX, &bytes)) {
		FUZZ_CHECK(bytes.size <= SOURCE_BYTES_MAX);
		FUZZ_CHECK(!source_parse(bytes.data, bytes.size, &s));
		FUZZ_CHECK(s.count == SOURCE_ASKED_MAX);
		check_places(&s);
	} else {
		FUZZ_CHECK(!bytes.size);
	}
	if (!source_parse(data, size, &s))
		check_places(&s);
	buf_free(&bytes);
	close(fd);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * rows.c - call frame instructions of ELF files, which any user may write and map; and the bytes that a
 * parser, which such a file has taken over, could send.
 */
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "elf/cfi.h"
#include "elf/rows.h"
#include "elf/rule.h"

const char *const fuzz_corpus = "rows";

static void check_rows(const struct rows *r)
{
	FUZZ_CHECK(r->region < ROWS_REGIONS && r->count >= REGION_PAGES && r->count <= REGION_ROWS);
	for (__u32 offset = 0; offset < 1U << REGION_SHIFT; offset += 1021)
		FUZZ_CHECK(rule_is_sane(rows_find(r, offset)));
	FUZZ_CHECK(rule_is_sane(rows_find(r, (1U << REGION_SHIFT) - 1)));
}

static void check_file(int fd, __u32 region)
{
	struct buf bytes = { 0 };
	struct rows rows;

	if (!rows_read(fd, region, &bytes)) {
		FUZZ_CHECK(bytes.size <= ROWS_BYTES_MAX);
		FUZZ_CHECK(!rows_parse(bytes.data, bytes.size, &rows));
		FUZZ_CHECK(rows.region == region);
		check_rows(&rows);
	} else {
		FUZZ_CHECK(!bytes.size);
	}
	buf_free(&bytes);
}

/* Of the instructions of one function: in order, without gaps, and no more often than there are bytes. */
struct executed {
	const struct eh_frame *section;
	__u64 end;
	size_t left;
};

static int on_state(void *context, __u64 begin, __u64 end, const struct cfi_state *state)
{
	struct executed *x = context;

	FUZZ_CHECK(begin == x->end && end > begin && x->left--);
	FUZZ_CHECK(rule_is_sane(rule_of(state, end & 1)));
	x->end = end;
	return 0;
}

static int on_function(void *context, const struct eh_function *f)
{
	struct executed x = { .section = context, .end = f->address };
	struct eh_function whole;

	if (eh_frame_read(x.section, f->offset, &whole))
		return 0;
	FUZZ_CHECK(whole.address == f->address && whole.size == f->size);
	x.left = reader_left(&whole.instructions) + 1;
	cfi_run(x.section, &whole, on_state, &x);
	FUZZ_CHECK(x.end <= f->address + f->size || x.end == f->address);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eh_frame section = { data, size, 0x1000, size & 1 };
	int fd = memfd_create("rows", MFD_CLOEXEC);
	struct rows rows;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	check_file(fd, 0);
	check_file(fd, size % 3);
	if (!rows_parse(data, size, &rows))
		check_rows(&rows);
	eh_frame_each(&section, on_function, &section);
	close(fd);
	return 0;
}

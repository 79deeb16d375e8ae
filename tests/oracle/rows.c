// SPDX-License-Identifier: GPL-2.0-only
/*
 * rows.c - prints what user/elf/rows.c makes of a file: of each row the offset in the file and the rule, both
 * in hexadecimal. Rows that say the same as the one before are left out. tests/oracle/test_rows.py compares
 * it with readelf. Without a file: the rows of the kernel's page of code.
 *   rows [FILE]
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "elf/rows.h"

static int print(const struct rows *r, __u32 *last)
{
	const __u32 *rows = r->words + REGION_INDEX;

	for (__u32 page = 0; page < REGION_PAGES; page++) {
		for (__u32 i = r->words[page]; i < r->words[page + 1]; i++) {
			if (row_rule(rows[i]) != *last)
				printf("%x %x\n",
				       (r->region << REGION_SHIFT) + page * 4096 + row_offset(rows[i]),
				       row_rule(rows[i]));
			*last = row_rule(rows[i]);
		}
	}
	return 0;
}

static int print_region(int fd, __u32 region, __u32 *last)
{
	_cleanup_buf_ struct buf bytes = { 0 };
	struct rows rows;
	int err = fd < 0 ? rows_read_vdso(region, &bytes) : rows_read(fd, region, &bytes);

	return err ?: rows_parse(bytes.data, bytes.size, &rows) ?: print(&rows, last);
}

int main(int argc, char **argv)
{
	_cleanup_close_ int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct stat stat = { .st_size = 1 };
	__u32 last = ~0U;

	if (argc > 2 || (argc == 2 && (fd < 0 || fstat(fd, &stat)))) {
		fprintf(stderr, "usage: rows [FILE]\n");
		return 2;
	}
	for (__u32 region = 0; (__u64)region << REGION_SHIFT < (__u64)stat.st_size; region++) {
		int err = print_region(fd, region, &last);

		if (err) {
			fprintf(stderr, "rows: region %u: %s\n", region, strerror(-err));
			return 1;
		}
	}
	return 0;
}

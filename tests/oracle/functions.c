// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - prints what user/elf/functions.c finds in a file: of each part of its code the offset, in
 * hexadecimal, and the name. tests/oracle/test_native_tables.py compares it with readelf.
 *   functions FILE [DEBUG-FILE]
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/functions.h"

int main(int argc, char **argv)
{
	_cleanup_close_ int fd = argc >= 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	_cleanup_close_ int debug = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
	_cleanup_buf_ struct buf bytes = { 0 };
	struct functions f;
	int err;

	if (fd < 0) {
		fprintf(stderr, "usage: functions FILE [DEBUG-FILE]\n");
		return 2;
	}
	err = functions_read(fd, debug, &bytes);
	if (!err)
		err = functions_parse(bytes.data, bytes.size, &f);
	if (err) {
		fprintf(stderr, "functions: %s: %s\n", argv[1], strerror(-err));
		return 1;
	}
	for (__u32 i = 0; i < f.count; i++)
		printf("%x %s\n", f.list[i].offset, f.names + f.list[i].name);
	return 0;
}

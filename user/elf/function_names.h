/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * function_names.h - the names of the functions at some offsets of an ELF file, where the file has more names
 * than functions.h takes: those of libtorch_cpu have 80 MiB.
 */
#ifndef PYPERF_ELF_FUNCTION_NAMES_H
#define PYPERF_ELF_FUNCTION_NAMES_H

#include "elf/source.h"

/*
 * Reads a regular file, with its debug file or -1, and appends what source_parse() takes: for each of these
 * offsets the symbol that functions_read() would have named it by, as one frame without a line, or no frame.
 * 0; -EINVAL for too many offsets; otherwise as functions_read().
 */
int function_names_read(int fd, int debug, const __u32 *offsets, __u32 count, struct buf *out);

#endif

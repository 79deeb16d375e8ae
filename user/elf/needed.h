/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * needed.h - which libraries the loader has to find before a program can begin.
 */
#ifndef PYPERF_ELF_NEEDED_H
#define PYPERF_ELF_NEEDED_H

#include <stdbool.h>
#include <elf.h>

struct image;

/*
 * Whether a file that is open for reading, of this header and with the segments of this image, needs a
 * library of which the name begins so. What is malformed needs none.
 */
bool needed_has(int fd, const Elf64_Ehdr *header, const struct image *image, const char *begin);

#endif

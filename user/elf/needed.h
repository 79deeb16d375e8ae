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

/*
 * Whether it is a program, for which the kernel loads an ELF interpreter, and needs one. Extension modules
 * need libpython, too, up to 3.7 (distutils linked them to it), and a process has dozens of them.
 */
bool needed_by_program(int fd, const Elf64_Ehdr *header, const struct image *image, const char *begin);

#endif

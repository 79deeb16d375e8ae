/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * minidebug.h - the section .gnu_debugdata, in which distributions such as Fedora leave a symbol table in
 * stripped files: an ELF file of its own, compressed by xz. Both the section and what is in it are hostile.
 */
#ifndef PYPERF_ELF_MINIDEBUG_H
#define PYPERF_ELF_MINIDEBUG_H

#include "elf/file.h"

#define MINIDEBUG_PACKED_MAX (16 << 20) /* bytes of the section */
#define MINIDEBUG_MAX	     (48 << 20) /* bytes of the file in it; that of libtorch_cpu has about 20 MiB */
#define MINIDEBUG_DECODER    (32 << 20) /* bytes that xz may take for itself; xz -6 wants 9 MiB */

struct minidebug {
	Elf *elf;
	char *bytes; /* what elf reads */
};

/*
 * Unpacks it. 0; -ENOENT if the file has none; -EBADMSG if it is malformed; -E2BIG beyond a bound; -ENOMEM.
 * Release by minidebug_cleanup().
 */
int minidebug_open(Elf *elf, struct minidebug *ret);
void minidebug_cleanup(struct minidebug *m); /* all zero is fine */

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * demangled.h - names of C++ and Rust as people write them, by libiberty.
 */
#ifndef PYPERF_ELF_DEMANGLED_H
#define PYPERF_ELF_DEMANGLED_H

#include <stddef.h>

#define MANGLED_MAX 8192 /* of a longer name, what comes out would be cut all the same */

/* Writes the name, demangled if it is mangled, without parameters, cut to size bytes with its NUL. */
void demangled(const char *name, char *ret, size_t size);

#endif

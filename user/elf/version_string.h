/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version_string.h - the version of a CPython up to 3.10, which exports no number that says it (Py_Version is
 * of 3.11). Two strings that it is compiled with must agree: the tag of its cache files ("cpython-310",
 * Python/sysmodule.c) and PY_VERSION ("3.10.13", Python/getversion.c). Python 2 has no such tag, and instead
 * of it the type of old-style classes (image.h).
 */
#ifndef PYPERF_ELF_VERSION_STRING_H
#define PYPERF_ELF_VERSION_STRING_H

#include <linux/types.h>

struct image;

/*
 * Finds the PY_VERSION_HEX of a 2.7 or a 3.6 to 3.10 in the segments of the file that are not writable.
 * Returns 0; or another -errno of reading. -ENOENT means that it is not certain: there is no such tag, or
 * more than one, or one in Python 2; or there is no string of a version with that minor number, or several
 * that differ.
 */
int version_string_find(int fd, const struct image *image, __u32 *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version_text.h - the version of a CPython up to 3.10, which exports no number that says it (Py_Version is
 * of 3.11). Two texts that it is compiled with must agree: the tag of its cache files ("cpython-310",
 * Python/sysmodule.c) and PY_VERSION ("3.10.13", Python/getversion.c). Python 2 has no such tag, and instead of it
 * the type of old-style classes (image.h).
 */
#ifndef PYPERF_ELF_VERSION_TEXT_H
#define PYPERF_ELF_VERSION_TEXT_H

#include <linux/types.h>

struct image;

/*
 * PY_VERSION_HEX, 2.7 or 3.6 to 3.10, from the segments of the file that are not writable. -ENOENT if there is no
 * such tag, or several, or one in Python 2; or no text of a version of that minor number, or several that
 * differ. Other errors of reading.
 */
int version_text_find(int fd, const struct image *image, __u32 *ret);

#endif

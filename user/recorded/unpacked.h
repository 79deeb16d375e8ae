/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unpacked.h - the bytes of a file that may be compressed by gzip.
 */
#ifndef PYPERF_RECORDED_UNPACKED_H
#define PYPERF_RECORDED_UNPACKED_H

#include "base/buf.h"

#define UNPACKED_MAX ((size_t)256 << 20) /* bytes of a profile; a compressed bomb ends there */

/*
 * Appends the file as it is, or what was compressed. 0; -EBADMSG for gzip that is damaged or cut off; -EFBIG
 * beyond UNPACKED_MAX; -ENOMEM.
 */
int unpacked_add(const void *data, size_t size, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * base64.h - bytes as text, RFC 4648 section 4, with padding and without line breaks.
 */
#ifndef PYPERF_BASE_BASE64_H
#define PYPERF_BASE_BASE64_H

#include "base/buf.h"

/* Appends. Returns 0 or -ENOMEM; then out is unchanged. */
int buf_add_base64(struct buf *out, const void *data, size_t size);

#endif

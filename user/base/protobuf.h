/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * protobuf.h - fields of protobuf messages (protobuf.dev/programming-guides/encoding) as they are written,
 * one behind the other. wire.h reads them.
 */
#ifndef PYPERF_BASE_PROTOBUF_H
#define PYPERF_BASE_PROTOBUF_H

#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"

/* The number of bytes that a varint takes. */
size_t protobuf_varint_size(__u64 value);
/* The number of bytes that protobuf_add_bytes() appends for so many; field < 16. */
size_t protobuf_bytes_size(size_t size);

/* Each appends to b. 0 or -ENOMEM, and then b is as it was, but for half of the last field. field < 16. */

int protobuf_add_varint(struct buf *b, __u64 value); /* without a field: of a packed list */
/* Those that stand for themselves are left out when they are 0 or "", as proto3 does. */
int protobuf_add_number(struct buf *b, unsigned int field, __u64 value);
int protobuf_add_fixed64(struct buf *b, unsigned int field, __u64 value);
int protobuf_add_text(struct buf *b, unsigned int field, const char *text);
/* A message, bytes, a packed list, or a text that is one of several; written when it is empty, too. */
int protobuf_add_bytes(struct buf *b, unsigned int field, const void *data, size_t size);
/* Only the field's head: the caller appends so many bytes. */
int protobuf_add_head(struct buf *b, unsigned int field, size_t size);
/* A whole message as gRPC frames it: not compressed, behind its length. */
int protobuf_add_grpc_frame(struct buf *b, const struct buf *message);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_dictionary.h - the tables of an OTLP message, to which everything else refers by indices. Nothing is
 * in them twice, and nothing that nobody has asked for. Element 0 of each is empty and stands for "none".
 */
#ifndef PYPERF_FORMATS_OTLP_DICTIONARY_H
#define PYPERF_FORMATS_OTLP_DICTIONARY_H

#include "base/buf.h"
#include "formats/gzip_stream.h"
#include "formats/otlp_table.h"
#include "formats/otlp_wire.h"

struct otlp_dictionary {
	struct otlp_table tables[OTLP_KINDS]; /* by enum otlp_kind */
};

/* 0 or -ENOMEM. otlp_dictionary_close() it in both cases. */
int otlp_dictionary_open(struct otlp_dictionary *d);
void otlp_dictionary_close(struct otlp_dictionary *d);

/* These find an entry, or add it: 0 or -ENOMEM. */
int otlp_dictionary_add(struct otlp_dictionary *d, enum otlp_kind kind, const struct buf *message,
			__u32 *ret_index);
int otlp_dictionary_string(struct otlp_dictionary *d, const char *text, __u32 *ret_index);
int otlp_dictionary_text_attribute(struct otlp_dictionary *d, const char *key, const char *value,
				   __u32 *ret_index);
int otlp_dictionary_number_attribute(struct otlp_dictionary *d, const char *key, __u64 value,
				     __u32 *ret_index);
/* value: an encoded AnyValue. */
int otlp_dictionary_attribute(struct otlp_dictionary *d, const char *key, const struct buf *value,
			      __u32 *ret_index);

/* Writes it as a field of the whole message. 0 or -errno of gzip_stream_add(). */
int otlp_dictionary_write(const struct otlp_dictionary *d, struct gzip_stream *out);

#endif

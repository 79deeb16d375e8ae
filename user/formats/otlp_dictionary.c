// SPDX-License-Identifier: GPL-2.0-only
#include "formats/otlp_dictionary.h"

#include <string.h>

#include "base/protobuf.h"

int otlp_dictionary_open(struct otlp_dictionary *d)
{
	int err = 0;
	__u32 zero;

	*d = (struct otlp_dictionary){};
	for (int kind = OTLP_MAPPING; !err && kind < OTLP_KINDS; kind++)
		err = otlp_table_add(&d->tables[kind], "", 0, &zero);
	return err;
}

void otlp_dictionary_close(struct otlp_dictionary *d)
{
	for (int kind = OTLP_MAPPING; kind < OTLP_KINDS; kind++)
		otlp_table_free(&d->tables[kind]);
}

int otlp_dictionary_add(struct otlp_dictionary *d, enum otlp_kind kind, const struct buf *message,
			__u32 *ret_index)
{
	return otlp_table_add(&d->tables[kind], message->data, message->size, ret_index);
}

int otlp_dictionary_string(struct otlp_dictionary *d, const char *text, __u32 *ret_index)
{
	return otlp_table_add(&d->tables[OTLP_STRING], text, strlen(text), ret_index);
}

int otlp_dictionary_attribute(struct otlp_dictionary *d, const char *key, const struct buf *value,
			      __u32 *ret_index)
{
	_cleanup_buf_ struct buf message = {};
	__u32 index;
	int err = otlp_dictionary_string(d, key, &index);

	err = err ?: protobuf_add_number(&message, OTLP_ATTRIBUTE_KEY, index);
	err = err ?: protobuf_add_bytes(&message, OTLP_ATTRIBUTE_VALUE, value->data, value->size);
	return err ?: otlp_dictionary_add(d, OTLP_ATTRIBUTE, &message, ret_index);
}

int otlp_dictionary_text_attribute(struct otlp_dictionary *d, const char *key, const char *value,
				   __u32 *ret_index)
{
	_cleanup_buf_ struct buf any = {};
	int err = protobuf_add_bytes(&any, OTLP_ANY_STRING, value, strlen(value));

	return err ?: otlp_dictionary_attribute(d, key, &any, ret_index);
}

int otlp_dictionary_number_attribute(struct otlp_dictionary *d, const char *key, __u64 value,
				     __u32 *ret_index)
{
	_cleanup_buf_ struct buf any = {};
	int err = protobuf_add_number(&any, OTLP_ANY_INT, value);

	return err ?: otlp_dictionary_attribute(d, key, &any, ret_index);
}

static int write_head(struct gzip_stream *out, unsigned int field, size_t size)
{
	_cleanup_buf_ struct buf head = {};
	int err = protobuf_add_head(&head, field, size);

	return err ?: gzip_stream_add(out, head.data, head.size);
}

int otlp_dictionary_write(const struct otlp_dictionary *d, struct gzip_stream *out)
{
	size_t bytes = 0;
	int err;

	for (int kind = OTLP_MAPPING; kind < OTLP_KINDS; kind++)
		bytes += d->tables[kind].bytes;
	err = write_head(out, OTLP_DATA_DICTIONARY, bytes);
	for (int kind = OTLP_MAPPING; !err && kind < OTLP_KINDS; kind++)
		for (const struct otlp_record *r = d->tables[kind].records; !err && r; r = r->hh.next)
			err = write_head(out, kind, r->size) ?: gzip_stream_add(out, r->data, r->size);
	return err;
}

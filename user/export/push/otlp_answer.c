// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/otlp_answer.h"

#include <string.h>

#include "base/protobuf.h"
#include "profile/otlp_wire.h"

#define REJECTED_MAX 1000000 /* in an answer: more profiles than are in any request */

static void copy_message(const struct protobuf_field *f, char message[PUSH_OTLP_MESSAGE_SIZE])
{
	const size_t size = f->size < PUSH_OTLP_MESSAGE_SIZE - 1 ? f->size : PUSH_OTLP_MESSAGE_SIZE - 1;

	memcpy(message, f->data, size);
	message[size] = '\0';
}

static void read_partial_success(const struct protobuf_field *message, struct push_otlp_answer *ret)
{
	const unsigned char *data = message->data;
	struct protobuf_reader r = { data, data + message->size };
	struct protobuf_field f;

	while (protobuf_next(&r, &f)) {
		if (f.number == OTLP_PARTIAL_REJECTED_PROFILES && !f.is_bytes)
			ret->rejected = f.value < REJECTED_MAX ? f.value : 0;
		if (f.number == OTLP_PARTIAL_ERROR_MESSAGE && f.is_bytes)
			copy_message(&f, ret->message);
	}
}

void push_otlp_answer_read(const void *data, size_t size, struct push_otlp_answer *ret)
{
	struct protobuf_reader r = { data, (const unsigned char *)data + size };
	struct protobuf_field f;

	*ret = (struct push_otlp_answer){};
	while (protobuf_next(&r, &f))
		if (f.number == OTLP_ANSWER_PARTIAL_SUCCESS && f.is_bytes)
			read_partial_success(&f, ret);
}

bool push_otlp_answer_status(const void *data, size_t size, char ret_message[PUSH_OTLP_MESSAGE_SIZE])
{
	struct protobuf_reader r = { data, (const unsigned char *)data + size };
	struct protobuf_field f;

	while (protobuf_next(&r, &f)) {
		if (f.number != OTLP_STATUS_MESSAGE || !f.is_bytes || !f.size)
			continue;
		copy_message(&f, ret_message);
		return true;
	}
	return false;
}

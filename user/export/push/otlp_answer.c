// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/otlp_answer.h"

#include <string.h>

#include "base/wire.h"
#include "formats/otlp_wire.h"

#define REJECTED_MAX 1000000 /* in an answer: more profiles than are in any request */

static void copy_message(struct wire text, char message[PUSH_OTLP_MESSAGE_SIZE])
{
	size_t size = text.end - text.at;

	if (size > PUSH_OTLP_MESSAGE_SIZE - 1)
		size = PUSH_OTLP_MESSAGE_SIZE - 1;
	memcpy(message, text.at, size);
	message[size] = '\0';
}

static void read_partial_success(struct wire message, struct push_otlp_answer *ret)
{
	struct wire_field f;

	while (wire_next(&message, &f) > 0) {
		if (f.number == OTLP_PARTIAL_REJECTED_PROFILES && f.type != WIRE_BYTES)
			ret->rejected = f.value < REJECTED_MAX ? f.value : 0;
		if (f.number == OTLP_PARTIAL_ERROR_MESSAGE && f.type == WIRE_BYTES)
			copy_message(f.bytes, ret->message);
	}
}

void push_otlp_answer_read(const void *data, size_t size, struct push_otlp_answer *ret)
{
	struct wire message = wire_of(data, size);
	struct wire_field f;

	*ret = (struct push_otlp_answer){};
	while (wire_next(&message, &f) > 0)
		if (f.number == OTLP_ANSWER_PARTIAL_SUCCESS && f.type == WIRE_BYTES)
			read_partial_success(f.bytes, ret);
}

bool push_otlp_answer_status(const void *data, size_t size, char ret_message[PUSH_OTLP_MESSAGE_SIZE])
{
	struct wire message = wire_of(data, size);
	struct wire_field f;

	while (wire_next(&message, &f) > 0) {
		if (f.number != OTLP_STATUS_MESSAGE || f.type != WIRE_BYTES || f.bytes.at == f.bytes.end)
			continue;
		copy_message(f.bytes, ret_message);
		return true;
	}
	return false;
}

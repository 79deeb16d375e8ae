/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_answer.h - what a receiver of OTLP answers, which is foreign data, and may be cut. Its texts are for
 * people.
 */
#ifndef PYPERF_EXPORT_PUSH_OTLP_ANSWER_H
#define PYPERF_EXPORT_PUSH_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define PUSH_OTLP_MESSAGE_SIZE 200

struct push_otlp_answer {
	__u64 rejected;			      /* profiles that it has not taken */
	char message[PUSH_OTLP_MESSAGE_SIZE]; /* why, or what it has to say of those that it took; or "" */
};

/* Of a success. Of anything that is no such answer nothing is taken. */
void push_otlp_answer_read(const void *data, size_t size, struct push_otlp_answer *ret);
/* Of a failure, if it is a google.rpc.Status with a message. Returns whether it is. */
bool push_otlp_answer_status(const void *data, size_t size, char ret_message[PUSH_OTLP_MESSAGE_SIZE]);

#endif

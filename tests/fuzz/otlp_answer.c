// SPDX-License-Identifier: GPL-2.0-only
/*
 * otlp_answer.c - what a receiver of OTLP answers: its texts end in their room, and its count is one that a
 * request can have.
 */
#include "tests/fuzz/fuzz.h"

#include "export/push/otlp_answer.h"

const char *const fuzz_corpus = "otlp_answer";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_text(data, size), message[PUSH_OTLP_MESSAGE_SIZE];
	struct push_otlp_answer answer;

	memset(&answer, 0xff, sizeof(answer));
	push_otlp_answer_read(copy, size, &answer);
	FUZZ_CHECK(answer.rejected <= 1000000);
	FUZZ_ENDS(answer.message);
	memset(message, 0xff, sizeof(message));
	if (push_otlp_answer_status(copy, size, message))
		FUZZ_ENDS(message);
	else
		FUZZ_CHECK(message[0] == (char)0xff);
	free(copy);
	return 0;
}

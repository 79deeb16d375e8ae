// SPDX-License-Identifier: GPL-2.0-only
/*
 * otel_context.c - what a process publishes about itself as a service: texts end in their room, and nothing
 * is taken of a message that is none.
 */
#include "tests/fuzz/fuzz.h"

#include "proc/otel_context.h"

const char *const fuzz_corpus = "otel_context";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_text(data, size);
	struct otel_context c = { .place = { 1, 1 } }, before = c;

	if (otel_context_parse(copy, size, &c))
		FUZZ_CHECK(!memcmp(&c, &before, sizeof(c)));
	FUZZ_ENDS(c.service);
	FUZZ_ENDS(c.instance);
	FUZZ_ENDS(c.environment);
	FUZZ_CHECK(otel_context_is_sane(&c));
	free(copy);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - what the targets in this folder share. Each has one function, which is given bytes of somebody who
 * means harm. It checks what must be true whatever they are. libFuzzer calls it (make fuzz), and so does
 * replay.h with the inputs that are kept in corpus/ (make check).
 */
#ifndef PYPERF_TESTS_FUZZ_H
#define PYPERF_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the inputs of this target are kept, below tests/fuzz/corpus/. */
extern const char *const fuzz_corpus;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Both a sanitizer and libFuzzer notice an abort. */
#define FUZZ_CHECK(condition)                                                                                \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

/* The bytes as a text, on the heap and not a byte longer, so that a sanitizer sees whoever reads on. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* Of a field that is a text: it ends within its size. */
#define FUZZ_ENDS(field) FUZZ_CHECK(memchr(field, 0, sizeof(field)))

#endif

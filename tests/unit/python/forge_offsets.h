/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_offsets.h - makes a _Py_DebugOffsets that agrees with what is known of its version, for tests to
 * spoil.
 */
#ifndef PYPERF_TESTS_FORGE_OFFSETS_H
#define PYPERF_TESTS_FORGE_OFFSETS_H

#include <string.h>
#include <linux/types.h>

#include "python/layout.h"

/* The first three words are the header's. Returns the number of words. */
static inline size_t forge_offsets(__u32 hexversion, bool free_threaded, __u64 words[128])
{
	const struct cpython *cpython = layout_find(hexversion);
	const struct layout *layout = cpython ? layout_of_build(cpython, free_threaded) : NULL;

	memset(words, 0, 128 * sizeof(words[0]));
	memcpy(words, "xdebugpy", 8);
	words[1] = hexversion;
	words[2] = free_threaded;
	for (size_t i = 0; cpython && i < cpython->word_count; i++) {
		const struct word *word = &cpython->words[i];

		if (word->use == WORD_SIZE)
			words[3 + i] = 300000;
		else if (word->use == WORD_FIXED || word->use == WORD_FREE)
			memcpy(&words[3 + i], (const char *)layout + word->target, word->target_width);
		else if (word->use == WORD_GIL)
			words[3 + i] = 7752;
		else if (word->use == WORD_HOLDER)
			words[3 + i] = 7752 + layout->gil_holder;
		else if (word->use == WORD_GC)
			words[3 + i] = 7400;
		else if (word->use == WORD_GC_FRAME)
			words[3 + i] = layout->interp_gc_frame - 7400;
		else if (word->use == WORD_OFFSET)
			words[3 + i] = 64;
	}
	return 3 + (cpython ? cpython->word_count : 0);
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * offsets.c - the debug offsets of 3.13 and later, which are in the target's own memory. What is accepted
 * keeps every read of the kernel side within its buffers.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "python/debug_offsets.h"

const char *const fuzz_corpus = "offsets";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct layout layout, untouched;
	const char *reason = "never set";
	uint8_t *bytes = malloc(size ? size : 1);
	int result;

	FUZZ_CHECK(bytes);
	memcpy(bytes, data, size);
	memset(&layout, 0x5a, sizeof(layout));
	untouched = layout;
	result = debug_offsets_parse(bytes, size, &layout, &reason);
	FUZZ_CHECK(!result || result == -EBADMSG || result == -ENOTSUP || result == -EINVAL);
	FUZZ_CHECK(!reason || strcmp(reason, "never set"));
	if (result) {
		FUZZ_CHECK(reason && !memcmp(&layout, &untouched, sizeof(layout)));
	} else {
		FUZZ_CHECK(layout.tstate_size >= 16 && layout.tstate_size <= TSTATE_READ);
		FUZZ_CHECK(layout.tstate_frame + 8 <= layout.tstate_size);
		FUZZ_CHECK(layout.tstate_thread_id + 8 <= layout.tstate_size);
		FUZZ_CHECK(layout.frame_size >= FRAME_READ && layout.frame_size <= FRAME_READ_MAX);
		FUZZ_CHECK(layout.frame_previous + 8 <= layout.frame_size);
		FUZZ_CHECK(layout.frame_instr + 8 <= layout.frame_size);
		FUZZ_CHECK(layout.code_size >= 16 && layout.code_size <= 256);
		FUZZ_CHECK(layout.version >> 24 == 3);
	}
	free(bytes);
	return 0;
}

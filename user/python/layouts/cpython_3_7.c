// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_3_7.c - CPython 3.7: compiled from the headers of 3.7.16 and 3.7.3. It publishes no offsets itself.
 * Names of headers are below Include/.
 */
#include "python/layout.h"

const struct cpython cpython_3_7 = {
	.minor = 0x0307,
	.layout = {
		.root_rule = ROOT_NULL,
		.line_format = LINES_LNOTAB,

		/* frameobject.h: PyFrameObject; every frame is one, and belongs to Python code */
		.frame_size = FRAME_READ_MAX,
		.frame_lasti = 1,
		.frame_code = 32,
		.frame_previous = 24,
		.frame_instr = 104, /* f_lasti */
		.frame_generator = 96, /* f_gen */
		.frame_running = 116, /* f_executing */
		.running = 1,
		.owner_shim = 256,

		/* pystate.h: PyThreadState */
		.tstate_size = 184, /* the last field used is thread_id */
		.tstate_next = 8,
		.tstate_interp = 16,
		.tstate_frame = 24,
		.tstate_thread_id = 176,

		/* pystate.h: the GIL is the runtime's, one for all */
		.interp_next = 0,
		.interp_threads = 8,

		/* internal/pystate.h */
		.runtime_interpreters = 24,
		.runtime_tstate = 1480 + GILSTATE_SHIFT,
		.runtime_tss_key = 1504 + GILSTATE_SHIFT,

		/* code.h */
		.code_size = 120, /* the last field used is co_lnotab */
		.code_first_line = 36,
		.code_filename = 96,
		.code_name = 104,
		.code_linetable = 112, /* co_lnotab */

		/* unicodeobject.h: with wstr */
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 48,
		.str_compact = 72,
		.str_data = 72,
		.str_kind_shift = 2,
		.str_compact_bit = 5,
		.str_ascii_bit = 6,

		/* bytesobject.h */
		.bytes_size = 16,
		.bytes_data = 32,
	},
	/* 3.7.4 aligned PyGC_Head to 16 bytes (objimpl.h): the collector's part, before gilstate, grew. */
	.moved = {
		.patch = 4,
		.runtime_tstate = 1392 + GILSTATE_SHIFT,
		.runtime_tss_key = 1416 + GILSTATE_SHIFT,
	},
};

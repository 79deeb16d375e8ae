// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_3_10.c - CPython 3.10: compiled from the headers of 3.10.13. It publishes no offsets itself. Names
 * of headers are below Include/.
 */
#include "python/layout.h"

const struct cpython cpython_3_10 = {
	.minor = 0x030a,
	.layout = {
		.root_rule = ROOT_NULL,
		.line_format = LINES_310,

		/* cpython/frameobject.h: PyFrameObject; every frame is one, and belongs to Python code */
		.frame_size = FRAME_READ_MAX,
		.frame_lasti = 1,
		.lasti_shift = 1, /* counts code units */
		.frame_code = 32,
		.frame_previous = 24,
		.frame_instr = 96, /* f_lasti */
		.frame_generator = 88, /* f_gen */
		.frame_running = 108, /* f_state: FRAME_EXECUTING */
		.owner_shim = 256,

		/* cpython/pystate.h: PyThreadState */
		.tstate_size = 184, /* the last field used is thread_id */
		.tstate_next = 8,
		.tstate_interp = 16,
		.tstate_frame = 24,
		.tstate_thread_id = 176,

		/* internal/pycore_interp.h: the GIL is the runtime's, one for all */
		.interp_next = 0,
		.interp_threads = 8,

		/* internal/pycore_runtime.h */
		.runtime_interpreters = 32,
		.runtime_gil = 352, /* ceval.gil, of internal/pycore_gil.h */
		.gil_holder = 8,
		.runtime_tstate = 568 + GILSTATE_SHIFT,
		.runtime_tss_key = 584 + GILSTATE_SHIFT,

		/* cpython/code.h */
		.code_size = 128, /* the last field used is co_linetable */
		.code_first_line = 40,
		.code_filename = 104,
		.code_name = 112,
		.code_linetable = 120, /* co_linetable */

		/* cpython/unicodeobject.h: with wstr */
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 48,
		.str_compact = 72,
		.str_data = 72,
		.str_kind_shift = 2,
		.str_compact_bit = 5,
		.str_ascii_bit = 6,

		/* cpython/bytesobject.h */
		.bytes_size = 16,
		.bytes_data = 32,
	},
	.coroutines = { /* internal/pycore_frame.h: enum _framestate */
		.created = -2, .executing = 0, .suspended = -1, .awaiting = { -1, -1 }, .awaited = 1,
	},
	.tasks = {
		.interp_modules = 856,
		.tstate_dict = 152,
		.gen_frame = 16,
		.frame_state = 108, /* f_state */
		.frame_top = 80, /* f_stackdepth */
		.frame_stack = 64, /* f_valuestack */
		.cached_keys = 872,
		.closure = 72,
		.function_name = 32,
		.frame_object = FRAME_OBJECT_COUNTS,
	},
};

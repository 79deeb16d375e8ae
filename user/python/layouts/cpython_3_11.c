// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_3_11.c - CPython 3.11: compiled from the headers of 3.11.7; 3.11.2 agrees. It publishes no offsets
 * itself. Names of headers are below Include/.
 */
#include "python/layout.h"

const struct cpython cpython_3_11 = {
	.minor = 0x030b,
	.layout = {
		.root_rule = ROOT_ENTRY,
		.has_cframe = 1,

		/* internal/pycore_frame.h: _PyInterpreterFrame, enum _frameowner */
		.frame_size = FRAME_READ,
		.frame_code = 32,
		.frame_previous = 48,
		.frame_instr = 56, /* prev_instr */
		.frame_is_entry = 68,
		.frame_owner = 69,
		.owner_shim = 256, /* no C-stack frames yet */
		.owner_generator = 1,
		.frame_object = 40,
		.frame_locals = 72,

		/* internal/pycore_frame.h: struct _frame */
		.object_frame = 24,

		/* cpython/pystate.h: _PyCFrame, PyThreadState */
		.cframe_frame = 8, /* behind use_tracing */
		.cframe_previous = 16,
		.tstate_size = 320, /* the last field used is datastack_limit */
		.tstate_next = 8,
		.tstate_interp = 16,
		.tstate_frame = 56, /* cframe */
		.tstate_thread_id = 152,
		.tstate_chunk = 296,
		.tstate_exc_info = 120,

		/* internal/pycore_interp.h: the GIL is the runtime's, one for all */
		.interp_next = 0,
		.interp_threads = 16,

		/* internal/pycore_runtime.h */
		.runtime_interpreters = 40,
		.runtime_gil = 360, /* ceval.gil, of internal/pycore_gil.h */
		.gil_holder = 8,
		.runtime_tstate = 576 + GILSTATE_SHIFT,
		.runtime_tss_key = 592 + GILSTATE_SHIFT,

		/* cpython/code.h: _PyCode_DEF */
		.code_size = 184,
		.code_first_line = 72,
		.code_filename = 112,
		.code_name = 120,
		.code_qualname = 128,
		.code_linetable = 136,
		.code_bytecode = 184,
		.code_numbers = 68,

		/* cpython/unicodeobject.h: still with wstr */
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
	.coroutines = { /* internal/pycore_frame.h: enum _framestate; a `yield` and an `await` look alike */
		.created = -2, .executing = 0, .suspended = -1, .awaiting = { -1, -1 }, .awaited = 1,
	},
	.tasks = {
		.interp_modules = 888,
		.tstate_dict = 128,
		.gen_frame = 80,
		.gen_state = 75,
		.frame_top = 64, /* stacktop */
		.frame_stack = 72, /* localsplus */
		.cached_keys = 872,
		.closure = 72,
		.function_name = 32,
	},
};

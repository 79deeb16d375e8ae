// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_3_12.c - CPython 3.12: compiled from the headers of 3.12.1. It publishes no offsets itself. Names
 * of headers are below Include/.
 */
#include "python/layout.h"

const struct cpython cpython_3_12 = {
	.minor = 0x030c,
	.layout = {
		.root_rule = ROOT_SHIM,
		.has_cframe = 1,

		/* internal/pycore_frame.h: _PyInterpreterFrame, enum _frameowner */
		.frame_size = FRAME_READ,
		.frame_code = 0,
		.frame_previous = 8,
		.frame_instr = 56, /* prev_instr */
		.frame_owner = 70,
		.owner_shim = 3, /* FRAME_OWNED_BY_CSTACK */
		.owner_generator = 1,
		.frame_object = 48,
		.frame_locals = 72,

		/* internal/pycore_frame.h: struct _frame */
		.object_frame = 24,
		.object_data = 48,

		/* cpython/pystate.h: _PyCFrame, PyThreadState */
		.cframe_frame = 0,
		.cframe_previous = 8,
		.tstate_size = 256, /* the last field used is datastack_limit */
		.tstate_next = 8,
		.tstate_interp = 16,
		.tstate_frame = 56, /* cframe */
		.tstate_thread_id = 136,
		.tstate_chunk = 232,
		.tstate_exc_info = 104,
		.tstate_status = 24,
		.status_active = 1 << 4,
		.status_may = 0x38, /* bound_gilstate, active, finalizing */
		.status_living = 3, /* initialized, bound */

		/* internal/pycore_interp.h, internal/pycore_gil.h */
		.interp_next = 0,
		.interp_threads = 72,
		.interp_gil = 384,
		.gil_holder = 8,

		/*
		 * internal/pycore_runtime.h; the current thread state is a thread-local variable from here on
		 */
		.runtime_interpreters = 40,
		.runtime_tss_key = 1544,

		/* cpython/code.h: _PyCode_DEF */
		.code_size = 192,
		.code_first_line = 68,
		.code_filename = 112,
		.code_name = 120,
		.code_qualname = 128,
		.code_linetable = 136,
		.code_version = 92,
		.code_bytecode = 192,
		.code_numbers = 64,

		/* cpython/unicodeobject.h: without wstr (PEP 623) */
		.str_length = 16,
		.str_state = 32,
		.str_ascii = 40,
		.str_compact = 56,
		.str_data = 56,
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
		.interp_modules = 944,
		.tstate_dict = 112,
		.gen_frame = 72,
		.gen_state = 67,
		.frame_top = 64, /* stacktop */
		.frame_stack = 72, /* localsplus */
		.cached_keys = 880,
		.closure = 72,
		.function_name = 32,
	},
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_3_13.c - CPython 3.13: compiled from the headers of 3.13.0; 3.13.18 agrees. The process's own debug
 * offsets (internal/pycore_runtime.h, 584 bytes) decide; what they lack is only here. Names of headers are
 * below Include/.
 */
#include "base/cleanup.h"
#include "python/layout.h"

static const struct word words[] = {
	WORD(SIZE, runtime_state.size, 0),
	WORD(OFFSET, runtime_state.finalizing, 8),
	WORD_INTO(FREE, runtime_state.interpreters_head, 8, runtime_interpreters),

	WORD(SIZE, interpreter_state.size, 0),
	WORD(OFFSET, interpreter_state.id, 8),
	WORD_INTO(FREE, interpreter_state.next, 8, interp_next),
	WORD_INTO(FREE, interpreter_state.threads_head, 8, interp_threads),
	WORD(OFFSET, interpreter_state.gc, 8),
	WORD(OFFSET, interpreter_state.imports_modules, 8),
	WORD(OFFSET, interpreter_state.sysdict, 8),
	WORD(OFFSET, interpreter_state.builtins, 8),
	WORD_INTO(FIXED, interpreter_state.ceval_gil, 8, interp_gil),
	WORD(GIL, interpreter_state.gil_runtime_state, 8),
	WORD(ANY, interpreter_state.gil_runtime_state_enabled, 0),
	WORD(OFFSET, interpreter_state.gil_runtime_state_locked, 4),
	WORD(HOLDER, interpreter_state.gil_runtime_state_holder, 8),

	WORD(SIZE, thread_state.size, 0),
	WORD(OFFSET, thread_state.prev, 8),
	WORD_INTO(FIXED, thread_state.next, 8, tstate_next),
	WORD_INTO(FIXED, thread_state.interp, 8, tstate_interp),
	WORD_INTO(FIXED, thread_state.current_frame, 8, tstate_frame),
	WORD_INTO(FIXED, thread_state.thread_id, 8, tstate_thread_id),
	WORD(OFFSET, thread_state.native_thread_id, 8),
	WORD_INTO(FIXED, thread_state.datastack_chunk, 8, tstate_chunk),
	WORD_INTO(FIXED, thread_state.status, 4, tstate_status),

	WORD(SIZE, interpreter_frame.size, 0),
	WORD_INTO(FIXED, interpreter_frame.previous, 8, frame_previous),
	WORD_INTO(FIXED, interpreter_frame.executable, 8, frame_code),
	WORD_INTO(FIXED, interpreter_frame.instr_ptr, 8, frame_instr),
	WORD(OFFSET, interpreter_frame.localsplus, 8),
	WORD_INTO(FIXED, interpreter_frame.owner, 1, frame_owner),

	WORD(SIZE, code_object.size, 0),
	WORD_INTO(FIXED, code_object.filename, 8, code_filename),
	WORD_INTO(FIXED, code_object.name, 8, code_name),
	WORD_INTO(FIXED, code_object.qualname, 8, code_qualname),
	WORD_INTO(FIXED, code_object.linetable, 8, code_linetable),
	WORD_INTO(FIXED, code_object.firstlineno, 4, code_first_line),
	WORD(OFFSET, code_object.argcount, 4),
	WORD(OFFSET, code_object.localsplusnames, 8),
	WORD(OFFSET, code_object.localspluskinds, 8),
	WORD_INTO(FIXED, code_object.co_code_adaptive, 1, code_bytecode),

	WORD(SIZE, pyobject.size, 0),
	WORD(OFFSET, pyobject.ob_type, 8),
	WORD(SIZE, type_object.size, 0),
	WORD(OFFSET, type_object.tp_name, 8),
	WORD(OFFSET, type_object.tp_repr, 8),
	WORD(OFFSET, type_object.tp_flags, 8),
	WORD(SIZE, tuple_object.size, 0),
	WORD(OFFSET, tuple_object.ob_item, 8),
	WORD(OFFSET, tuple_object.ob_size, 8),
	WORD(SIZE, list_object.size, 0),
	WORD(OFFSET, list_object.ob_item, 8),
	WORD(OFFSET, list_object.ob_size, 8),
	WORD(SIZE, dict_object.size, 0),
	WORD(OFFSET, dict_object.ma_keys, 8),
	WORD(OFFSET, dict_object.ma_values, 8),
	WORD(SIZE, float_object.size, 0),
	WORD(OFFSET, float_object.ob_fval, 8),
	WORD(SIZE, long_object.size, 0),
	WORD(OFFSET, long_object.lv_tag, 8),
	WORD(OFFSET, long_object.ob_digit, 4),

	WORD(SIZE, bytes_object.size, 0),
	WORD_INTO(FIXED, bytes_object.ob_size, 8, bytes_size),
	WORD_INTO(FIXED, bytes_object.ob_sval, 1, bytes_data),

	WORD(SIZE, unicode_object.size, 0),
	WORD_INTO(FIXED, unicode_object.state, 4, str_state),
	WORD_INTO(FIXED, unicode_object.length, 8, str_length),
	WORD_INTO(FIXED, unicode_object.asciiobject_size, 1, str_ascii),

	WORD(SIZE, gc.size, 0),
	WORD(OFFSET, gc.collecting, 4),
};

/* Where the ordinary and the free-threaded build agree. */
#define COMMON                                                                                               \
	.root_rule = ROOT_SHIM, .epoch_size = 4,                                                             \
													     \
	/* internal/pycore_frame.h: _PyInterpreterFrame, enum _frameowner */                                 \
	.frame_size = FRAME_READ, .frame_code = 0 /* f_executable */, .frame_previous = 8,                   \
	.frame_instr = 56 /* instr_ptr */, .frame_owner = 70, .owner_shim = 3 /* FRAME_OWNED_BY_CSTACK */,   \
	.owner_generator = 1, .frame_object = 48,                                                            \
													     \
	/* cpython/pystate.h: PyThreadState; the last field used is exc_state.exc_value */                   \
	.tstate_size = 264, .tstate_next = 8, .tstate_interp = 16, .tstate_frame = 72 /* current_frame */,   \
	.tstate_exception = 256,                                                                             \
	.tstate_thread_id = 152, .tstate_chunk = 232, .tstate_status = 32, .status_active = 1 << 4,          \
	.status_may = 0x78 /* bound_gilstate, active, holds_gil, finalizing */,                              \
	.status_living = 3 /* initialized, bound */,                                                         \
													     \
	/* internal/pycore_interp.h, internal/pycore_runtime.h */                                            \
	.interp_next = 7264, .interp_threads = 7344, .interp_gil = 16, .runtime_interpreters = 632,          \
	.runtime_tss_key = 2160

/*
 * Py_GIL_DISABLED: objects have a header of 32 bytes. Threads share their bytecode, which is not specialised.
 */
static const struct layout free_threaded = {
	COMMON,
	.free_threaded = 1,
	.object_frame = 40,
	.object_data = 80,
	/* func_state.next_version, proved by co_version in use */
	.interp_epoch = 20092 + 8 * MUTEX_SHIFT,
	.gil_holder = 16,	    /* internal/pycore_gil.h: behind enabled and interval */

	/* cpython/code.h: _PyCode_DEF */
	.code_size = 216,
	.code_first_line = 84,
	.code_filename = 128,
	.code_name = 136,
	.code_qualname = 144,
	.code_linetable = 152,
	.code_version = 108,
	.code_bytecode = 216,

	/* cpython/unicodeobject.h */
	.str_length = 32,
	.str_state = 48,
	.str_ascii = 56,
	.str_compact = 72,
	.str_data = 72,
	.str_kind_shift = 2,
	.str_compact_bit = 5,
	.str_ascii_bit = 6,

	/* cpython/bytesobject.h */
	.bytes_size = 32,
	.bytes_data = 48,
};

const struct cpython cpython_3_13 = {
	.minor = 0x030d,
	.newest = 0x030d12f0,
	.layout = {
		COMMON,
		.object_frame = 24, /* internal/pycore_frame.h: struct _frame */
		.object_data = 64,
		/* func_state.next_version, proved by co_version in use */
		.interp_epoch = 17000 + 2 * MUTEX_SHIFT,
		.gil_holder = 8,

		/* cpython/code.h: _PyCode_DEF */
		.code_size = 200,
		.code_first_line = 68,
		.code_filename = 112,
		.code_name = 120,
		.code_qualname = 128,
		.code_linetable = 136,
		.code_version = 92,
		.code_bytecode = 200,

		/* cpython/unicodeobject.h */
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
	.free_threaded = &free_threaded,
	.words = words,
	.word_count = ARRAY_SIZE(words),
	.coroutines = { /* internal/pycore_frame.h: enum _framestate */
		.created = -3, .executing = 0, .suspended = -2, .awaiting = { -1, -1 }, .awaited = 1,
	},
	.tasks = {
		.interp_modules = 7656 + 2 * MUTEX_SHIFT,
		.tstate_loop = 304, /* internal/pycore_tstate.h */
		.tstate_dict = 128,
		.gen_frame = 72,
		.gen_state = 67,
		.frame_top = 64, /* stacktop */
		.frame_stack = 72, /* localsplus */
		.cached_keys = 880,
		.closure = 72,
		.function_name = 32,
	},
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_3_15.c - CPython 3.15: compiled from the headers of 3.15.2. The process's own debug offsets
 * (internal/pycore_debug_offsets.h, 888 bytes) decide; what they lack is only here. Names of headers are
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
	WORD(OFFSET, interpreter_state.threads_main, 8),
	WORD(GC, interpreter_state.gc, 8),
	WORD(OFFSET, interpreter_state.imports_modules, 8),
	WORD(OFFSET, interpreter_state.sysdict, 8),
	WORD(OFFSET, interpreter_state.builtins, 8),
	WORD_INTO(FIXED, interpreter_state.ceval_gil, 8, interp_gil),
	WORD(GIL, interpreter_state.gil_runtime_state, 8),
	WORD(ANY, interpreter_state.gil_runtime_state_enabled, 0),
	WORD(OFFSET, interpreter_state.gil_runtime_state_locked, 4),
	WORD(HOLDER, interpreter_state.gil_runtime_state_holder, 8),
	WORD_INTO(FREE, interpreter_state.code_object_generation, 8, interp_epoch),
	WORD_THREADED(FREE, interpreter_state.tlbc_generation, 4, interp_tlbc_generation),

	WORD(SIZE, thread_state.size, 0),
	WORD(OFFSET, thread_state.prev, 8),
	WORD_INTO(FIXED, thread_state.next, 8, tstate_next),
	WORD_INTO(FIXED, thread_state.interp, 8, tstate_interp),
	WORD_INTO(FIXED, thread_state.current_frame, 8, tstate_frame),
	WORD_INTO(FIXED, thread_state.base_frame, 8, tstate_base_frame),
	WORD(OFFSET, thread_state.last_profiled_frame, 8),
	WORD(OFFSET, thread_state.last_profiled_frame_seq, 8),
	WORD_INTO(FIXED, thread_state.thread_id, 8, tstate_thread_id),
	WORD(OFFSET, thread_state.native_thread_id, 8),
	WORD_INTO(FIXED, thread_state.datastack_chunk, 8, tstate_chunk),
	WORD_INTO(FIXED, thread_state.status, 4, tstate_status),
	WORD(OFFSET, thread_state.holds_gil, 4),
	WORD(OFFSET, thread_state.gil_requested, 4),
	WORD(OFFSET, thread_state.current_exception, 8),
	WORD(OFFSET, thread_state.exc_state, 8),
	WORD(ANY, err_stackitem.exc_value, 0),

	WORD(SIZE, interpreter_frame.size, 0),
	WORD_INTO(FIXED, interpreter_frame.previous, 8, frame_previous),
	WORD_INTO(FIXED, interpreter_frame.executable, 8, frame_code),
	WORD_INTO(FIXED, interpreter_frame.instr_ptr, 8, frame_instr),
	WORD(OFFSET, interpreter_frame.localsplus, 8),
	WORD_INTO(FIXED, interpreter_frame.owner, 1, frame_owner),
	WORD_OBJECT(interpreter_frame.stackpointer, 8, frame_stack),
	WORD_THREADED(FIXED, interpreter_frame.tlbc_index, 4, frame_tlbc_index),

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
	WORD_THREADED(FIXED, code_object.co_tlbc, 8, code_tlbc),

	WORD(SIZE, pyobject.size, 0),
	WORD_OBJECT(pyobject.ob_type, 8, object_type),
	WORD(SIZE, type_object.size, 0),
	WORD_OBJECT(type_object.tp_name, 8, type_name),
	WORD(OFFSET, type_object.tp_repr, 8),
	WORD_OBJECT(type_object.tp_flags, 8, type_flags),
	WORD(OFFSET, type_object.tp_basicsize, 8),
	WORD(OFFSET, type_object.tp_dictoffset, 8),
	WORD(SIZE, heap_type_object.size, 0),
	WORD(OFFSET, heap_type_object.ht_cached_keys, 8),
	WORD(SIZE, tuple_object.size, 0),
	WORD(OFFSET, tuple_object.ob_item, 8),
	WORD(OFFSET, tuple_object.ob_size, 8),
	WORD(SIZE, list_object.size, 0),
	WORD(OFFSET, list_object.ob_item, 8),
	WORD(OFFSET, list_object.ob_size, 8),
	WORD(SIZE, set_object.size, 0),
	WORD_OBJECT(set_object.used, 8, set_used),
	WORD_OBJECT(set_object.table, 8, set_table),
	WORD_OBJECT(set_object.mask, 8, set_mask),
	WORD(SIZE, dict_object.size, 0),
	WORD(OFFSET, dict_object.ma_keys, 8),
	WORD(OFFSET, dict_object.ma_values, 8),
	WORD(SIZE, float_object.size, 0),
	WORD(OFFSET, float_object.ob_fval, 8),
	WORD(SIZE, long_object.size, 0),
	WORD_OBJECT(long_object.lv_tag, 8, int_tag),
	WORD_OBJECT(long_object.ob_digit, 4, int_digit),

	WORD(SIZE, bytes_object.size, 0),
	WORD_INTO(FIXED, bytes_object.ob_size, 8, bytes_size),
	WORD_INTO(FIXED, bytes_object.ob_sval, 1, bytes_data),

	WORD(SIZE, unicode_object.size, 0),
	WORD_INTO(FIXED, unicode_object.state, 4, str_state),
	WORD_INTO(FIXED, unicode_object.length, 8, str_length),
	WORD_INTO(FIXED, unicode_object.asciiobject_size, 1, str_ascii),
	WORD_INTO(FIXED, unicode_object.compactunicodeobject_size, 1, str_compact),

	WORD(SIZE, gc.size, 0),
	WORD(OFFSET, gc.collecting, 4),
	WORD(GC_FRAME, gc.frame, 8),
	WORD(ANY, gc.generation_stats_size, 0),
	WORD(OFFSET, gc.generation_stats, 8),
	WORD(SIZE, gen_object.size, 0),
	WORD(OFFSET, gen_object.gi_name, 8),
	WORD_OBJECT(gen_object.gi_iframe, 8, gen_frame),
	WORD_OBJECT(gen_object.gi_frame_state, 1, gen_state),
	WORD(ANY, llist_node.next, 0),
	WORD(ANY, llist_node.prev, 0),
	WORD(ANY, debugger_support.eval_breaker, 0),
	WORD(ANY, debugger_support.remote_debugger_support, 0),
	WORD(ANY, debugger_support.remote_debugging_enabled, 0),
	WORD(ANY, debugger_support.debugger_pending_call, 0),
	WORD(ANY, debugger_support.debugger_script_path, 0),
	WORD(ANY, debugger_support.debugger_script_path_size, 0),
};

/* Where the ordinary and the free-threaded build agree. */
#define COMMON                                                                                               \
	.root_rule = ROOT_BASE, .epoch_size = 8,                                                             \
													     \
	/* internal/pycore_interpframe_structs.h: _PyInterpreterFrame, enum _frameowner */                   \
	.frame_size = FRAME_READ, .frame_code = 0 /* f_executable, a _PyStackRef */, .frame_previous = 8,    \
	.frame_instr = 56 /* instr_ptr */, .owner_shim = 3 /* FRAME_OWNED_BY_INTERPRETER */,                 \
	.owner_generator = 1, .frame_object = 48,                                                            \
	.pointer_tag = 3 /* internal/pycore_stackref.h: Py_TAG_BITS */,                                      \
													     \
	/* cpython/pystate.h: PyThreadState; the last field used is exc_state.exc_value */                   \
	.tstate_size = 296, .tstate_next = 8, .tstate_interp = 16, .tstate_frame = 72 /* current_frame */,   \
	.tstate_exception = 288,                                                                             \
	.tstate_base_frame = 80, .tstate_thread_id = 176, .tstate_chunk = 256, .tstate_status = 32,          \
	.status_active = 1 << 4, .status_may = 0x38 /* bound_gilstate, active, finalizing */,                \
	.status_living = 3 /* initialized, bound */,                                                         \
													     \
	/* internal/pycore_interp_structs.h, internal/pycore_runtime_structs.h: there is no autoTSSkey */    \
	.interp_next = 7264, .interp_threads = 7336, .interp_gil = 16, .runtime_interpreters = 936,          \
	.interp_gc_frame = 7520

/* Py_GIL_DISABLED: objects have a header of 32 bytes, and each thread may run a copy of the bytecode. */
static const struct layout free_threaded = {
	COMMON,
	.free_threaded = 1,
	.object_frame = 40,
	.object_data = 88,
	.frame_owner = 78,
	.frame_tlbc_index = 72,
	.interp_epoch = 7952,
	.interp_tlbc_generation = 17252,
	.gil_holder = 16, /* internal/pycore_gil.h: behind enabled and interval */

	/* cpython/code.h: _PyCode_DEF */
	.code_size = 232,
	.code_first_line = 84,
	.code_filename = 128,
	.code_name = 136,
	.code_qualname = 144,
	.code_linetable = 152,
	.code_version = 108,
	.code_bytecode = 232,
	.code_count = 32,
	.code_tlbc = 224,

	/* cpython/unicodeobject.h: interned is a byte of its own before the other bits of state */
	.str_length = 32,
	.str_state = 48,
	.str_ascii = 56,
	.str_compact = 72,
	.str_data = 72,
	.str_kind_shift = 8,
	.str_compact_bit = 11,
	.str_ascii_bit = 12,

	/* cpython/bytesobject.h */
	.bytes_size = 32,
	.bytes_data = 48,
};

const struct cpython cpython_3_15 = {
	.minor = 0x030f,
	.newest = 0x030f02f0,
	.layout = {
		COMMON,
		.object_frame = 24, /* internal/pycore_frame.h: struct _frame */
		.object_data = 72,
		.frame_owner = 74,
		.interp_epoch = 7944,
		.gil_holder = 8,

		/* cpython/code.h: _PyCode_DEF */
		.code_size = 208,
		.code_first_line = 68,
		.code_filename = 112,
		.code_name = 120,
		.code_qualname = 128,
		.code_linetable = 136,
		.code_version = 92,
		.code_bytecode = 208,

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
	/* internal/pycore_frame.h: enum _framestate; Objects/genobject.c: _PyGen_yf() */
	.coroutines = {
		.created = 0, .suspended = 1, .executing = 4, .awaiting = { 2, 3 }, .awaited = 2
	},
};

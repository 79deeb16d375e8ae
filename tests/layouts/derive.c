// SPDX-License-Identifier: GPL-2.0-only
/*
 * derive.c - every field of struct layout as the compiler sees it in one interpreter's own headers, a line
 * each as show.c prints them: 3.11 and later, derive_old.c is for those before. Compiled by
 * tests/oracle/test_layouts.py; not linked with the interpreter.
 */
#define Py_BUILD_CORE
#include "Python.h"

#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"

#if PY_VERSION_HEX >= 0x030c0000
#include "internal/pycore_gil.h"
#endif
#if PY_VERSION_HEX >= 0x030d0000
#include "internal/pycore_tstate.h"
#endif
#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_interpframe_structs.h"
#include "internal/pycore_stackref.h"
#endif
#include "bpf/abi/layout.h"
#include "tests/layouts/derive.h"

#if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030e0000
#define HAS_TLBC /* each thread may run a copy of the bytecode */
#endif

/* Not the name: 3.14 renamed the frame's header, not the frame. */
typedef struct _PyInterpreterFrame Frame;

/* bpf/python/data_stack.h */
static void show_data_stack(void)
{
#if PY_VERSION_HEX < 0x030d0000
	_Static_assert(offsetof(PyCodeObject, co_firstlineno) == offsetof(PyCodeObject, co_stacksize) + 4 &&
			       offsetof(PyCodeObject, co_nlocalsplus) ==
				       offsetof(PyCodeObject, co_stacksize) + 8,
		       "one after the other");
	_Static_assert(offsetof(_PyStackChunk, data) == 24, "CHUNK_DATA");
	_Static_assert(offsetof(_PyErr_StackItem, previous_item) == 8, "exc_info");
	_Static_assert(FRAME_SPECIALS_SIZE * sizeof(PyObject *) == offsetof(Frame, localsplus),
		       "a frame's size");
	FIELD(frame_locals, Frame, localsplus);
	FIELD(tstate_exc_info, PyThreadState, exc_info);
	FIELD(code_numbers, PyCodeObject, co_stacksize);
#else
	show("frame_locals", 0);
	show("tstate_exc_info", 0);
	show("code_numbers", 0);
#endif
}

static void show_frame(void)
{
	FIELD(frame_previous, Frame, previous);
	FIELD(frame_owner, Frame, owner);
	show("owner_generator", FRAME_OWNED_BY_GENERATOR);
	show("frame_size", 80); /* all that is used lies in it: test_layout.c */
	show("frame_lasti", 0);
	show("frame_generator", 0);
	show("frame_running", 0);
	show("running", 0);
	show("lasti_shift", 0);
	show("line_format", 0);
#ifdef HAS_TLBC
	FIELD(frame_tlbc_index, Frame, tlbc_index);
#else
	show("frame_tlbc_index", 0);
#endif
#if PY_VERSION_HEX < 0x030c0000
	FIELD(frame_is_entry, Frame, is_entry);
	show("root_rule", 1);
	show("owner_shim", 256);
#else
	show("frame_is_entry", 0);
	show("root_rule", PY_VERSION_HEX < 0x030f0000 ? 2 : 3);
#if PY_VERSION_HEX < 0x030e0000
	show("owner_shim", FRAME_OWNED_BY_CSTACK);
#else
	show("owner_shim", FRAME_OWNED_BY_INTERPRETER);
#endif
#endif
#if PY_VERSION_HEX < 0x030d0000
	FIELD(frame_code, Frame, f_code);
	FIELD(frame_instr, Frame, prev_instr);
	show("has_cframe", 1);
	FIELD(cframe_frame, _PyCFrame, current_frame);
	FIELD(cframe_previous, _PyCFrame, previous);
	FIELD(tstate_frame, PyThreadState, cframe);
#else
	FIELD(frame_code, Frame, f_executable);
	FIELD(frame_instr, Frame, instr_ptr);
	show("has_cframe", 0);
	show("cframe_frame", 0);
	show("cframe_previous", 0);
	FIELD(tstate_frame, PyThreadState, current_frame);
#endif
	FIELD(frame_object, Frame, frame_obj);
	FIELD(object_frame, PyFrameObject, f_frame);
#if PY_VERSION_HEX < 0x030c0000
	show("object_data", 0);
#else
	FIELD(object_data, PyFrameObject, _f_frame_data);
#endif
	show_data_stack();
#if PY_VERSION_HEX < 0x030e0000
	show("pointer_tag", 0);
#else
	show("pointer_tag", Py_TAG_BITS);
#endif
}

#if PY_VERSION_HEX >= 0x030c0000
static void show_status(void)
{
	static PyThreadState thread, may, living;
	size_t offset = 0;

	thread._status.active = 1;
	show("status_active", bits(&thread, sizeof(thread), &offset));
	show("tstate_status", offset);
	may._status.active = may._status.bound_gilstate = may._status.finalizing = 1;
#if PY_VERSION_HEX < 0x030f0000 && PY_VERSION_HEX >= 0x030d0000
	may._status.holds_gil = 1;
#endif
	show("status_may", bits(&may, sizeof(may), &offset));
	living._status.initialized = living._status.bound = 1;
	show("status_living", bits(&living, sizeof(living), &offset));
}
#endif

static void show_thread(void)
{
#if PY_VERSION_HEX < 0x030d0000
	/* bpf/python/cframe.h: leaf_is_gone() */
	_Static_assert(offsetof(PyThreadState, datastack_top) ==
				       offsetof(PyThreadState, datastack_chunk) + 8 &&
			       offsetof(PyThreadState, datastack_limit) ==
				       offsetof(PyThreadState, datastack_chunk) + 16,
		       "one after the other");
	unsigned long size = POINTER_END(PyThreadState, datastack_limit);
#else
	unsigned long size = POINTER_END(PyThreadState, exc_state.exc_value);
#endif

	FIELD(tstate_next, PyThreadState, next);
	FIELD(tstate_interp, PyThreadState, interp);
	FIELD(tstate_thread_id, PyThreadState, thread_id);
	FIELD(tstate_chunk, PyThreadState, datastack_chunk);
#if PY_VERSION_HEX < 0x030f0000
	show("tstate_base_frame", 0);
#else
	FIELD(tstate_base_frame, PyThreadState, base_frame);
#endif
	if (size < POINTER_END(PyThreadState, thread_id))
		size = POINTER_END(PyThreadState, thread_id);
	show("tstate_size", size);
#if PY_VERSION_HEX < 0x030d0000
	show("tstate_exception", 0);
#else
	FIELD(tstate_exception, PyThreadState, exc_state.exc_value);
#endif
#if PY_VERSION_HEX < 0x030c0000
	show("tstate_status", 0);
	show("status_active", 0);
	show("status_may", 0);
	show("status_living", 0);
#else
	show_status();
#endif
}

static void show_interpreter(void)
{
	_Static_assert(sizeof(struct _gil_runtime_state) <= GIL_BYTES, "all of a GIL is looked at");
	FIELD(interp_next, PyInterpreterState, next);
	FIELD(interp_threads, PyInterpreterState, threads.head);
	FIELD(runtime_interpreters, _PyRuntimeState, interpreters.head);
	show("runtime_main", 0);
#if PY_VERSION_HEX < 0x030c0000
	show("interp_gil", 0);
	FIELD(runtime_gil, _PyRuntimeState, ceval.gil);
	FIELD(gil_holder, struct _gil_runtime_state, last_holder);
	FIELD(runtime_tstate, _PyRuntimeState, gilstate.tstate_current);
	FIELD(runtime_tss_key, _PyRuntimeState, gilstate.autoTSSkey);
#else
	FIELD(interp_gil, PyInterpreterState, ceval.gil);
	FIELD(gil_holder, struct _gil_runtime_state, last_holder);
	show("runtime_gil", 0);
	show("runtime_tstate", 0);
#if PY_VERSION_HEX < 0x030f0000
	FIELD(runtime_tss_key, _PyRuntimeState, autoTSSkey);
#else
	show("runtime_tss_key", 0);
#endif
#endif
#if PY_VERSION_HEX < 0x030d0000
	show("epoch_size", 0);
	show("interp_epoch", 0);
#elif PY_VERSION_HEX < 0x030e0000
	show("epoch_size", sizeof(((PyInterpreterState *)0)->func_state.next_version));
	FIELD(interp_epoch, PyInterpreterState, func_state.next_version);
#else
	show("epoch_size", sizeof(((PyInterpreterState *)0)->_code_object_generation));
	FIELD(interp_epoch, PyInterpreterState, _code_object_generation);
#endif
#if PY_VERSION_HEX < 0x030f0000
	show("interp_gc_frame", 0);
#else
	FIELD(interp_gc_frame, PyInterpreterState, gc.frame);
#endif
#ifdef HAS_TLBC
	FIELD(interp_tlbc_generation, PyInterpreterState, tlbc_indices.tlbc_generation);
#else
	show("interp_tlbc_generation", 0);
#endif
#ifdef Py_GIL_DISABLED
	show("free_threaded", 1);
#else
	show("free_threaded", 0);
#endif
	/* What the sampler takes for granted: an int, then a u32. */
	show("tss_key_inside", offsetof(Py_tss_t, _key));
	show("tss_key_size", sizeof(((Py_tss_t *)0)->_key));
}

static void show_code(void)
{
	FIELD(code_size, PyCodeObject, co_code_adaptive);
	FIELD(code_first_line, PyCodeObject, co_firstlineno);
	FIELD(code_filename, PyCodeObject, co_filename);
	FIELD(code_name, PyCodeObject, co_name);
	FIELD(code_qualname, PyCodeObject, co_qualname);
	FIELD(code_linetable, PyCodeObject, co_linetable);
	FIELD(code_bytecode, PyCodeObject, co_code_adaptive);
#if PY_VERSION_HEX < 0x030c0000
	show("code_version", 0);
#else
	FIELD(code_version, PyCodeObject, co_version);
#endif
#ifdef HAS_TLBC
	FIELD(code_count, PyCodeObject, ob_base.ob_size);
	FIELD(code_tlbc, PyCodeObject, co_tlbc);
#else
	show("code_count", 0);
	show("code_tlbc", 0);
#endif
}

int main(void)
{
	/* The version is that of the headers; the process says its own. */
	show("version", PY_VERSION_HEX);
	show_frame();
	show_thread();
	show_interpreter();
	show_code();
	show_strings();
	show_tasks();
	return 0;
}

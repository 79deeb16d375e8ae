// SPDX-License-Identifier: GPL-2.0-only
/*
 * derive_old.c - as derive.c, for 2.7 and 3.6 to 3.10, where frames are objects. 2.7 and 3.6 have no
 * structure for what struct layout has in runtime_*: those are judged on a live process by test_layouts.py.
 */
#define Py_BUILD_CORE
#include "Python.h"

#define TWO (PY_VERSION_HEX < 0x03000000)

#include "frameobject.h"

#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#elif PY_VERSION_HEX >= 0x03080000
#include "internal/pycore_pystate.h"
#elif PY_VERSION_HEX >= 0x03070000
#include "internal/pystate.h"
#endif

#include "bpf/abi/layout.h"
#include "tests/layouts/derive.h"

/* What came later. */
static void show_absent(void)
{
	static const char *const names[] = {
		"free_threaded",
		"has_cframe",
		"epoch_size",
		"frame_tlbc_index",
		"frame_owner",
		"frame_is_entry",
		"owner_generator",
		"pointer_tag",
		"frame_object",
		"frame_locals",
		"tstate_exc_info",
		"code_numbers",
		"object_frame",
		"object_data",
		"cframe_frame",
		"cframe_previous",
		"tstate_base_frame",
		"tstate_chunk",
		"tstate_status",
		"tstate_exception",
		"status_active",
		"status_may",
		"status_living",
		"interp_gil",
		"interp_epoch",
		"interp_tlbc_generation",
		"interp_gc_frame",
		"code_qualname",
		"code_version",
		"code_bytecode",
		"code_count",
		"code_tlbc",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		show(names[i], 0);
}

static void show_frame(void)
{
	FIELD(frame_code, PyFrameObject, f_code);
	FIELD(frame_previous, PyFrameObject, f_back);
	FIELD(frame_instr, PyFrameObject, f_lasti);
#if TWO
	show("frame_generator", 0);
#else
	FIELD(frame_generator, PyFrameObject, f_gen);
#endif
#if PY_VERSION_HEX >= 0x030a0000
	FIELD(frame_running, PyFrameObject, f_state);
	show("running", FRAME_EXECUTING);
#elif PY_VERSION_HEX >= 0x03070000
	FIELD(frame_running, PyFrameObject, f_executing);
	show("running", 1);
#else
	show("frame_running", 0); /* nobody reads it there: --event gil is for 3.8 and later */
	show("running", 0);
#endif
	show("frame_size", 128); /* all that is used lies in it: test_layout.c */
	show("frame_lasti", sizeof(((PyFrameObject *)0)->f_lasti) == 4);
	show("lasti_shift", PY_VERSION_HEX >= 0x030a0000 || TWO); /* bpo-27129 */
	show("line_format", PY_VERSION_HEX >= 0x030a0000 ? 1 : TWO ? 3 : 2);
	show("root_rule", 4);
	show("owner_shim", 256);
}

static void show_thread(void)
{
	FIELD(tstate_next, PyThreadState, next);
	FIELD(tstate_interp, PyThreadState, interp);
	FIELD(tstate_frame, PyThreadState, frame);
	FIELD(tstate_thread_id, PyThreadState, thread_id);
	show("tstate_size", POINTER_END(PyThreadState, thread_id));
	FIELD(interp_next, PyInterpreterState, next);
	FIELD(interp_threads, PyInterpreterState, tstate_head);
}

static void show_runtime(void)
{
#if PY_VERSION_HEX >= 0x03070000
	FIELD(runtime_interpreters, _PyRuntimeState, interpreters.head);
	show("runtime_main", 0);
#if PY_VERSION_HEX >= 0x03080000
	FIELD(runtime_gil, _PyRuntimeState, ceval.gil);
	FIELD(gil_holder, struct _gil_runtime_state, last_holder);
	_Static_assert(sizeof(struct _gil_runtime_state) <= GIL_BYTES, "all of a GIL is looked at");
#else
	show("runtime_gil", 0);
	show("gil_holder", 0);
#endif
	FIELD(runtime_tstate, _PyRuntimeState, gilstate.tstate_current);
	FIELD(runtime_tss_key, _PyRuntimeState, gilstate.autoTSSkey);
	/* What the sampler takes for granted: an int, then a u32. */
	show("tss_key_inside", offsetof(Py_tss_t, _key));
	show("tss_key_size", sizeof(((Py_tss_t *)0)->_key));
#else
	show("runtime_gil", 0);
	show("gil_holder", 0);
	show("runtime_tss_key", 0); /* autoTLSkey is an int alone */
#endif
}

static void show_code(void)
{
	FIELD(code_first_line, PyCodeObject, co_firstlineno);
	FIELD(code_filename, PyCodeObject, co_filename);
	FIELD(code_name, PyCodeObject, co_name);
#if PY_VERSION_HEX >= 0x030a0000
	FIELD(code_linetable, PyCodeObject, co_linetable);
	show("code_size", POINTER_END(PyCodeObject, co_linetable));
#else
	FIELD(code_linetable, PyCodeObject, co_lnotab);
	show("code_size", POINTER_END(PyCodeObject, co_lnotab));
#endif
}

int main(void)
{
	/* The version is that of the headers; the process says its own. */
	show("version", PY_VERSION_HEX);
	show_absent();
	show_frame();
	show_thread();
	show_runtime();
	show_code();
	show_strings();
	show_tasks();
	return 0;
}

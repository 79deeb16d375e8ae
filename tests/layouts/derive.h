/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * derive.h - what derive.c and derive_old.c have in common. Included after Python.h.
 */
#ifndef PYPERF_TESTS_DERIVE_H
#define PYPERF_TESTS_DERIVE_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name, type, member) show(#name, offsetof(type, member))
#define POINTER_END(type, member) (offsetof(type, member) + sizeof(void *))

static void show(const char *name, unsigned long value)
{
	printf("%s=%lu\n", name, value);
}

/* The one u32 that is not zero in a structure of which one bit field was set, and where. */
static unsigned int bits(const void *object, size_t size, size_t *ret_offset)
{
	for (size_t i = 0; i + 4 <= size; i += 4) {
		unsigned int word;

		memcpy(&word, (const char *)object + i, 4);
		if (word) {
			*ret_offset = i;
			return word;
		}
	}
	return 0;
}

#if PY_VERSION_HEX >= 0x03080000

/* What is alike in all these versions is in objects.h, in bytes behind an object's header. */
#define IS_AT(type, member, at) \
	_Static_assert(offsetof(type, member) == sizeof(PyObject) + (at), "user/python/objects.h")
#ifdef Py_GIL_DISABLED
_Static_assert(sizeof(PyObject) == 32, "user/python/objects.c");
#else
_Static_assert(sizeof(PyObject) == 16, "user/python/objects.h");
#endif
_Static_assert(offsetof(PyObject, ob_type) == sizeof(PyObject) - 8, "user/python/objects.h");
IS_AT(PyTypeObject, tp_name, 8);
IS_AT(PyTypeObject, tp_basicsize, 16);
IS_AT(PyTypeObject, tp_flags, 152);
IS_AT(PyTypeObject, tp_members, 224);
IS_AT(PyTypeObject, tp_getset, 232);
IS_AT(PyTypeObject, tp_base, 240);
IS_AT(PyTypeObject, tp_dictoffset, 272);
IS_AT(PyDictObject, ma_keys, 16);
IS_AT(PyDictObject, ma_values, 24);
IS_AT(PySetObject, used, 8);
IS_AT(PySetObject, mask, 16);
IS_AT(PySetObject, table, 24);

#endif

#if PY_VERSION_HEX >= 0x03080000 && PY_VERSION_HEX < 0x030e0000 && !defined(Py_GIL_DISABLED)

/* struct task_facts */
static void show_tasks(void)
{
#if PY_VERSION_HEX >= 0x030c0000
	FIELD(tasks_interp_modules, PyInterpreterState, imports.modules);
#else
	FIELD(tasks_interp_modules, PyInterpreterState, modules);
#endif
#if PY_VERSION_HEX >= 0x030d0000
	FIELD(tasks_tstate_loop, _PyThreadStateImpl, asyncio_running_loop);
#else
	show("tasks_tstate_loop", 0);
#endif
	FIELD(tasks_tstate_dict, PyThreadState, dict);
#if PY_VERSION_HEX >= 0x030b0000
	FIELD(tasks_gen_frame, PyGenObject, gi_iframe);
	FIELD(tasks_gen_state, PyGenObject, gi_frame_state);
	show("tasks_frame_state", 0);
	FIELD(tasks_frame_top, struct _PyInterpreterFrame, stacktop);
	FIELD(tasks_frame_stack, struct _PyInterpreterFrame, localsplus);
#else
	FIELD(tasks_gen_frame, PyGenObject, gi_frame);
	show("tasks_gen_state", 0);
	FIELD(tasks_frame_stack, PyFrameObject, f_valuestack);
#if PY_VERSION_HEX >= 0x030a0000
	FIELD(tasks_frame_state, PyFrameObject, f_state);
	FIELD(tasks_frame_top, PyFrameObject, f_stackdepth);
#else
	FIELD(tasks_frame_state, PyFrameObject, f_executing);
	FIELD(tasks_frame_top, PyFrameObject, f_stacktop);
#endif
	_Static_assert(offsetof(PyCodeObject, co_code) == 48, "user/remote/generator.c");
#endif
	FIELD(tasks_cached_keys, PyHeapTypeObject, ht_cached_keys);
	FIELD(tasks_closure, PyFunctionObject, func_closure);
	FIELD(tasks_function_name, PyFunctionObject, func_name);
	_Static_assert(offsetof(PyWeakReference, wr_object) == 16, "user/python/asyncio_search.c");
	_Static_assert(offsetof(PyMethodObject, im_self) == 24, "user/remote/callbacks.c");
	_Static_assert(offsetof(PyCFunctionObject, m_self) == 24, "user/remote/callbacks.c");
	_Static_assert(offsetof(PyCellObject, ob_ref) == 16, "user/remote/callbacks.c");
}

#else

static void show_tasks(void)
{
}

#endif

#if PY_VERSION_HEX < 0x03000000

/* Names are byte strings. What ob_sstate can be must leave alone what is added to it. */
static void show_strings(void)
{
	show("state_most", SSTATE_INTERNED_IMMORTAL);
	show("str_kind_shift", 2);
	show("str_compact_bit", 5);
	show("str_ascii_bit", 6);
	show("str_implied", 1 << 2 | 1 << 5 | 1 << 6);
	FIELD(str_length, PyStringObject, ob_size);
	FIELD(str_state, PyStringObject, ob_sstate);
	FIELD(str_ascii, PyStringObject, ob_sval);
	show("str_compact", 0);
	show("str_data", 0);
	FIELD(bytes_size, PyStringObject, ob_size);
	FIELD(bytes_data, PyStringObject, ob_sval);
}

#else

static void show_strings(void)
{
	static PyASCIIObject kind, compact, ascii;
	size_t offset = 0, compact_offset = 0, ascii_offset = 0;

	kind.state.kind = 7;
	compact.state.compact = 1;
	ascii.state.ascii = 1;
	FIELD(str_length, PyASCIIObject, length);
	show("str_kind_shift", __builtin_ctz(bits(&kind, sizeof(kind), &offset)));
	show("kind_mask",
	     bits(&kind, sizeof(kind), &offset) >> __builtin_ctz(bits(&kind, sizeof(kind), &offset)));
	show("str_compact_bit", __builtin_ctz(bits(&compact, sizeof(compact), &compact_offset)));
	show("str_ascii_bit", __builtin_ctz(bits(&ascii, sizeof(ascii), &ascii_offset)));
	show("str_state", offset == compact_offset && offset == ascii_offset ? offset : 0);
	show("str_ascii", sizeof(PyASCIIObject));
	show("str_compact", sizeof(PyCompactUnicodeObject));
	FIELD(str_data, PyUnicodeObject, data);
	show("str_implied", 0);
	FIELD(bytes_size, PyBytesObject, ob_base.ob_size);
	FIELD(bytes_data, PyBytesObject, ob_sval);
}

#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug_offsets.h - the table _Py_DebugOffsets with which CPython 3.13 and later describe themselves at the
 * start of _PyRuntime. It comes from another process's memory, so it is hostile until every word is checked.
 */
#ifndef PYPERF_PYTHON_DEBUG_OFFSETS_H
#define PYPERF_PYTHON_DEBUG_OFFSETS_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/layout.h"

#define DEBUG_OFFSETS_MAX 1024 /* bytes that are worth reading; the table of 3.15 has 888 */

/*
 * Makes a layout from the first len bytes of _PyRuntime. Returns 0; -EBADMSG if there is no such table (its
 * cookie is missing); -ENOTSUP if its version or build is not supported; -EINVAL if it cannot be true.
 *
 * *ret_reason is always set, to a constant text or to NULL. After a failure it says why the table was
 * refused. After a success it is NULL, or a note that an offset which build options can move is not where it
 * usually is.
 */
int debug_offsets_parse(const void *bytes, size_t len, struct layout *ret, const char **ret_reason);

/*
 * What the same bytes say of the objects that asyncio's tasks consist of. layout is what was made of them
 * before. 0; -ENOTSUP if tasks of that version cannot be found (up to 3.13); -EINVAL if an offset cannot be
 * true, or the bytes are not that layout's. Each offset is at most OBJECT_FIELD_MAX.
 */
int debug_offsets_objects(const void *bytes, size_t len, const struct layout *layout,
			  struct object_offsets *ret);

#endif

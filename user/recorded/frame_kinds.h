/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame_kinds.h - pprof does not say what kind of frame a frame is. What this program writes can be told by
 * its names, which come from the same lists, and by what has a file or an address.
 */
#ifndef PYPERF_RECORDED_FRAME_KINDS_H
#define PYPERF_RECORDED_FRAME_KINDS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct frame_facts {
	const char *name, *file; /* of the function; "" = it has none */
	const char *mapping;	 /* the file that the code lies in; "" = not known */
	__u64 address;		 /* 0 = none, as Python code */
};

/* The kind. Code of other languages that has no address is PYTHON, too: frame_kinds_is_python() tells. */
enum frame_kind frame_kinds_find(const struct frame_facts *f);

/* Whether a file, by its name, is Python: "x.py", "<frozen posixpath>", and a script without a suffix. */
bool frame_kinds_is_python(const char *file);

#endif

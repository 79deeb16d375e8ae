/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * modules.h - sys.modules of an interpreter in a live process, and what modules have. Nothing read is
 * trusted.
 */
#ifndef PYPERF_PYTHON_MODULES_H
#define PYPERF_PYTHON_MODULES_H

#include "python/objects.h"

/* The dict sys.modules of the interpreter at this address; 0 if it cannot be found. */
__u64 modules_of(struct objects *o, __u64 interpreter);

/* The dict of a module; 0 if the object can be none. */
__u64 modules_dict(struct objects *o, __u64 module);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * variables.h - where the runtime of 2.7 and 3.6 is, which is no structure yet, only single variables.
 */
#ifndef PYPERF_PYTHON_VARIABLES_H
#define PYPERF_PYTHON_VARIABLES_H

#include <sys/types.h>

#include "bpf/abi/layout.h"
#include "elf/image.h"

/*
 * Fills in the runtime_* fields of the layout for the thread's process, into which the image is loaded with
 * that bias, and returns the address that they are offsets from. It lies 8 bytes before the first variable,
 * so that no offset is 0. Of a stripped file only _PyThreadState_Current is known. Then an interpreter is
 * looked for in its writable data: the pointer to it becomes runtime_main, which is 0 if there is none yet.
 */
__u64 variables_address(pid_t tid, const struct image *image, __u64 bias, struct layout *layout);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * identify.h - whether a process is CPython, where its runtime is and with which offsets. Looks at what is
 * mapped, never at names. Blocks as long as the process's files and pages do: meant for the worker process.
 */
#ifndef PYPERF_PYTHON_IDENTIFY_H
#define PYPERF_PYTHON_IDENTIFY_H

#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/layout.h"

enum verdict {
	VERDICT_NOT_PYTHON = 1, /* nothing mapped (yet) has a runtime; a program that starts may still map one */
	VERDICT_PYTHON,
	VERDICT_NO_LAYOUT, /* CPython, refused for the reason given */
	VERDICT_UNPROVED,  /* CPython, and a layout that nothing speaks for yet: no thread has a Python frame */
};

#define IDENTITY_PATH_SIZE     1024
#define IDENTITY_BUILD_ID_SIZE 72
#define IDENTITY_REASON_SIZE   120

/* Plain data without pointers: it travels between processes. Strings are NUL-terminated. */
struct identity {
	__u32 verdict;			       /* enum verdict; of NOT_PYTHON nothing that follows but reason */
	__u32 hexversion;		       /* PY_VERSION_HEX; 0 = unknown */
	__u64 runtime;			       /* address of _PyRuntime */
	struct layout layout;		       /* PYTHON and UNPROVED only */
	char version[VERSION_TEXT_SIZE];       /* "3.13.0", "" = unknown */
	char build_id[IDENTITY_BUILD_ID_SIZE]; /* hexadecimal, "" = none */
	char reason[IDENTITY_REASON_SIZE];     /* why refused; for PYTHON a note, usually "" */
	char path[IDENTITY_PATH_SIZE];	       /* of the binary with the runtime, as the process sees it, or its start */
};

/*
 * Analyses process pid, which must have started at start_ticks (procfs_start_ticks()): -ESRCH if it ended
 * or the pid is another process's by now. An exec during the call is not noticed. -EPERM, -EACCES, -ENOMEM
 * and other errors leave *ret untouched.
 */
int identify(pid_t pid, __u64 start_ticks, struct identity *ret);

#endif

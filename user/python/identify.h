/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * identify.h - whether a process is CPython, where its runtime is, and which layout it has. It looks at the
 * files that are mapped, never at their names. It waits for as long as the process's files and pages make it
 * wait, so it is meant for the worker process.
 */
#ifndef PYPERF_PYTHON_IDENTIFY_H
#define PYPERF_PYTHON_IDENTIFY_H

#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/layout.h"

enum verdict {
	VERDICT_NOT_PYTHON = 1, /* no mapped file has a runtime; a program that starts may still map one */
	VERDICT_PYTHON,
	VERDICT_NO_LAYOUT, /* CPython, refused for the reason given */
	VERDICT_UNPROVED,  /* CPython; no thread has a Python frame, so its layout is not proved yet */
};

#define IDENTITY_PATH_SIZE     1024
#define IDENTITY_BUILD_ID_SIZE 72
#define IDENTITY_REASON_SIZE   120

/* Plain data without pointers: it travels between processes. Strings are NUL-terminated. */
struct identity {
	__u32 verdict;			 /* enum verdict; with NOT_PYTHON only reason is set besides */
	__u32 hexversion;		 /* PY_VERSION_HEX; 0 = unknown */
	__u64 runtime;			 /* address of _PyRuntime */
	__u64 asyncio;			 /* asyncio_layout_read(); 0 = it is not known */
	__u64 device, inode;		 /* of the runtime's file, as /proc/PID/maps has them */
	__u64 needs_device, needs_inode; /* of the first file that needs a libpython; 0 = none does */
	__s64 from_code;      /* bytes from the first of the file's code to runtime; 0 = it is elsewhere */
	struct layout layout; /* PYTHON and UNPROVED only */
	struct task_layout tasks;	       /* all 0 = they cannot be found, or were not looked for */
	char version[VERSION_STRING_SIZE];     /* "3.13.0", "" = unknown */
	char build_id[IDENTITY_BUILD_ID_SIZE]; /* hexadecimal, "" = none */
	char reason[IDENTITY_REASON_SIZE];     /* why it is none, or refused; with PYTHON a note or "" */
	char path[IDENTITY_PATH_SIZE];	       /* of the runtime's file, as the process sees it; may be cut */
};

/*
 * Analyses the process pid that started at start_ticks (procfs_start_ticks()). Returns 0; -ESRCH if that
 * process has ended, even if another one has the pid by now; -EAGAIN if the reader of files (binaries.h)
 * wants to be asked again for the rest of them; or another -errno, such as -EPERM, -EACCES and -ENOMEM. *ret
 * is untouched after a failure. An exec during the call is not noticed.
 */
int identify(pid_t pid, __u64 start_ticks, struct identity *ret);

/*
 * Looks in that process for asyncio's tasks, too, which takes hundreds of reads up to 3.13: only --async,
 * --event tasks and commands that show tasks need them. What cannot be found stays as it is.
 */
void identify_tasks(pid_t pid, struct identity *identity);

#endif

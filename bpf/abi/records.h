/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * records.h - what the kernel side sends through the ring buffer. Each record begins with its type.
 */
#ifndef PYPERF_BPF_ABI_RECORDS_H
#define PYPERF_BPF_ABI_RECORDS_H

#include "bpf/abi/process.h"
#include "bpf/abi/trace.h"
#include "bpf/abi/types.h"

enum record_type {
	RECORD_PROCESS = 1,
	RECORD_CODE,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_NATIVE,
	RECORD_SPAN,
	RECORD_KNOWN,
	RECORD_TYPES
};

/*
 * A process that the sampler met and does not know. The iterator over all processes writes the same record.
 */
struct record_process {
	__u32 type;
	__u32 pid; /* in the initial PID namespace */
	__u64 start_time;
	__u64 exec_id;
	__u64 user; /* task_user() (base/share.h) */
	char comm[16];
	struct program_file file;
};

/* A process has begun a program in which a layout was proved before, and is sampled by that from now on. */
struct record_known {
	struct record_process process; /* with this type */
	__u32 id;
	__u32 before; /* the id of the process's image before, 0 = it was not known */
	__u32 layout;
	__u32 pad;
};

/* A child got a copy of its parent's struct process, under an id of its own. */
struct record_fork {
	__u32 type;
	__u32 pid;
	__u64 start_time;
	__u64 exec_id;
	__u32 id;
	__u32 parent_id;
	char comm[16];
};

/* A process image is over: the process ended, or began another one by exec. */
struct record_exit {
	__u32 type;
	__u32 pid;
	__u32 id;
	__u32 pad;
};

/*
 * A sample could not place its program counter: the process's mappings, or its file's functions, are missing.
 */
struct record_native {
	__u32 type;
	__u32 pid;
	__u32 id;    /* struct process.id */
	__u32 space; /* struct process.space, as the sample found it */
	__u64 pc;
	__u32 stale; /* the mappings are not known, or others by now */
	__u32 pad;
};

/* With --trace: a span at its first sample, or after another one has taken its place in what was told. */
struct record_span {
	__u32 type;
	__u32 pid;
	__u32 id; /* struct process.id */
	__u32 pad;
	__u64 address; /* of the span, which lives as long as the program wants it to */
	struct trace_ids ids;
};

#define STRING_MAX	1024 /* bytes of a name that are kept; longer ones are cut and marked */
#define LINETABLE_SMALL 2048 /* bytes of a line table the kernel copies; the worker reads larger ones */
#define LINETABLE_MAX	(1 << 20)

enum part_flags {
	PART_FAULT = 1, /* could not be read here */
	PART_CUT = 2,	/* longer than what was copied */
	PART_BAD = 4,	/* not an object of the expected shape */
	PART_BYTES = 8, /* 2.7: not characters but bytes, in an encoding that nothing tells */
};

/* One copied object: where it is and how much of it follows in record_code.data. */
struct code_part {
	__u64 address; /* of the object */
	__u32 length;  /* of the object: characters, or bytes of a line table */
	__u16 bytes;   /* copied into data */
	__u8 kind;     /* of a string: bytes a character */
	__u8 flags;    /* enum part_flags */
};

/* A code object at first sight. data holds name, file name and line table, one after the other. */
struct record_code {
	__u32 type;
	__u32 code;    /* number in the codes table */
	__u32 process; /* struct process.id */
	__u32 pid;
	__u64 address;
	__u64 fingerprint;
	__s32 first_line;
	__u32 version;	   /* co_version, 0 = unknown */
	__u32 line_format; /* enum line_format */
	__u32 pad;
	struct code_part name; /* qualified where the version has it */
	struct code_part file;
	struct code_part table;
	__u8 data[2 * STRING_MAX + LINETABLE_SMALL];
};

#endif

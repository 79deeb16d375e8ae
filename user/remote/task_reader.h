/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_reader.h - reads objects of a live process that has asyncio: words, types, names. The process is not
 * stopped. Nothing read is trusted, and the number of reads of one look is bounded.
 */
#ifndef PYPERF_REMOTE_TASK_READER_H
#define PYPERF_REMOTE_TASK_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/asyncio_layout.h"
#include "python/objects.h"

#define READER_READS_MAX 400000 /* in one look, */
#define READER_CPU_MS	 250	/* ... and its CPU time: half of WORKER_DEADLINE_MS */
#define TASK_NAME_SIZE	 128	/* bytes of a task's name as UTF-8, NUL included; more is cut off */
#define READER_TYPES	 32	/* whose kind is remembered */

/*
 * The kind of an object, by its type. Only types of the interpreter itself count: no class can pose as one.
 */
enum task_reader_kind {
	READER_OTHER = 1,
	READER_COROUTINE, /* a coroutine, a generator or an async generator: it has a frame */
	READER_WRAPPER,	  /* its first field is one of those, or another wrapper */
	READER_INT,
	READER_STR,
	/* Up to 3.13, where they lead to who awaits a task (callbacks.h): */
	READER_TASK,
	READER_FUTURE,
	READER_WAKEUP,	/* an object of asyncio's own whose first field is a task */
	READER_BUILTIN, /* a function in C, mostly a method of an object */
	READER_METHOD,	/* of an object whose class is written in Python */
	READER_FUNCTION,
	READER_PARTIAL,
	READER_GROUP, /* of tasks: AnyIO's or another one */
	READER_LIST,
	READER_TUPLE,
	READER_CONTAINER, /* a set or a dict */
};

/* Bytes that were read ahead of their use, many objects at once. */
#define READER_AHEAD	   512 /* slots, a power of two */
#define READER_AHEAD_BYTES 512
#define READER_NOTED	   128

struct reader_slot {
	__u64 address;	  /* 0 = free */
	__u16 asked, got; /* bytes that were to be read, and that were there */
	__u8 bytes[READER_AHEAD_BYTES];
};

struct task_reader {
	pid_t memory; /* the thread through which the memory is reached */
	const struct layout *layout;
	struct asyncio_layout at;
	struct objects objects; /* up to 3.13: reads what the functions here do not */
	__u32 reads;		/* so far, without those of `objects` */
	__u64 began_ns;		/* this thread's CPU time when they began */
	bool spent;		/* no more is read */
	int unreachable;	/* the -errno of a read that says that no memory of it can be read */
	struct {
		__u64 type;
		enum task_reader_kind kind;
	} types[READER_TYPES];
	__u32 type_next; /* the one to be forgotten */
	struct reader_slot ahead[READER_AHEAD];
	struct {
		__u64 address;
		size_t size;
	} noted[READER_NOTED]; /* what was read since task_reader_note() */
	__u32 noted_count;
	bool notes;
	bool keeps; /* what is read is kept as if it had been read ahead */
};

/*
 * Begins to read a process whose runtime and asyncio are at these addresses. 0, or an error of
 * asyncio_layout_read().
 */
int task_reader_begin(struct task_reader *r, pid_t memory, const struct layout *layout, __u64 runtime,
		      __u64 asyncio);

/* 0; -EFAULT for what is not there; -E2BIG when the look is spent; or another -errno. */
int task_reader_read(struct task_reader *r, __u64 address, void *dst, size_t size);
/* Reads as many of these bytes as are there. Returns how many, at least 1; or an error as above. */
ssize_t task_reader_read_some(struct task_reader *r, __u64 address, void *dst, size_t size);

/*
 * Reads these bytes of so many objects with few system calls. The next reads of them find them, until they
 * are forgotten. What cannot be read is left to those.
 */
void task_reader_ahead(struct task_reader *r, const __u64 *addresses, size_t count, size_t size);
void task_reader_forget(struct task_reader *r);

/* From here on it is noted what is read. */
void task_reader_note(struct task_reader *r);
/* Forgets what was read ahead, and reads ahead what was noted, as it is now. */
void task_reader_again(struct task_reader *r);

/* So many bytes of a task's name are read at once. */
#define READER_NAME 64 /* the longest header of a str has 56 */

/* The word of bytes at this offset, as a pointer without the low bits in which references have tags. */
__u64 task_reader_pointer(const __u8 *bytes, size_t offset);

/* The kind of objects of the type at that address. */
enum task_reader_kind task_reader_kind(struct task_reader *r, __u64 type);

/*
 * The name of a task, from the object that the task has for it: a str, or an int n that stands for "Task-n".
 * 0; -EBADMSG if it is neither; or an error as of task_reader_read(). ret is then as it was.
 */
int task_reader_name(struct task_reader *r, __u64 object, char ret[TASK_NAME_SIZE]);

#endif

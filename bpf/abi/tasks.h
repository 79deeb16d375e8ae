/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks.h - where a process keeps asyncio's tasks (3.8+), as far as the sampler reads them with --async.
 */
#ifndef PYPERF_BPF_ABI_TASKS_H
#define PYPERF_BPF_ABI_TASKS_H

#include "bpf/abi/types.h"

#define TASK_LAYOUTS_MAX 2048 /* different ones at a time; up to 3.13 each process has one of its own */
#define TASK_READ	 512 /* bytes of a task object that are read: task_size is at most this */
#define TASK_NAMES_MAX	 256 /* names that a process may have in a generation of the tree */

/* Include/opcode.h: by which an `await` is told from a `yield`, whose frames look alike. */
#define OPCODE_YIELD_FROM     72  /* 3.8 to 3.10 */
#define OPCODE_RESUME	      151 /* 3.11, 3.12 */
#define OPCODE_RESUME_QUICK   150 /* 3.11 */
#define OPCODE_RESUME_WATCHED 240 /* 3.12: INSTRUMENTED_RESUME */
#define RESUME_OF_AWAIT	      2	  /* its argument, from which on something was awaited */
#define CODE_CO_CODE	      48  /* PyCodeObject.co_code, up to 3.10 */
#define FRAME_WORDS	      (1 << 16) /* of a frame's values, at most */

/* 3.11 and 3.12: whether this is the instruction with which an `await` goes on. */
static inline int tasks_resumes_await(const __u8 unit[2], int is_3_11)
{
	const __u8 other = is_3_11 ? OPCODE_RESUME_QUICK : OPCODE_RESUME_WATCHED;

	return (unit[0] == OPCODE_RESUME || unit[0] == other) && unit[1] >= RESUME_OF_AWAIT;
}

/* Up to 3.10, what frame_stack of a frame that is an object has. */
enum frame_object {
	FRAME_OBJECT_NONE,   /* it is none */
	FRAME_OBJECT_TOP,    /* f_stacktop, a pointer */
	FRAME_OBJECT_COUNTS, /* 3.10: f_stackdepth, an int */
};

/* Offsets in bytes. user/python/task_layout.c fills it from what the process says, or was found of it. */
struct task_layout {
	__u32 tstate_loop; /* PyThreadState: the loop that runs; behind it is the task that runs */

	/* TaskObj and FutureObj, Modules/_asynciomodule.c; task_size bytes cover all of them */
	__u16 task_size;
	__u16 task_name;
	__u16 task_awaited_by;
	__u16 task_is_task;
	__u16 task_awaited_by_is_set;
	__u16 task_coro;

	__u16 object_type;
	__u16 type_name;
	__u16 type_flags;
	__u16 set_used;
	__u16 set_table;
	__u16 set_mask;

	/* Generators, coroutines and async generators */
	__u16 gen_frame;
	__u16 gen_state;
	__u16 frame_stack;		    /* _PyInterpreterFrame.stackpointer */
	__s8 created, executing, suspended; /* values at gen_state; any other one: it has ended */
	__s8 awaiting[2];		    /* suspended in an await, unlocked and locked */
	__u8 awaited;			    /* words from the end of its stack to the object that it awaits */

	/*
	 * Up to 3.13 (python/awaiter.h), where nothing of a thread state, of sets and of who awaits a task is
	 * used, and frame_stack has a number of words, an int. Up to 3.10 a frame is an object: gen_frame has
	 * its address, gen_state is a byte of the frame.
	 */
	__u8 resume;	    /* a `yield` and an `await` look alike (3.11, 3.12): the next instruction tells */
	__u8 frame_object;  /* enum frame_object */
	__u16 frame_values; /* _PyInterpreterFrame.localsplus; up to 3.10 f_valuestack, a pointer */
	__u16 closure;	    /* PyFunctionObject.func_closure */
	__u16 function_name; /* ... and func_name */
	__u64 current;	     /* address of the dict from a loop to the task that it runs; 0 = it is 3.14+ */
	__u64 task_type, future_type;	/* addresses */
	__u64 group_type, partial_type; /* ... of asyncio.TaskGroup and functools.partial; 0 = unknown */
};

#endif

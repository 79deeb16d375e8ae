/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - the rows of bpf/frames.def: what the encoders and the summary need to know of a kind of frame.
 */
#ifndef PYPERF_PROFILE_FRAMES_H
#define PYPERF_PROFILE_FRAMES_H

#include <stdbool.h>

#include "bpf/abi.h"

/* What a frame's number in the call tree stands for; user/tree/node_frame.c has a function for each. */
enum frame_number {
	NUMBER_CODE,	   /* an entry of the table of code objects, and an instruction of it */
	NUMBER_OUTCOME,	   /* a row of outcomes.def */
	NUMBER_NATIVE,	   /* a position in the text space (abi/native.h) */
	NUMBER_SYSCALL,	   /* the number of a system call */
	NUMBER_KERNEL,	   /* a position among those of the kernel's functions (abi/native.h) */
	NUMBER_NATIVE_END, /* a row of natives.def */
	NUMBER_WAIT,	   /* a row of waits.def */
	FRAME_NUMBERS
};

/* The file that it lies in, which is its mapping in pprof. */
enum frame_mapping {
	MAPPING_INTERPRETER, /* the one with the process's interpreter */
	MAPPING_FILE,	     /* the one that its number lies in */
	MAPPING_NOWHERE,
};

/* Where the summary has it. */
enum frame_table {
	TABLE_FUNCTIONS, /* among the hottest functions and lines */
	TABLE_NATIVE, /* native code; what it took is also that of the Python function and line below it */
	TABLE_APART,  /* in the lines below the tables, as nobody could make it faster */
};

/* No text is NULL. */
struct frame_row {
	enum frame_number number;
	enum frame_mapping mapping;
	enum frame_table table;
	const char *key;    /* its kind in JSON */
	const char *behind; /* its name in folded text; flame graph programs colour by what is there */
	/*
	 * Of the page's flame graph and legend, "#rrggbb"; who does not see all colours can tell them apart,
	 * too, and from those of packages (user/page/colours.js).
	 */
	const char *colour;
	const char *shown; /* the word for it in the legend */
	const char *help;  /* for docs/frames.md */
};

/* By enum frame_kind. */
extern const struct frame_row frame_rows[FRAME_KINDS];

/*
 * In place of a stack of which all frames are hidden: it has no Python frame that could have its count.
 */
#define FRAME_ALL_HIDDEN "[native hidden]"

/* Whether the frame is that between the stack of who had the GIL and the stack of who waited for it. */
bool frame_tells_holder(enum frame_kind kind, const char *name);

/* Whether --hide native takes frames of this kind out of stacks; the Python line below has their counts. */
static inline bool frame_is_native(enum frame_kind kind)
{
	return frame_rows[kind].table == TABLE_NATIVE;
}

#endif

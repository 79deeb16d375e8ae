/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labels.h - the list of labels, labels.def, as a table: for whoever does the same with each of them.
 */
#ifndef PYPERF_PROFILE_LABELS_H
#define PYPERF_PROFILE_LABELS_H

#include <stdbool.h>
#include <linux/types.h>

enum label {
#define LABEL(key, kind, ...) LABEL_##key,
#include "profile/labels.def"
#undef LABEL
	LABEL_COUNT
};

/* The type of a label's value, by its kind. */
typedef __u32 label_number;
typedef const char *label_text;

/* Where the value comes from. */
enum label_origin {
	ORIGIN_THREAD,	  /* the kernel side knows it of the thread; tree/node_stack.c sets it */
	ORIGIN_PROCESS,	  /* ... of the process; tree/node_stack.c sets it */
	ORIGIN_STATE,	  /* ... of the moment (bpf/states.def); tree/attributes.c sets it */
	ORIGIN_STACK,	  /* the frames tell it; tree/node_stack.c sets it */
	ORIGIN_SPAN,	  /* the log's record has it (--trace); tree/journal_stacks.c sets it */
	ORIGIN_PUBLISHED, /* the process says it of itself; remote_polls/published.c sets it */
	ORIGIN_CONTAINER, /* the worker finds it out about the process; targets/containers.c sets it */
};

/* Where a label stands besides pprof. */
enum label_outputs {
	IN_QUERY = 1,  /* /debug/pprof/profile?key=value */
	IN_SERIES = 2, /* services are told apart by it: in what is pushed, and in the page's processes */
};

struct label_row {
	const char *key;
	bool is_text; /* else a number */
	enum label_origin origin;
	unsigned int outputs; /* enum label_outputs bits */
	const char *help;     /* for docs/labels.md */
};

/* By enum label. */
extern const struct label_row label_rows[LABEL_COUNT];

/* Whether the registry of processes has it, as the worker finds it out or the process says it. */
static inline bool label_is_of_registry(enum label label)
{
	return label_rows[label].origin == ORIGIN_CONTAINER || label_rows[label].origin == ORIGIN_PUBLISHED;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labels.h - the list of labels, labels.def, as a table: for whoever does the same with each of them.
 */
#ifndef PYPERF_PROFILE_LABELS_H
#define PYPERF_PROFILE_LABELS_H

#include <stdbool.h>
#include <linux/types.h>

enum label {
#define LABEL(key, kind, origin, outputs, help) LABEL_##key,
#include "profile/labels.def"
#undef LABEL
	LABEL_COUNT
};

/* The type of a label's value, by its kind. */
typedef __u32 label_number;
typedef const char *label_text;

/* Code for labels of one origin only: the code if origin is CONTAINER, else nothing. */
#define OF_CONTAINER(origin, ...)		 LABEL_OF_CONTAINER_IS_##origin(__VA_ARGS__)
#define LABEL_OF_CONTAINER_IS_CONTAINER(...) __VA_ARGS__
#define LABEL_OF_CONTAINER_IS_PUBLISHED(...)
#define LABEL_OF_CONTAINER_IS_PROCESS(...)
#define LABEL_OF_CONTAINER_IS_THREAD(...)
#define LABEL_OF_CONTAINER_IS_SPAN(...)
#define LABEL_OF_CONTAINER_IS_STATE(...)
#define LABEL_OF_CONTAINER_IS_STACK(...)

/* The same for PUBLISHED. */
#define OF_PUBLISHED(origin, ...)	     LABEL_OF_PUBLISHED_IS_##origin(__VA_ARGS__)
#define LABEL_OF_PUBLISHED_IS_PUBLISHED(...) __VA_ARGS__
#define LABEL_OF_PUBLISHED_IS_CONTAINER(...)
#define LABEL_OF_PUBLISHED_IS_PROCESS(...)
#define LABEL_OF_PUBLISHED_IS_THREAD(...)
#define LABEL_OF_PUBLISHED_IS_SPAN(...)
#define LABEL_OF_PUBLISHED_IS_STATE(...)
#define LABEL_OF_PUBLISHED_IS_STACK(...)

/* Where a label stands besides pprof, as labels.def says. */
enum label_outputs { NOWHERE_ELSE = 0, IN_QUERY = 1, IN_SERIES = 2 };

struct label_row {
	const char *key;
	bool is_text; /* else a number */
	unsigned int outputs;
};

extern const struct label_row label_rows[LABEL_COUNT];

/* How many labels a pushed series can have, but for those of --pod-label. */
enum {
	LABELS_IN_SERIES = 0
#define LABEL(key, kind, origin, outputs, help) +!!((outputs) & IN_SERIES)
#include "profile/labels.def"
#undef LABEL
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * registry.h - the processes of this run by their number (struct process.id), which names one process image
 * for good: (pid, start time, exec). Ended ones stay until
 * registry_forget(), since their samples are still to be written.
 */
#ifndef PYPERF_TARGETS_REGISTRY_H
#define PYPERF_TARGETS_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "profile/labels.h"

struct registry;

/* The rows of labels.def whose source is CONTAINER. Strings, shared; "" = none, or unknown. */
struct registry_container {
#define LABEL(key, kind, source, places, help) OF_CONTAINER(source, const char *key;)
#include "profile/labels.def"
#undef LABEL
};

struct registry_entry {
	__u32 id;
	__u32 pid;
	__u64 start_time; /* ns since boot */
	bool ended;
	bool over; /* for who forgets entries: seen to be over once */
	char comm[16];
	const char *binary;   /* path of the interpreter's file, "" if unknown; shared */
	const char *build_id; /* hexadecimal, "" if none; shared */
	struct registry_container container;
	int layout; /* kernel_add_layout()'s index, -1 = none */
};

int registry_new(struct registry **ret);
void registry_free(struct registry *r);

/* Adds, or replaces one of the same id. Strings are copied. Returns 0 or -ENOMEM. */
int registry_add(struct registry *r, const struct registry_entry *e);
/* The text of a label whose source is CONTAINER; of the others "". */
const char *registry_label(const struct registry_entry *e, enum label label);
/* NULL if unknown; valid until the next registry_add(). */
const struct registry_entry *registry_find(const struct registry *r, __u32 id);
void registry_end(struct registry *r, __u32 id);
/*
 * Forgets those for which may_go() is true, and then the paths that no other has. It may change .over alone.
 */
void registry_forget(struct registry *r, bool (*may_go)(void *context, struct registry_entry *e),
		     void *context);
/* Those that are not forgotten. */
size_t registry_held(const struct registry *r);
/* Python processes seen, and those of them that live. */
size_t registry_count(const struct registry *r, size_t *ret_live);

/*
 * The entry after the one of this id, in no order that means anything; behind the last, the first. NULL: none
 * at all.
 */
const struct registry_entry *registry_after(const struct registry *r, __u32 id);
/* Calls fn for each; stops and returns fn's value when that is not 0. */
int registry_each(const struct registry *r, int (*fn)(void *context, const struct registry_entry *e),
		  void *context);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * registry.h - the processes of this run by their number (struct process.id), which names one process image
 * for good: (pid, start time, exec count). Processes that have ended stay until registry_forget(), since
 * their samples are still to be written.
 */
#ifndef PYPERF_TARGETS_REGISTRY_H
#define PYPERF_TARGETS_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "proc/otel_context.h"
#include "profile/labels.h"

struct cpu_quota;
struct quotas;
struct registry;
struct unlooked;

struct registry_entry {
	__u32 id;
	__u32 pid;
	__u64 start_time; /* ns since boot */
	__u64 user;	  /* as struct process has it */
	/*
	 * From when on it may have loaded code: a fork has all that its parent had. Of forks that were seen;
	 * else 0, which is start_time.
	 */
	__u64 loads_from;
	bool ended;
	/*
	 * Set by tree/generation.c when it first finds that the process has ended. The next time it forgets
	 * the entry.
	 */
	bool over;
	char comm[16];
	const char *binary;   /* path of the interpreter's file, "" if unknown; the registry's */
	const char *build_id; /* of that file, hexadecimal, "" if none; the registry's */
	/* Those for which label_is_of_registry(). "" = none, or unknown; the registry's. */
	const char *label[LABEL_COUNT];
	struct otel_place published; /* where the process says some of them, and when it did */
	int layout;		     /* its index from kernel_add_layout(), -1 = none */
};

int registry_new(struct registry **ret);
void registry_free(struct registry *r);

/* Adds an entry, or replaces the one of the same id. Its strings are copied, and NULL is "". 0 or -ENOMEM. */
int registry_add(struct registry *r, const struct registry_entry *e);
/* The entry of this number, valid until the next registry_add(). NULL if there is none. */
const struct registry_entry *registry_find(const struct registry *r, __u32 id);
/* The process has ended. Numbers that are not known are ignored. */
void registry_end(struct registry *r, __u32 id);
/*
 * Forgets the entries for which may_go() returns true, and then the paths that no other entry has. may_go()
 * may change the entry's `over` and nothing else.
 */
void registry_forget(struct registry *r, bool (*may_go)(void *context, struct registry_entry *e),
		     void *context);
/* How many entries there are that are not forgotten. */
size_t registry_held(const struct registry *r);
/* How many processes were seen in the run that are profiled; *ret_live is how many of them live. */
size_t registry_count(const struct registry *r, size_t *ret_live);

/*
 * Grows whenever a process is new, has got another layout, has ended or is forgotten: while it stays, nobody
 * has to compare with the registry what is known of processes elsewhere.
 */
__u64 registry_changes(const struct registry *r);

/* The processes that are in no entry because nobody could look at them; the registry's. */
struct unlooked *registry_unlooked(struct registry *r);
/* quotas_meet() of a process; and what came of all of them. */
void registry_meet_quota(struct registry *r, __u32 pid, const struct cpu_quota *read);
const struct quotas *registry_quotas(const struct registry *r);
/* unlooked_count() of them, now. */
size_t registry_count_unlooked(const struct registry *r);
/* unlooked_whose() of them, now; the text has room for UNLOOKED_WHOSE_SIZE bytes. */
size_t registry_whose_unlooked(const struct registry *r, char *ret);

/*
 * The entry after the one with this id, in an order that means nothing. After the last one comes the first.
 * NULL if there is no entry at all.
 */
const struct registry_entry *registry_after(const struct registry *r, __u32 id);
/* Calls fn for each entry. When fn returns something other than 0, that ends it and is returned. */
int registry_each(const struct registry *r, int (*fn)(void *context, const struct registry_entry *e),
		  void *context);

#endif

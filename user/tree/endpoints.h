/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * endpoints.h - which request's handler a stack belongs to, found on the call tree: a node's endpoint is that
 * of its parent, unless one of the rules (endpoint/rules.h) says something of its own frame. So each node is
 * looked at once for a profile, and each code object is compared with the rules once.
 */
#ifndef PYPERF_TREE_ENDPOINTS_H
#define PYPERF_TREE_ENDPOINTS_H

#include <stdbool.h>
#include <linux/types.h>

struct harvest_inputs;
struct harvest_span;
struct node_stack;
struct shares;

/*
 * Of one profile: those with most samples, of which a user may have as many as are left for others
 * (base/fair.h). Those beyond are all called ENDPOINTS_MORE.
 */
#define ENDPOINTS_MAX  2048
#define ENDPOINTS_MORE "[more endpoints]"

struct endpoint_name;

/* A code object that is an endpoint. */
struct endpoint_met {
	__u64 user;  /* whose process it is of, as struct process has it */
	__u64 count; /* of samples */
};

/* Begins as 0. */
struct endpoints {
	__u64 *state_of; /* by node; 0 = not looked at yet */
	__u8 *rule_of;	 /* by code object; 0 = not compared yet, else 1 + the number of its rule */
	struct endpoint_name **name_of; /* by code object; NULL = not asked for yet */
	struct endpoint_name *names;	/* by text, as forked processes have them in common */
	struct shares *shares;		/* of names */
	__u32 count;
	struct endpoint_met *met; /* by code object */
	__u32 next;		  /* the node with which the counting goes on */
	bool ranked;		  /* those with most samples have their names */
};

/*
 * Gives names to those with most samples in this span, if endpoints_find() was not asked before. 0; -EAGAIN:
 * it has paused, and is to be called again; -ENOMEM.
 */
int endpoints_rank(struct endpoints *e, const struct harvest_inputs *inputs, const struct harvest_span *span);

/*
 * Sets *ret_name to the name of the endpoint of what a node stands for, of which node_stack_begin() was true.
 * It is kept until endpoints_free(); NULL: it belongs to none. 0 or -ENOMEM.
 */
int endpoints_find(struct endpoints *e, const struct harvest_inputs *inputs, const struct node_stack *s,
		   const char **ret_name);
/* Whether this is the name of those beyond. */
bool endpoints_is_more(const char *name);
/* Forgets all; e can be used again. */
void endpoints_free(struct endpoints *e);

#endif

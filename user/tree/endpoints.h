/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * endpoints.h - which request's handler a stack belongs to, found on the call tree: a node's endpoint is that
 * of its parent, unless one of the rules (endpoint/rules.h) says something of its own frame. So each node is
 * looked at once for a profile, and each code object is compared with the rules once.
 */
#ifndef PYPERF_TREE_ENDPOINTS_H
#define PYPERF_TREE_ENDPOINTS_H

#include <linux/types.h>

struct harvest_inputs;

#define ENDPOINTS_MAX  1024 /* of one profile; those beyond are all called ENDPOINTS_MORE */
#define ENDPOINTS_MORE "[more endpoints]"

struct endpoint_name;

/* Begins as 0. */
struct endpoints {
	__u64 *state_of; /* by node; 0 = not looked at yet */
	__u8 *rule_of;	 /* by code object; 0 = not compared yet, else 1 + the number of its rule */
	struct endpoint_name **name_of; /* by code object; NULL = not asked for yet */
	struct endpoint_name *names;	/* by text, as forked processes have them in common */
	__u32 count;
};

/*
 * Sets *ret_name to the name of the endpoint of a node below this root, which is kept until
 * endpoints_free(); NULL: it belongs to none. The chain of nodes has been found possible
 * (node_stack_begin()). 0 or -ENOMEM.
 */
int endpoints_find(struct endpoints *e, const struct harvest_inputs *inputs, __u32 node, __u32 root,
		   const char **ret_name);
/* Forgets all; e can be used again. */
void endpoints_free(struct endpoints *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node_stack.h - what a node of the call tree stands for: whose samples it counts, of which kind of event,
 * with which labels and which frames.
 */
#ifndef PYPERF_TREE_NODE_STACK_H
#define PYPERF_TREE_NODE_STACK_H

#include "bpf/abi.h"
#include "profile/profile.h"
#include "tree/node_frame.h"

/* Nodes of the deepest stack: --max-depth's limit, what the GIL's holder has above it, markers, the root. */
#define NODE_STACK_MAX (4112 + HOLDER_DEPTH)
#define INLINED_MAX    4096 /* frames of a stack without a node: of functions into which others were put */

struct node_stack {
	__u32 kind; /* an enum event_kind; EVENT_KINDS or more in tables that are not ours */
	struct profile_labels labels;		       /* the texts are those of the inputs, and comm */
	__u32 locations[NODE_STACK_MAX + INLINED_MAX]; /* leaf first */
	__u32 n;

	/* For node_stack.c. */
	__u32 node, leaf, root; /* between node and leaf, which has the first frame, are the attributes */
	__u32 top; /* of a turn of an event loop: it is between those that it has, and those of its tick */
	const struct owner *owner;
	const struct registry_entry *process; /* NULL: its record was lost */
	char comm[sizeof(((struct owner *)0)->comm)];
};

/* Begins with a node: says of which kind it is. False for a chain of nodes that cannot be. */
bool node_stack_begin(const struct harvest_inputs *inputs, __u32 node, struct node_stack *ret);
/* Then its labels, but for that of an import, which the frames tell. */
void node_stack_labels(const struct harvest_inputs *inputs, struct node_stack *s);
/* Then its frames. 0, -ENOMEM, or -EAGAIN: time is up; then it is to be called again. */
int node_stack_frames(struct node_frames *f, struct node_stack *s);

#endif

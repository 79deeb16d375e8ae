/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harvest_inputs.h - where the parts of a profile come from, and how fine they are.
 */
#ifndef PYPERF_TREE_HARVEST_INPUTS_H
#define PYPERF_TREE_HARVEST_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

struct called;
struct codes;
struct context_names;
struct kernel_names;
struct kernel_tables;
struct natives;
struct pod_label_names;
struct pod_labels;
struct registry;
struct rules;
struct service_order;

struct harvest_inputs {
	const struct kernel_tables *tables;
	struct codes *codes;
	const struct registry *registry;
	const struct called *called;	   /* what programs call their threads; may be NULL */
	const struct natives *natives;	   /* NULL: there are no native frames */
	bool hide_native;		   /* leaves frames of native code out (frame_is_native()) */
	struct kernel_names *kernel_names; /* NULL: the kernel's functions have none */
	bool interpreter;		   /* shows the interpreter's own loop, too */
	/*
	 * From so many bytes of a profile on, further stacks become one frame, [dropped]. 0 = PROFILE_BYTES.
	 * Otherwise programs that never repeat a stack would take all memory.
	 */
	size_t bytes_max;
	bool columns; /* tells places in one line apart, where the interpreter knows them */
	const struct rules *endpoint_rules;  /* NULL: samples have no endpoint */
	const struct pod_labels *pod_labels; /* may be NULL, as the next */
	const struct pod_label_names *pod_label_names;
	const struct context_names *context_names; /* may be NULL */
	const struct service_order *services;	   /* NULL: the usual order */
};

#endif

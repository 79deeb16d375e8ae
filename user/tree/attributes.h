/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attributes.h - labels of what a sample carries besides its stack: the rows of bpf/attributes.def.
 */
#ifndef PYPERF_TREE_ATTRIBUTES_H
#define PYPERF_TREE_ATTRIBUTES_H

#include <linux/types.h>

struct codes;
struct profile_labels;

/*
 * Sets the labels that the attribute of this node makes, and leaves the others alone. The texts of names are
 * those of codes. The values of context variables go into variables[CONTEXT_LABELS]. An attribute that
 * nobody knows makes none, and so does a name that never came.
 */
void attributes_fill(__u64 key, struct codes *codes, const char **variables, struct profile_labels *l);

#endif

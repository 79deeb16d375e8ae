/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attributes.h - labels of what a sample carries besides its stack: the rows of bpf/attributes.def, and those
 * of bpf/states.def, which say what the interpreter was doing.
 */
#ifndef PYPERF_TREE_ATTRIBUTES_H
#define PYPERF_TREE_ATTRIBUTES_H

#include <stdbool.h>
#include <linux/types.h>

struct codes;
struct profile;
struct profile_labels;

/*
 * Sets the labels that the attribute of this node makes, and leaves the others alone. The texts of names are
 * those of codes. The values of context variables go into variables[CONTEXT_LABELS]. An attribute that
 * nobody knows makes none, and so does a name that never came. Bits of no state mean nothing.
 */
void attributes_fill(__u64 key, struct codes *codes, const char **variables, struct profile_labels *l);
/* Whether what stands above this location, which must be of a Python frame, is the import of a module. */
bool attributes_is_import(const struct profile *p, __u32 location);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * states.h - labels that say what the interpreter was doing at a sample.
 */
#ifndef PYPERF_TREE_STATES_H
#define PYPERF_TREE_STATES_H

#include <stdbool.h>
#include <linux/types.h>

struct profile;
struct profile_labels;

/* Sets the labels of these STATE_BIT()s, and leaves the others alone. Bits of no state mean nothing. */
void states_fill(__u32 bits, struct profile_labels *l);
/* Whether what stands above this location, which must be of a Python frame, is the import of a module. */
bool states_is_import(const struct profile *p, __u32 location);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profiles.h - what `report` and `diff` share: profiles that are there are read.
 */
#ifndef PYPERF_RUN_PROFILES_H
#define PYPERF_RUN_PROFILES_H

#include "options/options.h"
#include "recorded/recorded.h"

/*
 * Whoever wrote the files may mean harm, and it may be root who looks at them: all rights but that to read
 * files are given up. Paths are shortened from here on, as --paths says. Logs; 0 or -errno.
 */
int profiles_begin(const struct options *o);
/*
 * Adds a file or folder, or what a URL stands for. labels: of a store of profiles, which have to fit besides
 * (run/stored.h); NULL = none. by_node: its nodes are told apart. Logs; 0 or -errno.
 */
int profiles_read(const struct options *o, const char *path, const char *labels, bool by_node,
		  struct recorded *r);

#endif

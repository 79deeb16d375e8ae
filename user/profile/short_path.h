/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * short_path.h - how tables name a file: as people do, fastapi/routing.py and not where that happens to be
 * installed. Profiles keep the whole path; only what a person reads on a terminal is shortened.
 */
#ifndef PYPERF_PROFILE_SHORT_PATH_H
#define PYPERF_PROFILE_SHORT_PATH_H

#include <stdbool.h>

/*
 * The rule. Of a path of a library it is the part below site-packages, dist-packages or lib/pythonX.Y; of a
 * shared object elsewhere its name; of any other file the part below folder, or else its last two parts. What
 * is no absolute path, such as [markers] and <frozen modules>, stays. It points into path; a line behind it
 * (":12") does no harm. folder may be NULL.
 */
const char *short_path_of(const char *path, const char *folder);

/* Whether it is a path of the standard library. */
bool short_path_is_standard(const char *path);
/*
 * The part behind the last site-packages or dist-packages, and behind the last lib/pythonX.Y; NULL: the path
 * leads through none. What is installed lies below the standard library, too, so ask the first one first.
 */
const char *short_path_in_packages(const char *path);
const char *short_path_in_standard_library(const char *path);

/* From now on short_path() follows that rule, with the folder, of which it keeps a copy. */
void short_path_begin(const char *folder);
/* Without short_path_begin() the path as it is. */
const char *short_path(const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * firefox_threads.h - the threads of a profile as the Firefox Profiler has them: samples and markers.
 */
#ifndef PYPERF_FORMATS_FIREFOX_THREADS_H
#define PYPERF_FORMATS_FIREFOX_THREADS_H

struct buf;
struct firefox_stacks;
struct profile;

/* Appends "threads":[...]. Names of markers are strings behind those of the profile, and one more. */
int firefox_threads_write(const struct profile *p, const struct firefox_stacks *s, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_profile.h - a profile that is in memory (profile/profile.h) as what is read of its file, without that
 * file: for the tables and findings of a run, and of what a client asks for.
 */
#ifndef PYPERF_RECORDED_READ_PROFILE_H
#define PYPERF_RECORDED_READ_PROFILE_H

struct profile;
struct recorded;

/*
 * Into r, which is empty, as read_pprof() of pprof_encode() does it. With r->trace as of otlp_encode(): types
 * of which there are no samples are not there, and moments are. Labels have their own names in both cases. 0;
 * -ENOMEM; -E2BIG. After a failure r can only be freed.
 */
int read_profile(struct recorded *r, const struct profile *p);

#endif

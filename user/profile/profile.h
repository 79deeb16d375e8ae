/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile.h - one profile as a value: stacks of frames, whom they belong to, and how much of each kind of
 * event was seen there. No I/O, no globals. Equal content is kept once, so ids can be compared; strings come
 * from foreign processes and are valid UTF-8 from the moment they are in. The encoders (pprof, folded,
 * summary) only read it.
 */
#ifndef PYPERF_PROFILE_PROFILE_H
#define PYPERF_PROFILE_PROFILE_H

#include <stddef.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "profile/events.h"
#include "profile/labels.h"

struct profile;

#define PROFILE_STRING_MAX 4096	 /* bytes kept of one string: PATH_MAX, the longest name that can matter */
#define PROFILE_FRAMES_MAX 65536 /* frames of one sample */
#define PROFILE_EXTRA_MAX  16	 /* labels of the caller's own */

struct profile_info {
	__u32 events;	     /* EVENT_BIT()s of the kinds that it is of; for good once there is a profile */
	__s64 period_ns;     /* time that one sample of a kind with a period stands for; > 0 */
	__s64 start_unix_ns; /* since 1970 */
	__s64 duration_ns;
	__u32 frequency; /* samples asked for per CPU and second; 0 = unknown */
	const char *extra[PROFILE_EXTRA_MAX]; /* names of further labels, borrowed; for good once there is a profile */
	__u32 extra_count;
};

/* Whom a sample belongs to: a field for each row of labels.def. NULL strings are as "". */
struct profile_labels {
#define LABEL(key, kind, source, places, help) label_##kind key;
#include "profile/labels.def"
#undef LABEL
	const char *extra[PROFILE_EXTRA_MAX]; /* in the order of profile_info's names */
};

/* -EINVAL (no kind of event, unknown ones, a period that is not positive, too many extra labels), -ENOMEM. */
int profile_new(const struct profile_info *info, struct profile **ret);
void profile_free(struct profile *p);
const struct profile_info *profile_get_info(const struct profile *p);
/*
 * When it turns out to have lasted longer. The kinds and the extra labels stay. -EINVAL: a period that is not
 * positive.
 */
int profile_set_info(struct profile *p, const struct profile_info *info);

/*
 * Each stores the id of the record with this content, new or known. Ids count from 1 for each kind; 0 means
 * "none". Errors: -ENOMEM; -EINVAL for an id, a line or a column that cannot be. After a failure the profile is as
 * before, but for strings that nothing refers to.
 */
int profile_mapping(struct profile *p, const char *file, const char *build_id, __u32 *ret_id);
/* file may be "": marker frames such as "[truncated]" have none. -EINVAL: there is no such kind either. */
int profile_function(struct profile *p, enum frame_kind kind, const char *name, const char *file, int start_line,
		     __u32 *ret_id);
/* line and column count from 1, 0 = unknown; mapping 0 = none. */
int profile_location(struct profile *p, __u32 function, int line, int column, __u32 mapping, __u32 *ret_id);

/*
 * Adds `count`, in the unit of its kind, to one stack, leaf first, 1 to PROFILE_FRAMES_MAX frames. -EINVAL
 * for other numbers of frames, and for a kind that the profile is not of. An equal stack with equal labels is
 * merged: it has a count of each kind. A count of 0 adds nothing.
 */
int profile_sample(struct profile *p, enum event_kind kind, const __u32 *locations, size_t n,
		   const struct profile_labels *labels, __u64 count);

/* What the encoders read. All ids are those of the functions above, or of the records below. */

enum profile_kind {
	PROFILE_STRING,
	PROFILE_MAPPING,
	PROFILE_FUNCTION,
	PROFILE_LOCATION,
	PROFILE_OWNER,
	PROFILE_SAMPLE,
	PROFILE_KINDS,
};

struct profile_mapping {
	__u32 file, build_id; /* string ids; 0 is "" */
};

struct profile_function {
	__u32 name, file; /* string ids */
	__u32 start_line;
	__u32 kind; /* enum frame_kind of its frames */
};

struct profile_location {
	__u32 function, line, column, mapping;
};

/* Labels by name, o->pid, and by row, o->label[LABEL_pid]. Texts are string ids. */
struct profile_owner {
	union {
		struct {
#define LABEL(key, kind, source, places, help) __u32 key;
#include "profile/labels.def"
#undef LABEL
		};
		__u32 label[LABEL_COUNT];
	};
	__u32 extra[PROFILE_EXTRA_MAX]; /* string ids; only profile_info.extra_count of them are there */
};

struct profile_stack {
	__u32 owner;
	__u32 n;
	const __u32 *locations; /* leaf first */
	__u64 count;		/* of the kind that profile_shown() says */
	const __u64 *counts;	/* by enum event_kind; until the next profile_sample() */
};

/* Records of this kind: their ids are 1 to this number. */
__u32 profile_count(const struct profile *p, enum profile_kind kind);
/* Ids must be valid, but string 0, which is "". */
const char *profile_get_string(const struct profile *p, __u32 id);
const struct profile_mapping *profile_get_mapping(const struct profile *p, __u32 id);
const struct profile_function *profile_get_function(const struct profile *p, __u32 id);
const struct profile_location *profile_get_location(const struct profile *p, __u32 id);
const struct profile_owner *profile_get_owner(const struct profile *p, __u32 id);
struct profile_stack profile_get_sample(const struct profile *p, __u32 id);
/* The labels that an owner was made of. */
struct profile_labels profile_get_labels(const struct profile *p, __u32 owner);
/* The first of its kinds: what an output with one number a stack shows. filter.h can take out another. */
enum event_kind profile_shown(const struct profile *p);
/* All samples of the kind that is shown; never wraps. */
__u64 profile_total(const struct profile *p);
/* The same of any kind. */
__u64 profile_total_of(const struct profile *p, enum event_kind kind);

static inline void profile_cleanup(struct profile **p)
{
	profile_free(*p);
}

#define _cleanup_profile_ _cleanup_(profile_cleanup)

#endif

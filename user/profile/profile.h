/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile.h - one profile as a value: stacks of frames, whom they belong to, and how much of each kind of
 * event was seen there. There is no I/O and there are no globals. Equal content is kept once, so ids can be
 * compared. Strings come from foreign processes; once they are in, they are valid UTF-8. The encoders (pprof,
 * folded, summary) only read a profile.
 */
#ifndef PYPERF_PROFILE_PROFILE_H
#define PYPERF_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "profile/events.h"
#include "profile/full_tables.h"
#include "profile/labels.h"
#include "profile/services.h"

struct moment;
struct moments;
struct profile;

#define PROFILE_STRING_MAX 4096	 /* bytes kept of one string: PATH_MAX, the longest name that can matter */
#define PROFILE_FRAMES_MAX 65536 /* frames of one sample */
#define PROFILE_TIME	   EVENT_KINDS /* beside the kinds: ns that the CPU kind's samples stand for */
#define PROFILE_EXTRA_MAX  20	 /* extra labels, whose names the caller chooses */

/* A CPU on which fewer ticks came than should have. */
struct profile_cpu {
	__u32 cpu;
	__u64 came, wanted;
};

#define PROFILE_CPUS_MAX 4

/* Samples that the log lost of the time that it was made of (--log). */
struct profile_loss {
	__s64 from_unix_ns, to_unix_ns; /* when they were taken */
	__u64 samples;
};

/* A cgroup whose quota of CPU time held threads back (proc/cpu_quota.h). */
#define PROFILE_QUOTA_PIDS 8
struct profile_quota {
	char cgroup[512];
	__u64 quota_us, period_us;
	__u64 periods, ended_early;	/* those that lasted longer than the quota */
	__u64 held_us, ran_us;		/* of all CPUs */
	__u32 pids[PROFILE_QUOTA_PIDS]; /* processes of the run that are in there */
	__u32 pid_count, more;		/* more: there are others */
};

#define PROFILE_QUOTAS_MAX 4
#define PROFILE_LOSSES_MAX 4 /* spans; what is beyond is part of the last one */

struct profile_info {
	__u32 events;	     /* EVENT_BIT()s of its kinds, which cannot change once there is a profile */
	__s64 period_ns;     /* time that one sample of a kind with a period stands for; > 0 */
	__s64 start_unix_ns; /* since 1970 */
	__s64 duration_ns;
	__s64 boot_unix_ns; /* when the machine began, since 1970; 0 = not known */
	__u32 frequency;    /* samples asked for per CPU and second; 0 = unknown */
	/* Ticks there were, and should have been, if they were fewer: period_ns is longer by that. Else 0. */
	__u64 ticks_came, ticks_wanted;
	struct profile_cpu short_cpus[PROFILE_CPUS_MAX]; /* those that lack most, the worst first */
	__u32 short_cpu_count; /* how many there are, also beyond PROFILE_CPUS_MAX */
	__u64 unanalysed;      /* ticks of processes that had only begun: they are not in the profile, ... */
	__u64 forbidden;       /* ... nor are those of processes that may not be read */
	__u32 unlooked;	       /* processes of the run that could not be looked at */
	char whose_unlooked[256];			/* in words whose they are, "" = not known */
	struct profile_loss losses[PROFILE_LOSSES_MAX]; /* the oldest first */
	__u32 loss_count;
	struct profile_quota quotas[PROFILE_QUOTAS_MAX]; /* those that held back for longest, in order */
	__u32 quota_count;
	/* Of one trace: ticks of the log in that time, and those of them that are in no span. Else 0. */
	__u64 log_ticks, log_spanless;
	__u64 full[FULL_TABLES]; /* how often tables had no room meanwhile */
	/* Names of extra labels, borrowed. Once there is a profile they cannot change. */
	const char *extra[PROFILE_EXTRA_MAX];
	__u32 extra_count;
	__u32 extra_in_series;	       /* services are told apart by the first so many of them */
	struct service_order services; /* where their names come from */
	bool outside;		       /* it was sampled from outside, without BPF */
	bool timed; /* CPU time is that of the kernel's account: samples have a PROFILE_TIME of their own */
	bool bare_natives; /* pprof gets no names of machine code in files that have a build id */
};

/* Whom a sample belongs to: a field for each row of labels.def. A string that is NULL means "". */
struct profile_labels {
#define LABEL(key, kind, ...) label_##kind key;
#include "profile/labels.def"
#undef LABEL
	const char *extra[PROFILE_EXTRA_MAX]; /* in the order of profile_info's names */
	__u64 began_boot_ns; /* no label: when the process began, since boot; 0 = not known */
	__u64 user;	     /* no label: whose process it is, as the kernel side has it; 0 = not known */
};

/* Sets a label that is a text, which stays the caller's. */
void profile_labels_set(struct profile_labels *l, enum label label, const char *text);
/* Sets one that is a number. */
void profile_labels_set_number(struct profile_labels *l, enum label label, label_number number);

/*
 * 0; -EINVAL for no kind of event or unknown ones, for a period that is not positive, or for too many extra
 * labels; -ENOMEM.
 */
int profile_new(const struct profile_info *info, struct profile **ret);
void profile_free(struct profile *p);
const struct profile_info *profile_get_info(const struct profile *p);
/*
 * Changes what it says of itself, for when it turns out to have lasted longer. Its kinds and extra labels
 * stay as they are. 0, or -EINVAL for a period that is not positive.
 */
int profile_set_info(struct profile *p, const struct profile_info *info);

/*
 * Each of these finds the record with this content, or adds it, and puts its id into *ret_id. Ids count from
 * 1 for each kind of record; 0 means "none". Returns 0; -ENOMEM; or -EINVAL for an id, a line or a column
 * that is impossible. After a failure the profile is as before, but for strings that nothing refers to.
 */
int profile_mapping(struct profile *p, const char *file, const char *build_id, __u32 *ret_id);
/*
 * A mapping of machine code. An offset in the file plus shift is an address of the file; NULL: the shift is
 * not known. The interpreter has a mapping of the other kind, too, for Python frames.
 */
int profile_mapping_native(struct profile *p, const char *file, const char *build_id, const __u64 *shift,
			   __u32 *ret_id);
/* file may be "": marker frames such as "[truncated]" have none. -EINVAL also for an unknown kind. */
int profile_function(struct profile *p, enum frame_kind kind, const char *name, const char *file,
		     int start_line, __u32 *ret_id);
/* line and column count from 1; 0 = unknown. A mapping of 0 means none. */
int profile_location(struct profile *p, __u32 function, int line, int column, __u32 mapping, __u32 *ret_id);
/* Machine code: an offset in the mapping's file, by which its function was met. It has no line. */
int profile_location_native(struct profile *p, __u32 function, __u32 mapping, __u32 offset, __u32 *ret_id);
/*
 * Machine code whose line is known, or 0. around: the location, of the same mapping and offset, of the
 * function into which the compiler has put this one, and which is its caller in every stack; 0 = none.
 */
int profile_location_line(struct profile *p, __u32 function, int line, __u32 mapping, __u32 offset,
			  __u32 around, __u32 *ret_id);

/*
 * Adds `count`, in the unit of its kind, to one stack, leaf first. An equal stack with equal labels is one
 * with it, and has a count of each kind. A count of 0 adds nothing. 0; -EINVAL if n is not 1 to
 * PROFILE_FRAMES_MAX, or if the profile is not of this kind; -ENOMEM.
 */
int profile_sample(struct profile *p, enum event_kind kind, const __u32 *locations, size_t n,
		   const struct profile_labels *labels, __u64 count);
/* The same, where the books of the kind (profile_booked()) have another number for it. */
int profile_sample_booked(struct profile *p, enum event_kind kind, const __u32 *locations, size_t n,
			  const struct profile_labels *labels, __u64 count, __u64 booked);

/* The id of the sample that the last of these has added, or found; 0 = none has yet. */
__u32 profile_last_sample(const struct profile *p);
/*
 * Notes when an amount of a sample was counted. It does not count that. 0; -EINVAL for a sample or a kind
 * that there is not; -ENOMEM.
 */
int profile_moment(struct profile *p, const struct moment *m);

/*
 * Adds ns of CPU time that the kernel's own account says of whom these labels name. It is no sample: the
 * profile only says where it does not fit to them (accounts.h). 0 or -ENOMEM.
 */
int profile_account(struct profile *p, const struct profile_labels *labels, __u64 ns);

/* The rest is for the encoders. All ids are those of the functions above, or of the records below. */

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
	__u32 file, build_id; /* ids of strings; 0 is "" */
	/* Of machine code: its locations are offsets in the file; with shift, if that is known, addresses. */
	__u32 is_native, is_even;
	__u64 shift;
};

struct profile_function {
	__u32 name, file; /* ids of strings */
	__u32 start_line;
	__u32 kind; /* enum frame_kind, of its frames */
};

struct profile_location {
	__u32 function, line, column, mapping;
	__u32 offset; /* of native code, in the mapping's file */
	__u32 around; /* the location of the function that this was inlined into; 0 = none */
};

/*
 * The labels are there by name, as o->pid, and by row, as o->label[LABEL_pid]. A text is the id of a string.
 */
struct profile_owner {
	union {
		struct {
#define LABEL(key, kind, ...) __u32 key;
#include "profile/labels.def"
#undef LABEL
		};
		__u32 label[LABEL_COUNT];
	};
	__u64 began_boot_ns, user;	/* those of its labels */
	__u32 extra[PROFILE_EXTRA_MAX]; /* ids of strings; profile_info.extra_count of them are set */
};

struct profile_stack {
	__u32 owner;
	__u32 n;
	const __u32 *locations; /* leaf first */
	__u64 count;		/* of the kind that profile_shown() says, profile_shown_unit() */
	const __u64 *counts;	/* by enum event_kind, and PROFILE_TIME; until the next profile_sample() */
};

/* All the memory that it takes. */
size_t profile_bytes(const struct profile *p);
/* How many records of this kind there are. Their ids are 1 to this number. */
__u32 profile_count(const struct profile *p, enum profile_kind kind);
/* In these functions an id must be valid. Of strings 0 is valid as well: it is "". */
const char *profile_get_string(const struct profile *p, __u32 id);
const struct profile_mapping *profile_get_mapping(const struct profile *p, __u32 id);
const struct profile_function *profile_get_function(const struct profile *p, __u32 id);
const struct profile_location *profile_get_location(const struct profile *p, __u32 id);
const struct profile_owner *profile_get_owner(const struct profile *p, __u32 id);
struct profile_stack profile_get_sample(const struct profile *p, __u32 id);
/* What profile_account() has added for an owner, and whether it has for any. */
__u64 profile_get_account(const struct profile *p, __u32 owner);
bool profile_has_accounts(const struct profile *p);
/* When its samples were taken; none are there where nobody has noted it. */
const struct moments *profile_moments(const struct profile *p);
/* The labels that an owner was made of. */
struct profile_labels profile_get_labels(const struct profile *p, __u32 owner);
/* The first of its kinds: what an output with one number a stack shows. filter.h can take out another. */
enum event_kind profile_shown(const struct profile *p);
/*
 * What the numbers stand for that profile_stack.count and profile_total() say: those of the kind that is
 * shown, but for CPU time of the kernel's account (profile_info.timed). That is shown in its place, so that
 * whatever has one number a stack says the same CPU time, also of a stack that no tick has met.
 */
enum event_unit profile_shown_unit(const struct profile *p);
/* So much of it as people read it, in the unit of event_amount_unit(). */
double profile_shown_amount(const struct profile *p, __u64 count);
/* The sum of all profile_stack.count. It never wraps. */
__u64 profile_total(const struct profile *p);
/* The count of all samples of this kind. It never wraps. */
__u64 profile_total_of(const struct profile *p, enum event_kind kind);

/* What the books have for all samples of this kind: the same, but for the CPU's part of wall time. */
__u64 profile_booked(const struct profile *p, enum event_kind kind);

static inline void profile_cleanup(struct profile **p)
{
	profile_free(*p);
}

#define _cleanup_profile_ _cleanup_(profile_cleanup)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorded.h - profiles that were read from files, as one value: of this program, or of any other that writes
 * pprof. What is read is hostile: once it is in, each text is valid UTF-8 of bounded length, each id leads
 * somewhere, and no sum overflows. Several files become one: their equal stacks are one stack.
 */
#ifndef PYPERF_RECORDED_RECORDED_H
#define PYPERF_RECORDED_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"
#include "bpf/abi.h"
#include "recorded/growths.h"
#include "recorded/interned.h"
#include "recorded/process_starts.h"
#include "recorded/pushed_books.h"
#include "recorded/quotas.h"

#define RECORDED_STRING_MAX   4096	 /* bytes kept of one text, as in profile/profile.h */
#define RECORDED_TYPES_MAX    64	 /* sample types */
#define RECORDED_COMMENTS_MAX 256	 /* different ones that are kept */
#define RECORDED_BASE	      "pprof::base" /* as go tool pprof marks what is compared with */
#define RECORDED_LABELS_MAX   256	 /* of a sample */
#define RECORDED_STACK_MAX    (1u << 20) /* frames of one stack */
#define RECORDED_MOMENTS_MAX  (1u << 22)
#define RECORDED_FRAMES_MAX   (1u << 27) /* of all different stacks */

struct recorded_type {
	__u32 type, unit; /* ids of strings */
};

struct recorded_function {
	__u32 name, file; /* ids of strings */
	__s64 start_line;
};

struct recorded_mapping {
	__u32 file, build_id; /* ids of strings */
};

/* A frame: a line of a function. Code that is known by its address only is a function without a name. */
struct recorded_place {
	__u32 function, mapping; /* mapping: 0 = none */
	__u32 kind;		 /* enum frame_kind, as frame_kinds.h finds it */
	__u32 unused;
	__s64 line, column;
	__u64 address;
};

struct recorded_label {
	__u32 key, text; /* ids of strings; text of a number: its unit */
	__u32 is_number, unused;
	__s64 number;
};

struct recorded_stack {
	const __u32 *places; /* leaf first */
	size_t n;
	const struct recorded_label *labels; /* sorted by key, so that equal sets are equal */
	size_t label_count;
	const __s64 *values; /* as the sample types are */
};

/* When a part of a stack's value was counted. */
struct recorded_moment {
	__s64 begin; /* ns since 1970 */
	__s64 value;
	__u32 stack, type; /* type: index of the sample types */
};

struct recorded {
	struct interned strings, functions, mappings, places, owners, stacks;
	__s64 *values; /* of stack id - 1: type_count of them */
	size_t values_capacity;
	struct recorded_type types[RECORDED_TYPES_MAX];
	size_t type_count;
	__u32 default_type;		       /* string; 0 = none is said */
	__u32 comments[RECORDED_COMMENTS_MAX]; /* strings */
	size_t comment_count;
	__s64 start_ns, end_ns; /* since 1970; 0 = not known */
	__s64 duration_ns;	/* of all files */
	__s64 period;
	struct recorded_type period_type;
	__s64 from_ns, to_ns; /* files that were wholly outside of it are left out; 0 = no such end */
	size_t files, left_out, unreadable;
	size_t twice;	       /* files of folders, left out: there they are in another format, too */
	size_t unread_formats; /* files of folders, left out: of formats of ours that nothing reads */
	bool has_otlp;	       /* one of the files: a file of OTLP has no type of which it has no samples */
	bool is_base;	       /* samples that are read get the label RECORDED_BASE */
	__u32 base_label;      /* string: that label; 0 = none was read so */
	const char *node;      /* borrowed: samples that are read get it as their label "node"; NULL = none */
	size_t frames;	       /* of all stacks */
	__u32 last;	       /* the stack that recorded_add() has last added to */
	size_t nodes[2];       /* that stores have something of, as pushed; 0 = that is not known */
	bool is_wary;	       /* nothing is read that may be no file of a disk */
	const char *trace;     /* 32 digits, borrowed: moments of its samples are kept; NULL = none are */
	struct buf moments;    /* struct recorded_moment[], of files that have times */
	/* What the comments say was lost, of all files. */
	__u64 ticks_came, ticks_wanted;	 /* of the files in which some were missing */
	__u64 unlooked;			 /* processes; the most of one file */
	__u64 unanalysed;		 /* ticks of processes that had only begun, in no sample, ... */
	__u64 forbidden;		 /* ... and of those that may not be read */
	struct recorded_quotas quotas;	 /* that held threads back */
	struct recorded_starts starts;	 /* of processes: their comments are not among those above */
	struct recorded_growths growths; /* where memory was measured */
	struct pushed_books pushed[2];	 /* of stores: of what was read, and of what was read as is_base */
	struct buf scratch;
};

/* All zero is an empty one. */
void recorded_free(struct recorded *r);

/* Each finds or adds a record. 0 (never for a string but ""), -ENOMEM or -E2BIG. Invalid UTF-8 is mended. */
int recorded_string(struct recorded *r, const void *text, size_t size, __u32 *ret);
int recorded_function(struct recorded *r, const struct recorded_function *f, __u32 *ret);
int recorded_mapping(struct recorded *r, const struct recorded_mapping *m, __u32 *ret);
int recorded_place(struct recorded *r, const struct recorded_place *p, __u32 *ret);
/* Adds values to a stack, of type_count of them; sorts the labels. */
int recorded_add(struct recorded *r, const __u32 *places, size_t n, struct recorded_label *labels,
		 size_t label_count, const __s64 *values);
/* The index of a sample type, which is added if it is new. 0, -ENOMEM or -E2BIG. */
int recorded_type(struct recorded *r, const struct recorded_type *type, size_t *ret);
/* The index of the sample type with this name and unit; -1 = there is none. */
int recorded_find_type(const struct recorded *r, const char *type, const char *unit);
/* When that was. 0, -ENOMEM or -E2BIG. */
int recorded_add_moment(struct recorded *r, const struct recorded_moment *m);
/* One comment of a file. What is there already, or one too many, is not kept, but what it says is. */
void recorded_comment(struct recorded *r, __u32 string);

const char *recorded_get_string(const struct recorded *r, __u32 id); /* 0 is "" */
const struct recorded_function *recorded_get_function(const struct recorded *r, __u32 id);
const struct recorded_mapping *recorded_get_mapping(const struct recorded *r, __u32 id);
const struct recorded_place *recorded_get_place(const struct recorded *r, __u32 id);
struct recorded_stack recorded_get_stack(const struct recorded *r, __u32 id);
static inline __u32 recorded_stacks(const struct recorded *r)
{
	return r->stacks.count;
}

/* The label of this key, a string's id; NULL: the stack has none. */
const struct recorded_label *recorded_find_label(const struct recorded_stack *s, __u32 key);

/* Sums that stay at the largest or smallest number there is. */
__s64 recorded_sum(__s64 a, __s64 b);

#define _cleanup_recorded_ _cleanup_(recorded_free)

#endif

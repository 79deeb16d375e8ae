/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finding.h - what stands out in a profile, as sentences. user/findings/ finds them; here they become text
 * and JSON.
 */
#ifndef PYPERF_REPORT_FINDING_H
#define PYPERF_REPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"

#define FINDINGS_MAX	    5
#define FINDING_TEXT	    1024
#define FINDING_ARGUMENTS   10
#define FINDING_PLACE_TEXT  448

/* Where most of it is. */
struct finding_place {
	char name[128], file[256]; /* "" = nowhere, or it is too long */
	__s64 line;
	double share; /* of what was found */
};

struct finding {
	const char *code;  /* for programs: it does not change */
	const char *event; /* the sample type that the value is of, ... */
	const char *unit;  /* ... and what that is counted in */
	__s64 value, of;
	double share;	   /* value of `of`; more than 1 where several threads wait at once */
	bool is_sampled;   /* ... which chance may have made another: */
	double low, high;  /* as much as this, 95 times of 100, ... */
	__s64 samples;	   /* ... of so many */
	const char *doubt; /* of what is no sample: what may be otherwise, static; NULL = nothing */
	double not_whole;  /* of all samples: what lacks frames, and may belong to it */
	struct finding_place place;
	char text[FINDING_TEXT];
	const char *arguments[FINDING_ARGUMENTS]; /* of `pyperf-bpf report`, to see more; NULL-terminated */
	bool selects; /* ... which is of other stacks than all: --of makes it so */
};

struct findings {
	struct finding rows[FINDINGS_MAX];
	size_t count;
	size_t left_out; /* more stood out, and less */
	char files[256]; /* how a shell is told the files that it is of; "" = not known */
};

/* So that commands can name them. NULL-terminated; what is too long becomes FILE. */
void findings_set_files(struct findings *f, char *const *files);

/* A sentence, its doubt and the command each, at most `width` columns wide. 0 or -ENOMEM. */
int findings_text(const struct findings *f, bool colour, size_t width, struct buf *out);
/* An array. */
int findings_json(const struct findings *f, struct buf *out);

#endif

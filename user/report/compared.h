/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compared.h - two profiles beside each other: what grew, what shrank, what came and went, and whether it is
 * more than chance. Both are in one struct recorded; the stacks of the first one have the label that
 * go tool pprof -diff_base gives them.
 */
#ifndef PYPERF_REPORT_COMPARED_H
#define PYPERF_REPORT_COMPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"
#include "report/report_query.h"
#include "report/report_selection.h"
#include "report/table.h"

enum compared_scale { SCALE_NONE, SCALE_TIME, SCALE_SAMPLES, SCALE_PER };

struct compared_scaling {
	enum compared_scale by;
	double base_per, new_per; /* of SCALE_PER: what each profile was for, as a number of requests; > 0 */
};

/* One of the two profiles. */
struct compared_side {
	struct report_selection chosen;
	struct report_table table;
	__s64 duration_ns;
};

struct compared_row {
	struct row_key key;
	__s64 base_line; /* in the base, where key.line was perhaps another one; 0 = it was not there */
	__s64 base_self, new_self, base_total, new_total; /* as they are in the files */
	double self, total;				  /* the differences, the base scaled */
	double self_low, self_high; /* what the difference of self may be by chance, 95 times of 100 */
	bool is_beyond;		    /* chance would do as much in one of a thousand */
	__u32 node; /* string: the machine alone that makes most of the difference; 0 = there is none such */
};

struct compared {
	const struct recorded *recorded;
	struct compared_side base, now;
	double scale;		/* of the base's values */
	bool is_scaled_by_work; /* by what each profile has in all */
	bool has_chance;	/* both are samples */
	struct compared_row *rows;
	size_t count, shown;
	struct compared_row whole; /* of all stacks; its key is empty */
};

/*
 * Durations are those of the two profiles. 0; -ENOMEM; -E2BIG; -EINVAL with one line in error.
 * compared_free() it in each case.
 */
int compared_make(struct recorded *r, const struct report_query *q, const struct compared_scaling *scaling,
		  __s64 base_ns, __s64 new_ns, struct compared *ret, char *error, size_t size);
void compared_free(struct compared *c);

/* Of a row with the values of both profiles: the differences, and whether they are more than chance. */
void compared_find(const struct compared *c, struct compared_row *row);

/*
 * Whether the whole, or the own time of a row, grew by more than this share of the base, and by more than
 * chance where that can be told. *ret_row: which, NULL for the whole.
 */
bool compared_grew(const struct compared *c, double share, const struct compared_row **ret_row);

/* Of a difference: hundredths of the base, after it was scaled. */
double compared_points(const struct compared *c, double difference);
/* For the file that makes it: the rows, of what both tables have. 0; -ENOMEM; -E2BIG. */
int compared_join(struct compared *c);
/* Also for that file: which differences are those of one machine, or lie between machines. 0 or -errno. */
int compared_spread(struct compared *c, struct recorded *r, const struct report_query *q);

int compared_text(const struct compared *c, bool colour, struct buf *out);
/* docs/schemas/diff.json */
int compared_json(const struct compared *c, struct buf *out);
/* A table for a comment: names of functions stand in it as code, whatever they are. */
int compared_markdown(const struct compared *c, struct buf *out);

#endif

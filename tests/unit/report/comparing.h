/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * comparing.h - two recordings in one, as `diff` has them: what is of the base has a label.
 */
#ifndef PYPERF_TESTS_REPORT_COMPARING_H
#define PYPERF_TESTS_REPORT_COMPARING_H

#include "report/compared.h"
#include "tests/forge/recording.h"

#define SECOND 1000000000LL

static struct recorded r;
static struct compared compared;
static struct buf out;
static char error[256];

static inline int setup(void **state)
{
	(void)state;
	recording_type(&r, "samples", "count");
	r.base_label = recording_string(&r, RECORDED_BASE);
	*error = '\0';
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	compared_free(&compared);
	recorded_free(&r);
	r = (struct recorded){ 0 };
	buf_free(&out);
	out = (struct buf){ 0 };
	return 0;
}

AROUND_EACH(setup, teardown);

static inline void add(bool is_base, const char *frames, __s64 samples)
{
	recording_add(&r, frames, is_base ? RECORDED_BASE "=true" : "", &samples);
}

#endif

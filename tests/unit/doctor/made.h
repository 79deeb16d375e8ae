/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * made.h - what doctor could have found, made up: checks by their grade, and processes.
 */
#ifndef PYPERF_TESTS_DOCTOR_MADE_H
#define PYPERF_TESTS_DOCTOR_MADE_H

#include <string.h>

#include "doctor/examined.h"
#include "tests/forge/test.h"

#define HEX_3_7	 0x030705f0
#define HEX_3_12 0x030c05f0
#define HEX_3_13 0x030d02f0
#define HEX_3_14 0x030e01f0

static struct examined made;

/* Nothing was found: no line, and no process. */
static inline int begin_made(void **state)
{
	(void)state;
	made = (struct examined){ .program = "/usr/bin/pyperf-bpf" };
	return 0;
}

static inline int end_made(void **state)
{
	(void)state;
	examined_free(&made);
	return 0;
}

/* A Python whose layout was proved. */
static inline struct examined_process made_process(__u32 hexversion, const char *version)
{
	struct examined_process p = { .pid = 71, .name = "app", .identity = { .verdict = VERDICT_PYTHON } };

	p.identity.hexversion = p.identity.layout.version = hexversion;
	strcpy(p.identity.version, version);
	return p;
}

static inline void add_made(const struct examined_process *p)
{
	assert_int_equal(examined_add_process(&made, p), 0);
}

/* Valid until the next call. */
static inline const char *written(int err, struct buf *out)
{
	static char text[1 << 14];

	assert_int_equal(err, 0);
	assert_true(out->size < sizeof(text));
	memcpy(text, out->data, out->size);
	text[out->size] = '\0';
	buf_free(out);
	*out = (struct buf){ 0 };
	return text;
}

static inline const char *made_text(bool colour)
{
	struct buf out = { 0 };
	int err = examined_text(&made, colour, &out);

	return written(err, &out);
}

static inline const char *made_json(void)
{
	struct buf out = { 0 };
	int err = examined_json(&made, &out);

	return written(err, &out);
}

#endif

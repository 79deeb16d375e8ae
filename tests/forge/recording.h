/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.h - a recorded profile as a test writes it down: stacks as text, in place of a file that a run of
 * the profiler would make. Who reads such a profile can be tested without one.
 *
 * A stack is "leaf@/srv/app.py:3;main@/srv/app.py:10", leaf first; functions begin in line 1, or with ":3~2"
 * in line 2. "memcpy@!/lib/libc.so.6" is native code, and "[truncated]" a frame that has only a name. Labels
 * are "pid=7,gil=holds"; a number is one.
 */
#ifndef PYPERF_TESTS_FORGE_RECORDING_H
#define PYPERF_TESTS_FORGE_RECORDING_H

#include <stdlib.h>
#include <string.h>

#include "recorded/frame_kinds.h"
#include "recorded/recorded.h"
#include "tests/forge/test.h"

#define RECORDING_FRAMES 64
#define RECORDING_TEXT	 8192

static inline __u32 recording_string(struct recorded *r, const char *text)
{
	__u32 id;

	assert_int_equal(recorded_string(r, text, strlen(text), &id), 0);
	return id;
}

/* A sample type; the index of its values. */
static inline size_t recording_type(struct recorded *r, const char *type, const char *unit)
{
	const struct recorded_type t = { recording_string(r, type), recording_string(r, unit) };
	size_t index;

	assert_int_equal(recorded_type(r, &t, &index), 0);
	return index;
}

/* frame: is changed. */
static inline __u32 recording_place(struct recorded *r, char *frame)
{
	char *file = strchr(frame, '@'), *line = strrchr(frame, ':');
	const char *start = line ? strchr(line, '~') : NULL;
	const bool is_native = file && file[1] == '!';
	struct frame_facts facts = { .name = frame, .file = "", .mapping = "" };
	struct recorded_function f = { 0 };
	struct recorded_mapping m = { 0 };
	struct recorded_place p = { 0 };
	__u32 id;

	if (file && line > file) {
		*line = '\0';
		p.line = atol(line + 1);
	}
	if (file)
		*file++ = '\0';
	if (is_native) {
		facts.mapping = file + 1;
		facts.address = p.address = 0x1000;
		m.file = recording_string(r, file + 1);
		assert_int_equal(recorded_mapping(r, &m, &p.mapping), 0);
	} else if (file) {
		facts.file = file;
		f.file = recording_string(r, file);
		f.start_line = start ? atol(start + 1) : 1;
	}
	f.name = recording_string(r, frame);
	p.kind = frame_kinds_find(&facts);
	assert_int_equal(recorded_function(r, &f, &p.function), 0);
	assert_int_equal(recorded_place(r, &p, &id), 0);
	return id;
}

static inline size_t recording_labels(struct recorded *r, char *text, struct recorded_label *ret)
{
	size_t n = 0;
	char *rest = NULL;

	for (char *label = strtok_r(text, ",", &rest); label; label = strtok_r(NULL, ",", &rest), n++) {
		char *value = strchr(label, '=');

		*value++ = '\0';
		ret[n] = (struct recorded_label){ .key = recording_string(r, label) };
		ret[n].is_number = strspn(value, "0123456789") == strlen(value);
		if (ret[n].is_number)
			ret[n].number = atol(value);
		else
			ret[n].text = recording_string(r, value);
	}
	return n;
}

/* values: of each type that there is. */
static inline void recording_add(struct recorded *r, const char *frames, const char *labels,
				 const __s64 *values)
{
	struct recorded_label of[8];
	__u32 places[RECORDING_FRAMES];
	char text[RECORDING_TEXT], whose[256], *rest = NULL;
	size_t n = 0;

	assert_true(strlen(frames) < sizeof(text) && strlen(labels) < sizeof(whose));
	strcpy(text, frames);
	strcpy(whose, labels);
	for (char *frame = strtok_r(text, ";", &rest); frame; frame = strtok_r(NULL, ";", &rest))
		places[n++] = recording_place(r, frame);
	assert_int_equal(recorded_add(r, places, n, of, recording_labels(r, whose, of), values), 0);
}

#endif

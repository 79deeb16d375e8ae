/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * examined.h - all that `pyperf-bpf doctor` has found, and how it is written: as text and as JSON.
 */
#ifndef PYPERF_DOCTOR_EXAMINED_H
#define PYPERF_DOCTOR_EXAMINED_H

#include "doctor/checks.h"
#include "doctor/native_code.h"
#include "dump/dumped.h"

/* A Python process, or one of --pid that cannot be looked at. */
struct examined_process {
	pid_t pid;
	int error; /* -errno: it could not be looked at; then what follows is empty */
	char name[PROCFS_NAME_SIZE];
	struct identity identity;
	struct container container;
	struct native_code native;
};

struct examined {
	const char *program;
	struct checked findings[CHECKS];
	struct examined_process *processes;
	size_t process_count;
	size_t unreadable; /* processes of others that may not be looked at */
};

/* Goes through checks.def, but for the network. What it finds is released by examined_free(). */
void examined_check(struct examined *e, struct examination *x);
/* Then those of the network, which need no right. */
void examined_ask(struct examined *e, struct examination *x);
/* Takes a copy. 0 or -ENOMEM. */
int examined_add_process(struct examined *e, const struct examined_process *p);
void examined_free(struct examined *e);

/* Whether nothing is missing that every profile needs; and nothing that was asked for, either. */
bool examined_can_profile(const struct examined *e);
bool examined_is_fit(const struct examined *e);

/* The word for a finding: "ok", "note", "unknown", "missing", "unasked". */
const char *examined_grade(enum grade grade);
/* What is known of the layout: "proved", "not proved yet", "refused", "not Python", "not readable". */
const char *examined_layout(const struct examined_process *p);
/*
 * Of asyncio's tasks: "not loaded", "readable", "not readable"; "too old" before 3.8, and of 3.13 without a
 * GIL.
 */
const char *examined_asyncio(const struct examined_process *p);

/* 0 or -ENOMEM. */
int examined_text(const struct examined *e, bool colour, struct buf *out);
int examined_json(const struct examined *e, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formats.h - the list of formats, formats.def, as a table, and its words for messages.
 */
#ifndef PYPERF_PROFILE_FORMATS_H
#define PYPERF_PROFILE_FORMATS_H

#include "base/buf.h"
#include "profile/profile.h"

enum format {
#define FORMAT(NAME, name, suffix, type, encode, open, help) FORMAT_##NAME,
#include "profile/formats.def"
#undef FORMAT
	FORMATS
};

struct format_row {
	const char *name, *suffix, *type;
	const char *file; /* the name of a profile where nobody gives one */
	int (*encode)(const struct profile *p, struct buf *out);
	const char *open;
};

/* By enum format. */
extern const struct format_row format_rows[FORMATS];

extern const char format_choices[]; /* "pprof|folded": in the order of enum format */
extern const char format_names[];   /* "pprof or folded" */
extern const char format_help[];    /* of --format: how FILE's suffix decides */

/* -1 if there is none of this name. */
int format_find(const char *name);
/* By the suffix of a file's name. A name that is nothing but a suffix, as ".folded", has none. */
enum format format_of_file(const char *path);
/* Appends the sentence that says how this file is opened. -ENOMEM. */
int format_add_how_to_open(enum format format, const char *path, struct buf *out);

#endif

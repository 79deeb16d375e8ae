/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formats.h - the list of formats, formats.def, as a table, and its words for messages.
 */
#ifndef PYPERF_FORMATS_FORMATS_H
#define PYPERF_FORMATS_FORMATS_H

#include <stdbool.h>

#include "base/buf.h"
#include "profile/profile.h"

enum format {
#define FORMAT(NAME, ...) FORMAT_##NAME,
#include "formats/formats.def"
#undef FORMAT
	FORMATS
};

struct format_row {
	const char *name;   /* for --format and format= */
	const char *suffix; /* of a file's name; --output FILE is of this format if FILE ends so */
	const char *also;   /* other endings that mean it, with spaces between; NULL = there are none */
	const char *file;   /* the name of a profile where nobody gives one */
	/*
	 * Content-Type over HTTP; a browser shows text/ and saves the others. HTML is saved, too: the policy
	 * of the server's own pages would let no script in it run.
	 */
	const char *type;
	/* Appends to out. 0; or -ENOMEM, and out is as it was. */
	int (*encode)(const struct profile *p, struct buf *out);
	bool has_times;	  /* it has room for when each sample was taken, which the log knows (--log) */
	const char *open; /* a sentence; FILE in it stands for the file's name */
	const char *help; /* for docs/formats.md */
};

/* By enum format. */
extern const struct format_row format_rows[FORMATS];

extern const char format_choices[]; /* "pprof|folded": in the order of enum format */
extern const char format_names[];   /* "pprof or folded" */
extern const char format_endings[]; /* ".pb.gz, .folded": in the order of enum format */
extern const char format_help[];    /* of --format: how FILE's suffix decides */

/* -1 if there is none of this name. */
int format_find(const char *name);
/*
 * By the ending of a file's name; a name without one has the first format, as has one that is nothing but an
 * ending, such as ".folded". -1: it ends as files do whose format is not written here, such as "x.pdf".
 */
int format_of_file(const char *path);
/* Appends the sentence that says how this file is opened. -ENOMEM. */
int format_add_how_to_open(enum format format, const char *path, struct buf *out);

#endif

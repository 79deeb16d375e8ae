/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the command line. options.def is the table.
 */
#ifndef PYPERF_OPTIONS_H
#define PYPERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "http/address.h"

enum { EXIT_USAGE = 2 };

enum format { FORMAT_PPROF, FORMAT_FOLDED };
enum reads { READS_BLOCK, READS_SINGLE };
enum labels { LABELS_THREAD, LABELS_PROCESS };
enum event { EVENT_CPU_CLOCK, EVENT_CYCLES };

struct options {
#define HEADING(text)
#define FLAG(short_name, long_name, field, help) bool field;
#define NUMBER(short_name, long_name, metavar, field, value, min, max, help) long field;
#define TEXT(short_name, long_name, metavar, field, value, help) const char *field;
#define CHOICE(short_name, long_name, field, value, choices, help) int field;
#include "options.def"
#undef HEADING
#undef FLAG
#undef NUMBER
#undef TEXT
#undef CHOICE
	/* Derived */
	pid_t *pid_list;
	size_t pid_count;
	double seconds; /* of duration; 0 = without end */
	bool continuous; /* a profile for each interval, not one of the whole run */
	double interval_seconds;
	unsigned long long keep_files, keep_bytes; /* of output_dir; 0 = no limit */
	char **command; /* COMMAND and its arguments, NULL-terminated, or NULL */
	struct http_address listen_address, metrics_address; /* of listen and listen_metrics */
};

/*
 * Reads the command line. Returns 0, or -EINVAL with one line in error that says what to do. argv must
 * outlive o; release by options_free().
 */
int options_parse(struct options *o, int argc, char **argv, char *error, size_t error_size);
void options_free(struct options *o);
void options_help(FILE *f, bool colour);

#endif

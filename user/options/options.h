/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the command line and the config file. commands.def has the commands, options.def the options.
 */
#ifndef PYPERF_OPTIONS_OPTIONS_H
#define PYPERF_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/log.h"
#include "export/whole.h"
#include "http/address.h"
#include "kubelet/pod_labels.h"
#include "options/commands.h"
#include "profile/services.h"
#include "profile/trace_ids.h"
#include "python/context_names.h"

enum { EXIT_USAGE = 2, EXIT_NOTHING = 3, EXIT_GREW = 4 };

enum reads { READS_BLOCK, READS_SINGLE };
enum labels { LABELS_THREAD, LABELS_PROCESS };
enum symbols_by { SYMBOLS_LOCAL, SYMBOLS_SERVER };
enum hide { HIDE_NOTHING, HIDE_NATIVE };
enum trace { TRACE_OFF, TRACE_OTEL };
enum paths { PATHS_SHORT, PATHS_FULL };

/* Rows of options.def. */
enum {
	OPTION_ROWS = 0
#define HEADING(text) +1
#define FLAG(short_name, long_name, field, group, help) +1
#define NUMBER(short_name, long_name, metavar, field, group, value, min, max, help) +1
#define TEXT(short_name, long_name, metavar, field, group, value, help) +1
#define CHOICE(short_name, long_name, field, group, value, choices, help) +1
#include "options/options.def"
};

struct options {
#define FLAG(short_name, long_name, field, group, help) bool field;
#define NUMBER(short_name, long_name, metavar, field, group, value, min, max, help) long field;
#define TEXT(short_name, long_name, metavar, field, group, value, help) const char *field;
#define CHOICE(short_name, long_name, field, group, value, choices, help) int field;
#include "options/options.def"
	int argc;
	char **argv;
	char *owned[OPTION_ROWS];	      /* texts of the config file, by row */
	const struct command_row *subcommand; /* never NULL once the line was read */
	bool named;    /* by the first word of the line; without one it is the first row of commands.def */
	bool help_all; /* --help all: each option of each command */
	unsigned int reloaded; /* groups (commands.h) of what the last options_reload() has changed */
	/* Derived */
	unsigned int events; /* EVENT_BIT()s of event */
	bool use_cycles;     /* ... which said cycles instead of cpu */
	pid_t *pid_list;
	size_t pid_count;
	double budget_percent; /* of budget; 0 = no limit */
	double seconds;	       /* of duration; 0 = without end */
	bool continuous;       /* a profile for each interval, not one of the whole run */
	double interval_seconds;
	unsigned long long keep_files, keep_bytes; /* of output_dir; 0 = no limit */
	double fail_share;			   /* of fail_over; 0 = not asked */
	double base_per, new_per;		   /* of per; 0 = not given */
	char trace_digits[TRACE_TEXT];		   /* of trace_id */
	long long from_ns, to_ns;		   /* of from and to, since 1970; 0 = no such end */
	char **command; /* COMMAND and its arguments, or the words of .words; NULL-terminated, or NULL */
	struct http_address listen_address, metrics_address, health_address; /* of the three listen */
	struct pod_label_names pod_label_names;				     /* of pod_label */
	struct context_names context_names;				     /* of label_var */
	struct service_order services;					     /* of service_from */
};

/*
 * Reads the command line, and the config file that it names. Returns 0, or -EINVAL with one line in error
 * that says what to do. argv must outlive o; release by options_free().
 */
int options_parse(struct options *o, int argc, char **argv, char *error, size_t error_size);
void options_free(struct options *o);
/* How all of options/ says what is wrong: one line, whatever is in the arguments. Returns -EINVAL. */
int options_fail(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Reads both again. What can change at run time does, and what has changed but cannot is listed in kept ("" =
 * nothing). Strings of those that changed are freed: whoever has kept one takes the new one. -EINVAL: o is as
 * it was.
 */
int options_reload(struct options *o, char *kept, size_t kept_size, char *error, size_t error_size);
enum log_level options_log_level(const struct options *o);
/* Of the command that the line names; else what most people need, or with --help all everything. */
void options_help(const struct options *o, FILE *f, bool colour);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inputs.h - what a run hands to its HTTP server. The subjects do not get all of this: route.c gives each
 * what it reads.
 */
#ifndef PYPERF_HTTP_INPUTS_H
#define PYPERF_HTTP_INPUTS_H

#include <stdbool.h>

struct codes;
struct continuous;
struct discover;
struct generation;
struct journal;
struct log_file;
struct kernel;
struct kubelet;
struct natives;
struct registry;
struct run_facts;
struct selection;
struct windows;
struct worker;

/*
 * All borrowed. Nothing here is changed but by whoever takes a profile, which opens a window and reads the
 * kernel side's records, and by who looks at stacks, which asks the worker.
 */
struct http_inputs {
	struct kernel *kernel;
	struct windows *windows;
	const struct worker *worker;
	const struct codes *codes;
	const struct registry *registry;
	const struct natives *natives; /* NULL: no native code is named */
	struct discover *discover;
	const struct run_facts *run;
	const struct generation *generation;
	struct continuous *const *continuous; /* to NULL without --output-dir and --push */
	struct journal *const *journal;	      /* to NULL without --log */
	struct log_file *log_file;	      /* with path NULL without --log-file */
	const struct kubelet *kubelet;	      /* NULL without --kubelet */
	const struct selection *selection;    /* of all processes; NULL: only some are profiled at all */
	const char *token_file;		      /* --listen-token-file or NULL */
	const char *listen_host;	      /* --listen-host or NULL */
	bool gives_source;		      /* --listen-source */
	const char *speedscope;		      /* the folder of --speedscope, or NULL */
};

#endif

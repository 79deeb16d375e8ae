/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - what a run hands to its HTTP server. A subject does not get this, but what it reads: see
 * route.c.
 */
#ifndef PYPERF_HTTP_SOURCE_H
#define PYPERF_HTTP_SOURCE_H

struct codes;
struct continuous;
struct discover;
struct generation;
struct kernel;
struct kubelet;
struct registry;
struct run_facts;
struct windows;
struct worker;

/*
 * All borrowed. Only profiles that are being taken change anything: they read the kernel's records, and open
 * windows.
 */
struct http_source {
	struct kernel *kernel;
	struct windows *windows;
	const struct worker *worker;
	const struct codes *codes;
	const struct registry *registry;
	const struct discover *discover;
	const struct run_facts *run;
	const struct generation *generation;
	struct continuous *const *continuous; /* to NULL without --output-dir and --push */
	const struct kubelet *kubelet;	      /* NULL without --kubelet */
};

#endif

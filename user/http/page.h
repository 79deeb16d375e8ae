/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.h - what a person sees in a browser: what there is and what is being profiled.
 */
#ifndef PYPERF_HTTP_PAGE_H
#define PYPERF_HTTP_PAGE_H

#include "http/answer.h"

struct piece;
struct site;

enum MHD_Result page_answer(const struct site *s, const struct client *c);
/* A file that the page loads. */
struct page_file {
	const char *path, *type;
	const struct piece *piece; /* page/pieces.h */
};

/* The file of this path. NULL if there is none. */
const struct page_file *page_find_file(const char *path);
/* /debug/pprof/, where Go programs have a list of their profiles. */
enum MHD_Result page_pprof_index(const struct client *c);

#endif

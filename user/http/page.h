/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.h - what a person sees in a browser: what there is, what is being profiled, a flame graph.
 */
#ifndef PYPERF_HTTP_PAGE_H
#define PYPERF_HTTP_PAGE_H

#include "http/internal.h"

enum MHD_Result page_answer(struct visit *v);
/* The last interval as flamegraph.h has it; the query selects samples by labels. */
enum MHD_Result page_flamegraph(struct visit *v);
/* Where Go programs have a list of their profiles. */
enum MHD_Result page_pprof_index(struct visit *v);

#endif

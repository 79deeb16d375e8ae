/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary_page.h - the page that a summary is printed on, for its parts.
 */
#ifndef PYPERF_VIEWS_SUMMARY_PAGE_H
#define PYPERF_VIEWS_SUMMARY_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "views/summary.h"
#include "views/tally.h"

#define NAME_WIDTH (SUMMARY_WIDTH - 34)
#define GIL_WIDTH  20 /* of two columns before a name */

struct summary_page {
	const struct profile *profile;
	FILE *f;
	bool colour;
	__u32 rows;
	int decimals; /* of percentages */
	bool has_gil; /* it is known who had the GIL */
	struct buf cell;
};

/* An escape code, or nothing where there are no colours. */
const char *summary_style(const struct summary_page *page, const char *code);
/* Prints the page's cell, cut to `width` columns and perhaps padded to it. */
void summary_cell(struct summary_page *page, size_t width, bool is_path, bool pad);
/* Prints a name to the end of its line. A cell that finds no memory stays short; the page goes on. */
void summary_name(struct summary_page *page, const char *s);
double summary_share_of(const struct summary_page *page, __u64 count);
void summary_share(struct summary_page *page, __u64 count);
void summary_heading(struct summary_page *page, const char *title, const char *heads);
/* Whether it would be shown as "0.0%", which tells nothing. */
bool summary_is_nothing(const struct summary_page *page, __u64 count);
/* How many rows are worth a line: those without anything of their own are at the end. */
__u32 summary_shown(const struct summary_page *page, const struct tally_rows *r);
const struct event_row *summary_event(const struct summary_page *page);
double summary_amount(const struct summary_page *page, __u64 count);

/* The tables of summary_owners.c. */
void summary_processes(struct summary_page *page, const struct tally_rows *r);
/* If anything has one. */
void summary_endpoints(struct summary_page *page, const struct tally_rows *r);
/* The last rows have what the other threads and processes used, so that all rows add up. */
void summary_threads(struct summary_page *page, const struct tally *t);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary.c - see summary.h. The numbers come from tally.c; here they become lines.
 */
#include "views/summary.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escapes.h"
#include "base/number.h"
#include "base/path.h"
#include "profile/accounts.h"
#include "profile/short_path.h"
#include "profile/profile.h"
#include "views/c_threads.h"
#include "views/summary_page.h"
#include "views/table_cell.h"
#include "views/unanalysed.h"

#define PLACE_WIDTH (SUMMARY_WIDTH - 52) /* what the columns before it leave */

#define MARKER_WIDTH 60 /* ours have at most 25; a process could invent longer ones */
#define MARKERS_MAX  12

#define LIBRARIES_WIDTH (SUMMARY_WIDTH - 22)
#define LIBRARY_SHARE	0.001 /* of all samples: what is less is not worth a word */

static void print_function(struct summary_page *page, __u32 id, size_t width)
{
	const struct profile_function *f = profile_get_function(page->profile, id);

	buf_clear(&page->cell);
	buf_add_shown(&page->cell, profile_get_string(page->profile, f->name), false);
	table_cell_drop_locals(&page->cell);
	summary_cell(page, width, false, f->file); /* without a place behind it, it needs no blanks */
}

static void print_place(struct summary_page *page, __u32 function, __u32 line)
{
	const struct profile_function *f = profile_get_function(page->profile, function);

	if (f->file) {
		buf_clear(&page->cell);
		buf_add_shown(&page->cell, short_path(profile_get_string(page->profile, f->file)), false);
		if (line)
			buf_printf(&page->cell, ":%u", line);
		fputs("  ", page->f);
		summary_cell(page, PLACE_WIDTH, true, false);
	}
	fputc('\n', page->f);
}

/* A library by its file's name, which may hold a slash only in a marker such as "[I/O]". */
static const char *library_name(const char *file)
{
	return *file == '[' ? file : base_name(file);
}

/* Below a function: in which libraries and system calls its own time was, if it was. */
static void print_libraries(struct summary_page *page, const struct tally_rows *libraries, __u32 function)
{
	__u32 shown = 0;

	buf_clear(&page->cell);
	for (__u32 i = 0; i < libraries->n; i++) {
		const struct tally_row *row = &libraries->rows[i];
		const size_t before = page->cell.size;

		if (row->id != function || summary_share_of(page, row->self) < LIBRARY_SHARE)
			continue;
		buf_printf(&page->cell, "%s%.*f%% in ", shown ? ", " : "", page->decimals,
			   100 * summary_share_of(page, row->self));
		buf_add_shown(&page->cell, library_name(profile_get_string(page->profile, row->line)), false);
		if (shown && table_cell_columns(page->cell.data, page->cell.size) > LIBRARIES_WIDTH) {
			page->cell.size = before; /* those that are left took less than these */
			break;
		}
		shown++;
	}
	if (!shown)
		return;
	fprintf(page->f, "%s%22s", summary_style(page, DIM), "");
	summary_cell(page, LIBRARIES_WIDTH, false, false);
	fprintf(page->f, "%s\n", summary_style(page, RESET));
}

static void print_functions(struct summary_page *page, const struct tally_rows *r,
			    const struct tally_rows *libraries)
{
	__u32 n = 0;

	for (__u32 i = 0; i < r->n && n < page->rows; i++) {
		const struct tally_row *row = &r->rows[i];

		if (summary_is_nothing(page, row->total))
			continue;
		if (!n++)
			summary_heading(page, "Hottest functions",
					"   self    total  function                          defined at");
		summary_share(page, row->self);
		fputs("  ", page->f);
		summary_share(page, row->total);
		fputs("  ", page->f);
		print_function(page, row->id, 32);
		print_place(page, row->id, profile_get_function(page->profile, row->id)->start_line);
		print_libraries(page, libraries, row->id);
	}
}

/* Rows that have a place: lines, or native code, whose line is 0. */
static void print_places(struct summary_page *page, const struct tally_rows *r, const char *title,
			 const char *heads)
{
	__u32 n = summary_shown(page, r);

	if (n)
		summary_heading(page, title, heads);
	for (__u32 i = 0; i < n; i++) {
		const struct tally_row *row = &r->rows[i];

		summary_share(page, row->self);
		fputs("  ", page->f);
		print_function(page, row->id, 41);
		print_place(page, row->id, row->line);
	}
}

static bool is_c_thread(const struct summary_page *page, const struct tally_row *row)
{
	return profile_get_function(page->profile, row->id)->kind == FRAME_C_THREAD;
}

/* "1.20% [no Python frames]" in the cell. Returns its columns. */
static size_t format_marker(struct summary_page *page, const struct tally_row *row, __u64 count)
{
	const struct profile_function *f = profile_get_function(page->profile, row->id);
	size_t to;

	buf_clear(&page->cell);
	buf_printf(&page->cell, "%.*f%% ", page->decimals, 100 * summary_share_of(page, count));
	buf_add_shown(&page->cell, profile_get_string(page->profile, f->name), false);
	to = table_cell_head(page->cell.data, page->cell.size, MARKER_WIDTH);
	page->cell.size = to;
	return table_cell_columns(page->cell.data, to);
}

/*
 * Prints the markers, on as many lines as they need. partial: only counts stacks that have the marker
 * elsewhere than in the leaf.
 */
static void print_markers(struct summary_page *page, const struct tally_rows *r, const char *title,
			  bool partial)
{
	size_t used = 0;

	for (__u32 i = 0; i < r->n && i < MARKERS_MAX; i++) {
		__u64 count = partial ? r->rows[i].total - r->rows[i].self : r->rows[i].self;
		size_t width;

		if (summary_is_nothing(page, count) || is_c_thread(page, &r->rows[i]))
			continue;
		width = format_marker(page, &r->rows[i], count);
		if (!used) {
			fprintf(page->f, "\n%s%s: ", summary_style(page, DIM), title);
			used = strlen(title) + 2;
		} else if (used + width + 3 <= SUMMARY_WIDTH) { /* with ", " before it and "," after it */
			fputs(", ", page->f);
			used += 2;
		} else {
			fputs(",\n    ", page->f);
			used = 4;
		}
		used += width;
		summary_cell(page, MARKER_WIDTH, false, false);
	}
	if (used)
		fprintf(page->f, "%s\n", summary_style(page, RESET));
}

static void print_missing_ticks(const struct summary_page *page)
{
	const struct profile_info *info = profile_get_info(page->profile);

	fprintf(page->f, "%s of %s ticks came: ", number_group(info->ticks_came).text,
		number_group(info->ticks_wanted).text);
	if (info->timed)
		fputs("those of a thread share its CPU time\n", page->f);
	else
		fprintf(page->f, "a sample stands for %s ms\n",
			number_hundredths((double)info->period_ns / 1e6).text);
}

static void print_total(const struct summary_page *page)
{
	const struct profile_info *info = profile_get_info(page->profile);
	const __u64 samples = profile_total_of(page->profile, profile_shown(page->profile));
	const bool has_period = *summary_event(page)->period;
	double amount = summary_amount(page, profile_total(page->profile));

	fputs(summary_style(page, BOLD), page->f);
	if (has_period)
		fprintf(page->f, "%s sample%s, ", number_group(samples).text, samples == 1 ? "" : "s");
	fprintf(page->f, "%s %s of %s%s", number_hundredths(amount).text,
		event_amount_unit(profile_shown(page->profile)), summary_event(page)->resource,
		summary_style(page, RESET));
	if (info->duration_ns > 0)
		fprintf(page->f, " in %.1f s", (double)info->duration_ns / 1e9);
	if (info->duration_ns > 0 && has_period)
		fprintf(page->f, " (%.2f CPUs busy)", amount / ((double)info->duration_ns / 1e9));
	if (info->frequency && has_period)
		fprintf(page->f, ", %u Hz", info->frequency);
	fputc('\n', page->f);
	if (info->ticks_wanted && has_period)
		print_missing_ticks(page);
	for (int i = 0; i < FULL_TABLES; i++)
		if (info->full[i])
			fprintf(page->f, "%s %s\n", number_group(info->full[i]).text,
				full_table_rows[i].what);
}

/* For whom the time is not what the kernel's account says. */
static void print_accounts(struct summary_page *page)
{
	_cleanup_(accounts_free) struct accounts_found found = {};

	if (accounts_find(page->profile, &found))
		return;
	for (__u32 i = 0; i < accounts_lines(&found); i++) {
		buf_clear(&page->cell);
		if (accounts_line(page->profile, &found, i, &page->cell))
			continue;
		summary_cell(page, SUMMARY_WIDTH, false, false);
		fputc('\n', page->f);
	}
}

void summary_print(const struct profile *p, FILE *f, bool colour, int rows)
{
	_cleanup_(tally_free) struct tally t = { 0 };
	struct summary_page page = {
		.profile = p,
		.f = f,
		.colour = colour,
		.rows = rows > 0 ? rows : 0,
		.decimals = number_decimals(profile_total_of(p, profile_shown(p))),
	};

	print_total(&page);
	if (profile_shown(p) == EVENT_CPU)
		print_accounts(&page);
	if (!profile_total(p) || !page.rows) {
		buf_free(&page.cell);
		return;
	}
	if (tally_make(p, &t)) {
		fputs("(not enough memory for the tables)\n", f);
		buf_free(&page.cell);
		return;
	}
	for (__u32 i = 0; i < t.processes.n; i++)
		page.has_gil |= t.processes.rows[i].holds + t.processes.rows[i].released;
	print_functions(&page, &t.functions, &t.libraries);
	print_places(&page, &t.lines, "Hottest lines",
		     "   self  function                                   line");
	print_places(&page, &t.natives, "Hottest native code, below those lines",
		     "   self  function                                   file");
	c_threads_print(p, page.decimals, summary_style(&page, DIM), summary_style(&page, RESET), f);
	print_markers(&page, &t.markers, "Not in the tables", false);
	print_markers(&page, &t.markers, "In the tables, but not whole", true);
	unanalysed_print(p, f);
	summary_endpoints(&page, &t.endpoints);
	if (t.pid)
		summary_threads(&page, &t);
	else
		summary_processes(&page, &t.processes);
	buf_free(&page.cell);
}

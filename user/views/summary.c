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
#include "profile/shown.h"
#include "views/c_threads.h"
#include "views/table_cell.h"
#include "views/tally.h"
#include "views/unanalysed.h"

#define HOT 0.10 /* shares from here on are coloured */

/* The width that the columns before it leave. */
#define PLACE_WIDTH (SUMMARY_WIDTH - 52)
#define NAME_WIDTH  (SUMMARY_WIDTH - 34)
#define GIL_WIDTH   20 /* of two columns before a name */

#define MARKER_WIDTH 60 /* ours have at most 25; a process could invent longer ones */
#define MARKERS_MAX  12

#define LIBRARIES_WIDTH (SUMMARY_WIDTH - 22)
#define LIBRARY_SHARE	0.001 /* of all samples: what is less is not worth a word */

struct page {
	const struct profile *profile;
	FILE *f;
	bool colour;
	__u32 rows;
	int decimals; /* of percentages */
	bool has_gil; /* it is known who had the GIL */
	struct buf cell;
};

static const char *style(const struct page *page, const char *code)
{
	return page->colour ? code : "";
}

/* Prints the cell, cut to `width` columns. */
static void print_cell(struct page *page, size_t width, bool is_path, bool pad)
{
	const struct table_cell c = table_cell_cut(&page->cell, width, is_path);

	fprintf(page->f, "%s%.*s%s", c.before, (int)c.size, c.text, c.behind);
	if (pad && c.columns < width)
		fprintf(page->f, "%*s", (int)(width - c.columns), "");
}

/* A cell that finds no memory stays short; the page goes on. */
static void print_name(struct page *page, const char *s)
{
	buf_clear(&page->cell);
	buf_add_shown(&page->cell, s, false);
	print_cell(page, NAME_WIDTH - (page->has_gil ? GIL_WIDTH : 0), false, false);
	fputc('\n', page->f);
}

static void print_function(struct page *page, __u32 id, size_t width)
{
	const struct profile_function *f = profile_get_function(page->profile, id);

	buf_clear(&page->cell);
	buf_add_shown(&page->cell, profile_get_string(page->profile, f->name), false);
	table_cell_drop_locals(&page->cell);
	print_cell(page, width, false, f->file); /* without a place behind it, it needs no blanks */
}

static void print_place(struct page *page, __u32 function, __u32 line)
{
	const struct profile_function *f = profile_get_function(page->profile, function);

	if (f->file) {
		buf_clear(&page->cell);
		buf_add_shown(&page->cell, short_path(profile_get_string(page->profile, f->file)), false);
		if (line)
			buf_printf(&page->cell, ":%u", line);
		fputs("  ", page->f);
		print_cell(page, PLACE_WIDTH, true, false);
	}
	fputc('\n', page->f);
}

static double share_of(const struct page *page, __u64 count)
{
	return (double)count / (double)profile_total(page->profile);
}

static void print_share(struct page *page, __u64 count)
{
	double share = share_of(page, count);

	fprintf(page->f, "%s%6.*f%%%s", style(page, share >= HOT ? RED : ""), page->decimals, 100 * share,
		style(page, share >= HOT ? RESET : ""));
}

static void print_heading(struct page *page, const char *title, const char *heads)
{
	fprintf(page->f, "\n%s%s%s\n%s%s%s\n", style(page, BOLD), title, style(page, RESET), style(page, DIM),
		heads, style(page, RESET));
}

/* It would be shown as "0.0%", which tells nothing. */
static bool is_nothing(const struct page *page, __u64 count)
{
	char text[16];

	snprintf(text, sizeof(text), "%.*f", page->decimals, 100 * share_of(page, count));
	return !text[strspn(text, "0.")];
}

/* Rows without anything of their own are at the end. Returns how many rows are worth a line. */
static __u32 shown(const struct page *page, const struct tally_rows *r)
{
	__u32 i = 0;

	while (i < r->n && i < page->rows && !is_nothing(page, r->rows[i].self))
		i++;
	return i;
}

/* A library by its file's name, which may hold a slash only in a marker such as "[I/O]". */
static const char *library_name(const char *file)
{
	return *file == '[' ? file : base_name(file);
}

/* Below a function: in which libraries and system calls its own time was, if it was. */
static void print_libraries(struct page *page, const struct tally_rows *libraries, __u32 function)
{
	__u32 shown = 0;

	buf_clear(&page->cell);
	for (__u32 i = 0; i < libraries->n; i++) {
		const struct tally_row *row = &libraries->rows[i];
		const size_t before = page->cell.size;

		if (row->id != function || share_of(page, row->self) < LIBRARY_SHARE)
			continue;
		buf_printf(&page->cell, "%s%.*f%% in ", shown ? ", " : "", page->decimals,
			   100 * share_of(page, row->self));
		buf_add_shown(&page->cell, library_name(profile_get_string(page->profile, row->line)),
			      false);
		if (shown && table_cell_columns(page->cell.data, page->cell.size) > LIBRARIES_WIDTH) {
			page->cell.size = before; /* those that are left took less than these */
			break;
		}
		shown++;
	}
	if (!shown)
		return;
	fprintf(page->f, "%s%22s", style(page, DIM), "");
	print_cell(page, LIBRARIES_WIDTH, false, false);
	fprintf(page->f, "%s\n", style(page, RESET));
}

static void print_functions(struct page *page, const struct tally_rows *r, const struct tally_rows *libraries)
{
	__u32 n = 0;

	for (__u32 i = 0; i < r->n && n < page->rows; i++) {
		const struct tally_row *row = &r->rows[i];

		if (is_nothing(page, row->total))
			continue;
		if (!n++)
			print_heading(page, "Hottest functions",
				      "   self    total  function                          defined at");
		print_share(page, row->self);
		fputs("  ", page->f);
		print_share(page, row->total);
		fputs("  ", page->f);
		print_function(page, row->id, 32);
		print_place(page, row->id, profile_get_function(page->profile, row->id)->start_line);
		print_libraries(page, libraries, row->id);
	}
}

/* Rows that have a place: lines, or native code, whose line is 0. */
static void print_places(struct page *page, const struct tally_rows *r, const char *title, const char *heads)
{
	__u32 n = shown(page, r);

	if (n)
		print_heading(page, title, heads);
	for (__u32 i = 0; i < n; i++) {
		const struct tally_row *row = &r->rows[i];

		print_share(page, row->self);
		fputs("  ", page->f);
		print_function(page, row->id, 41);
		print_place(page, row->id, row->line);
	}
}

/* "1.20% [no Python frames]" in the cell. Returns its columns. */
static size_t format_marker(struct page *page, const struct tally_row *row, __u64 count)
{
	const struct profile_function *f = profile_get_function(page->profile, row->id);
	size_t to;

	buf_clear(&page->cell);
	buf_printf(&page->cell, "%.*f%% ", page->decimals, 100 * share_of(page, count));
	buf_add_shown(&page->cell, profile_get_string(page->profile, f->name), false);
	to = table_cell_head(page->cell.data, page->cell.size, MARKER_WIDTH);
	page->cell.size = to;
	return table_cell_columns(page->cell.data, to);
}

/*
 * Prints the markers, on as many lines as they need. partial: only counts stacks that have the marker
 * elsewhere than in the leaf.
 */
static void print_markers(struct page *page, const struct tally_rows *r, const char *title, bool partial)
{
	size_t used = 0;

	for (__u32 i = 0; i < r->n && i < MARKERS_MAX; i++) {
		__u64 count = partial ? r->rows[i].total - r->rows[i].self : r->rows[i].self;
		size_t width;

		if (is_nothing(page, count) || profile_get_function(page->profile, r->rows[i].id)->kind == FRAME_C_THREAD)
			continue;
		width = format_marker(page, &r->rows[i], count);
		if (!used) {
			fprintf(page->f, "\n%s%s: ", style(page, DIM), title);
			used = strlen(title) + 2;
		} else if (used + width + 3 <= SUMMARY_WIDTH) { /* with ", " before it and "," after it */
			fputs(", ", page->f);
			used += 2;
		} else {
			fputs(",\n    ", page->f);
			used = 4;
		}
		used += width;
		print_cell(page, MARKER_WIDTH, false, false);
	}
	if (used)
		fprintf(page->f, "%s\n", style(page, RESET));
}

static const struct event_row *event_of(const struct page *page)
{
	return &event_rows[profile_shown(page->profile)];
}

static double amount_of(const struct page *page, __u64 count)
{
	return shown_amount(page->profile, count);
}

static void print_use(struct page *page, __u64 count)
{
	print_share(page, count);
	fprintf(page->f, "%11s %-3s", number_hundredths(amount_of(page, count)).text,
		event_amount_unit(profile_shown(page->profile)));
}

/* The heads of a table of processes or threads. */
static void format_heads(const struct page *page, const char *id, char heads[96])
{
	snprintf(heads, 96, "  share%13s%s         %s  name", event_of(page)->resource,
		 page->has_gil ? "  GIL held  released" : "", id);
}

/* How much of a row's time had the GIL, and how much had let go of it. */
static void print_gil(const struct page *page, const struct tally_row *row)
{
	if (page->has_gil && row->holds + row->released)
		fprintf(page->f, "%9.1f%%%9.1f%%", 100.0 * row->holds / row->self,
			100.0 * row->released / row->self);
	else if (page->has_gil)
		fprintf(page->f, "%*s", GIL_WIDTH, "");
}

static void print_processes(struct page *page, const struct tally_rows *r)
{
	char heads[96];

	format_heads(page, "pid", heads);
	print_heading(page, "Processes", heads);
	for (__u32 i = 0; i < shown(page, r); i++) {
		const struct profile_owner *o = profile_get_owner(page->profile, r->rows[i].line);

		print_use(page, r->rows[i].self);
		print_gil(page, &r->rows[i]);
		fprintf(page->f, "%10u  ", r->rows[i].id);
		print_name(page, profile_get_string(page->profile, o->comm));
	}
}

/* If anything has one. */
static void print_endpoints(struct page *page, const struct tally_rows *r)
{
	char heads[96];

	if (!r->rows[0].id && r->n < 2)
		return;
	format_heads(page, "   ", heads);
	print_heading(page, "Endpoints", heads);
	for (__u32 i = 0; i < shown(page, r); i++) {
		const __u32 name = r->rows[i].id;

		print_use(page, r->rows[i].self);
		print_gil(page, &r->rows[i]);
		fprintf(page->f, "%12s", "");
		print_name(page, name ? profile_get_string(page->profile, name) : "(no endpoint)");
	}
}

static void print_others(struct page *page, __u64 count, __u32 n, const char *one, const char *many)
{
	if (!count)
		return;
	print_use(page, count);
	fprintf(page->f, "%*s%s other %s\n", 12 + (page->has_gil ? GIL_WIDTH : 0), "", number_group(n).text,
		n == 1 ? one : many);
}

/* The last rows have what the other threads and processes used, so that all rows add up. */
static void print_threads(struct page *page, const struct tally *t)
{
	const struct tally_row *process = t->processes.rows;
	const struct profile_owner *o = profile_get_owner(page->profile, process->line);
	__u64 left = process->self;
	__u32 n = shown(page, &t->threads);
	char heads[96];

	buf_clear(&page->cell);
	buf_add_string(&page->cell, "Threads of ");
	buf_add_shown(&page->cell, profile_get_string(page->profile, o->comm), false);
	page->cell.size = table_cell_head(page->cell.data, page->cell.size, NAME_WIDTH);
	format_heads(page, "tid", heads);
	fprintf(page->f, "\n%s%.*s (pid %u)%s\n%s%s%s\n", style(page, BOLD), (int)page->cell.size,
		page->cell.data ?: "", t->pid, style(page, RESET), style(page, DIM), heads,
		style(page, RESET));
	for (__u32 i = 0; i < n; i++) {
		const struct tally_row *row = &t->threads.rows[i];

		o = profile_get_owner(page->profile, row->line);
		left -= row->self;
		print_use(page, row->self);
		print_gil(page, row);
		fprintf(page->f, "%10u  ", row->id);
		print_name(page, profile_get_string(page->profile, o->thread ?: o->comm));
	}
	print_others(page, left, t->threads.n - n, "thread", "threads");
	print_others(page, profile_total(page->profile) - process->self, t->processes.n - 1, "process",
		     "processes");
}

static void print_missing(const struct page *page)
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

static void print_total(const struct page *page)
{
	const struct profile_info *info = profile_get_info(page->profile);
	const __u64 samples = profile_total_of(page->profile, profile_shown(page->profile));
	const bool has_period = *event_of(page)->period;
	double amount = amount_of(page, profile_total(page->profile));

	fputs(style(page, BOLD), page->f);
	if (has_period)
		fprintf(page->f, "%s sample%s, ", number_group(samples).text, samples == 1 ? "" : "s");
	fprintf(page->f, "%s %s of %s%s", number_hundredths(amount).text,
		event_amount_unit(profile_shown(page->profile)),
		event_of(page)->resource, style(page, RESET));
	if (info->duration_ns > 0)
		fprintf(page->f, " in %.1f s", (double)info->duration_ns / 1e9);
	if (info->duration_ns > 0 && has_period)
		fprintf(page->f, " (%.2f CPUs busy)", amount / ((double)info->duration_ns / 1e9));
	if (info->frequency && has_period)
		fprintf(page->f, ", %u Hz", info->frequency);
	fputc('\n', page->f);
	if (info->ticks_wanted && has_period)
		print_missing(page);
	for (int i = 0; i < FULL_TABLES; i++)
		if (info->full[i])
			fprintf(page->f, "%s %s\n", number_group(info->full[i]).text,
				full_table_rows[i].what);
}

/* For whom the time is not what the kernel's account says. */
static void print_accounts(struct page *page)
{
	_cleanup_(accounts_free) struct accounts_found found = {};

	if (accounts_find(page->profile, &found))
		return;
	for (__u32 i = 0; i < accounts_lines(&found); i++) {
		buf_clear(&page->cell);
		if (accounts_line(page->profile, &found, i, &page->cell))
			continue;
		print_cell(page, SUMMARY_WIDTH, false, false);
		fputc('\n', page->f);
	}
}

void summary_print(const struct profile *p, FILE *f, bool colour, int rows)
{
	_cleanup_(tally_free) struct tally t = { 0 };
	struct page page = {
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
	c_threads_print(p, page.decimals, style(&page, DIM), style(&page, RESET), f);
	print_markers(&page, &t.markers, "Not in the tables", false);
	print_markers(&page, &t.markers, "In the tables, but not whole", true);
	unanalysed_print(p, f);
	print_endpoints(&page, &t.endpoints);
	if (t.pid)
		print_threads(&page, &t);
	else
		print_processes(&page, &t.processes);
	buf_free(&page.cell);
}

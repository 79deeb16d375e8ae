// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary_owners.c - see summary_page.h: whose the time of a summary was, by process, thread and endpoint.
 */
#include <stdio.h>

#include "base/escapes.h"
#include "base/number.h"
#include "views/summary_page.h"
#include "views/table_cell.h"

static void print_use(struct summary_page *page, __u64 count)
{
	summary_share(page, count);
	fprintf(page->f, "%11s %-3s", number_hundredths(summary_amount(page, count)).text,
		event_amount_unit(profile_shown(page->profile)));
}

/* The heads of a table of processes or threads. */
static void format_heads(const struct summary_page *page, const char *id, char heads[96])
{
	snprintf(heads, 96, "  share%13s%s         %s  name", summary_event(page)->resource,
		 page->has_gil ? "  GIL held  released" : "", id);
}

/* How much of a row's time had the GIL, and how much had let go of it. */
static void print_gil(const struct summary_page *page, const struct tally_row *row)
{
	if (page->has_gil && row->holds + row->released)
		fprintf(page->f, "%9.1f%%%9.1f%%", 100.0 * row->holds / row->self,
			100.0 * row->released / row->self);
	else if (page->has_gil)
		fprintf(page->f, "%*s", GIL_WIDTH, "");
}

void summary_processes(struct summary_page *page, const struct tally_rows *r)
{
	char heads[96];

	format_heads(page, "pid", heads);
	summary_heading(page, "Processes", heads);
	for (__u32 i = 0; i < summary_shown(page, r); i++) {
		const struct profile_owner *o = profile_get_owner(page->profile, r->rows[i].line);

		print_use(page, r->rows[i].self);
		print_gil(page, &r->rows[i]);
		fprintf(page->f, "%10u  ", r->rows[i].id);
		summary_name(page, profile_get_string(page->profile, o->comm));
	}
}

void summary_endpoints(struct summary_page *page, const struct tally_rows *r)
{
	char heads[96];

	if (!r->rows[0].id && r->n < 2)
		return;
	format_heads(page, "   ", heads);
	summary_heading(page, "Endpoints", heads);
	for (__u32 i = 0; i < summary_shown(page, r); i++) {
		const __u32 name = r->rows[i].id;

		print_use(page, r->rows[i].self);
		print_gil(page, &r->rows[i]);
		fprintf(page->f, "%12s", "");
		summary_name(page, name ? profile_get_string(page->profile, name) : "(no endpoint)");
	}
}

static void print_others(struct summary_page *page, __u64 count, __u32 n, const char *one, const char *many)
{
	if (!count)
		return;
	print_use(page, count);
	fprintf(page->f, "%*s%s other %s\n", 12 + (page->has_gil ? GIL_WIDTH : 0), "", number_group(n).text,
		n == 1 ? one : many);
}

void summary_threads(struct summary_page *page, const struct tally *t)
{
	const struct tally_row *process = t->processes.rows;
	const struct profile_owner *o = profile_get_owner(page->profile, process->line);
	__u64 left = process->self;
	__u32 n = summary_shown(page, &t->threads);
	char heads[96];

	buf_clear(&page->cell);
	buf_add_string(&page->cell, "Threads of ");
	buf_add_shown(&page->cell, profile_get_string(page->profile, o->comm), false);
	page->cell.size = table_cell_head(page->cell.data, page->cell.size, NAME_WIDTH);
	format_heads(page, "tid", heads);
	fprintf(page->f, "\n%s%.*s (pid %u)%s\n%s%s%s\n", summary_style(page, BOLD), (int)page->cell.size,
		page->cell.data ?: "", t->pid, summary_style(page, RESET), summary_style(page, DIM), heads,
		summary_style(page, RESET));
	for (__u32 i = 0; i < n; i++) {
		const struct tally_row *row = &t->threads.rows[i];

		o = profile_get_owner(page->profile, row->line);
		left -= row->self;
		print_use(page, row->self);
		print_gil(page, row);
		fprintf(page->f, "%10u  ", row->id);
		summary_name(page, profile_get_string(page->profile, o->thread ?: o->comm));
	}
	print_others(page, left, t->threads.n - n, "thread", "threads");
	print_others(page, profile_total(page->profile) - process->self, t->processes.n - 1, "process",
		     "processes");
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary.c - see summary.h. First everything is added up over the samples (struct tally), then each table
 * is a sorted list of rows.
 */
#include "profile/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define HOT 0.10 /* shares from here on are coloured */

#define PLACE_WIDTH (SUMMARY_WIDTH - 52) /* what the columns before it leave */

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define RED   "\033[31m"
#define RESET "\033[0m"

struct page {
	const struct profile *profile;
	FILE *f;
	bool colour;
	__u32 rows;
	struct buf cell;
};

struct row {
	__u64 self, total;
	__u32 id, line; /* function and its line; of processes: pid and the owner that names it */
};

struct tally {
	__u64 *owners;	       /* samples by owner id - 1 */
	struct row *functions; /* by function id - 1 */
	struct row *lines;     /* by location id - 1, then merged */
	struct row *processes; /* of owners, then merged by pid */
	__u32 n_functions, n_lines, n_processes;
};

static void cleanup_tally(struct tally *t)
{
	free(t->owners);
	free(t->functions);
	free(t->lines);
	free(t->processes);
}

/* A function that calls itself is in the stack many times, the sample in its total once. */
static int add_samples(const struct profile *p, struct tally *t)
{
	_cleanup_free_ __u32 *counted_in = calloc((size_t)t->n_functions + 1, sizeof(*counted_in));

	if (!counted_in)
		return -ENOMEM;
	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		struct profile_stack stack = profile_get_sample(p, id);

		t->owners[stack.owner - 1] += stack.count;
		t->lines[stack.locations[0] - 1].self += stack.count;
		for (__u32 i = 0; i < stack.n; i++) {
			__u32 function = profile_get_location(p, stack.locations[i])->function;
			struct row *row = &t->functions[function - 1];

			if (i == 0)
				row->self += stack.count;
			if (counted_in[function] != id)
				row->total += stack.count;
			counted_in[function] = id;
		}
	}
	return 0;
}

static int by_heat(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_place(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Rows of one line that differ by mapping only: two interpreters running the same file. */
static void merge_lines(const struct profile *p, struct tally *t)
{
	__u32 n = 0;

	for (__u32 i = 0; i < t->n_lines; i++) {
		t->lines[i].id = profile_get_location(p, i + 1)->function;
		t->lines[i].line = profile_get_location(p, i + 1)->line;
	}
	qsort(t->lines, t->n_lines, sizeof(*t->lines), by_place);
	for (__u32 i = 0; i < t->n_lines; i++) {
		if (n && !by_place(&t->lines[n - 1], &t->lines[i]))
			t->lines[n - 1].self += t->lines[i].self;
		else
			t->lines[n++] = t->lines[i];
	}
	t->n_lines = n;
}

/* The main thread's name stands for the process; without a sample of it, the busiest thread's. */
static bool is_better_name(const struct profile *p, const struct tally *t, __u32 owner, __u32 than)
{
	const struct profile_owner *a = profile_get_owner(p, owner), *b = profile_get_owner(p, than);
	bool a_main = !a->tid || a->tid == a->pid, b_main = !b->tid || b->tid == b->pid;

	return a_main != b_main ? a_main : t->owners[owner - 1] > t->owners[than - 1];
}

/* Rows of owners (line is the pid here) become rows of processes. */
static void merge_processes(const struct profile *p, struct tally *t)
{
	__u32 n = 0;

	for (__u32 i = 0; i < t->n_processes; i++)
		t->processes[i] = (struct row){ .id = profile_get_owner(p, i + 1)->pid, .line = i + 1 };
	qsort(t->processes, t->n_processes, sizeof(*t->processes), by_place);
	for (__u32 i = 0; i < t->n_processes; i++) {
		struct row row = t->processes[i], *last = n ? &t->processes[n - 1] : NULL;

		row.self = t->owners[row.line - 1];
		if (!last || last->id != row.id) {
			t->processes[n++] = row;
			continue;
		}
		last->self += row.self;
		if (is_better_name(p, t, row.line, last->line))
			last->line = row.line;
	}
	t->n_processes = n;
}

static int tally(const struct profile *p, struct tally *t)
{
	int err;

	t->n_functions = profile_count(p, PROFILE_FUNCTION);
	t->n_lines = profile_count(p, PROFILE_LOCATION);
	t->n_processes = profile_count(p, PROFILE_OWNER);
	t->owners = calloc((size_t)t->n_processes + 1, sizeof(*t->owners));
	t->functions = calloc((size_t)t->n_functions + 1, sizeof(*t->functions));
	t->lines = calloc((size_t)t->n_lines + 1, sizeof(*t->lines));
	t->processes = calloc((size_t)t->n_processes + 1, sizeof(*t->processes));
	if (!t->owners || !t->functions || !t->lines || !t->processes)
		return -ENOMEM;
	err = add_samples(p, t);
	if (err)
		return err;
	for (__u32 i = 0; i < t->n_functions; i++)
		t->functions[i].id = i + 1;
	merge_lines(p, t);
	merge_processes(p, t);
	qsort(t->functions, t->n_functions, sizeof(*t->functions), by_heat);
	qsort(t->lines, t->n_lines, sizeof(*t->lines), by_heat);
	qsort(t->processes, t->n_processes, sizeof(*t->processes), by_heat);
	return 0;
}

static const char *style(const struct page *page, const char *code)
{
	return page->colour ? code : "";
}

/* Columns of a text; every code point counts as one. */
static size_t columns(const char *s, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* Where the text's last `keep` columns begin; at the next '/' when there is one, so that no name is halved.
 */
static size_t tail(const char *s, size_t size, size_t keep)
{
	size_t at = size;
	const char *slash;

	while (at && keep)
		keep -= ((unsigned char)s[--at] & 0xc0) != 0x80;
	slash = memchr(s + at, '/', size - at);
	return slash ? (size_t)(slash - s) : at;
}

static size_t head(const char *s, size_t size, size_t keep)
{
	size_t at = 0;

	for (; at < size; at++)
		if (((unsigned char)s[at] & 0xc0) != 0x80 && !keep--)
			break;
	return at;
}

/* Prints the cell, cut to `width` columns: paths lose their beginning, names their end. */
static void print_cell(struct page *page, size_t width, bool is_path, bool pad)
{
	const char *s = page->cell.data;
	size_t size = page->cell.size, from = 0, to = size, used;

	if (columns(s, size) > width && is_path)
		from = tail(s, size, width - 3);
	else if (columns(s, size) > width)
		to = head(s, size, width - 3);
	used = columns(s + from, to - from) + (from ? 3 : 0) + (to < size ? 3 : 0);
	fprintf(page->f, "%s%.*s%s", from ? "..." : "", (int)(to - from), size ? s + from : "",
		to < size ? "..." : "");
	if (pad && used < width)
		fprintf(page->f, "%*s", (int)(width - used), "");
}

/* A cell that finds no memory stays short; the page goes on. */
static void print_text(struct page *page, const char *s, size_t width, bool pad)
{
	buf_clear(&page->cell);
	buf_add_shown(&page->cell, s, false);
	print_cell(page, width, false, pad);
	if (!pad)
		fputc('\n', page->f);
}

static void print_function(struct page *page, __u32 id, size_t width)
{
	const struct profile_function *f = profile_get_function(page->profile, id);

	/* A marker has no place behind it to be aligned with. */
	print_text(page, profile_get_string(page->profile, f->name), width, f->file);
}

static void print_place(struct page *page, __u32 function, __u32 line)
{
	const struct profile_function *f = profile_get_function(page->profile, function);

	if (!f->file)
		return;
	buf_clear(&page->cell);
	buf_add_shown(&page->cell, profile_get_string(page->profile, f->file), false);
	if (line)
		buf_printf(&page->cell, ":%u", line);
	fputs("  ", page->f);
	print_cell(page, PLACE_WIDTH, true, false);
	fputc('\n', page->f);
}

static void print_share(struct page *page, __u64 count)
{
	double share = (double)count / (double)profile_total(page->profile);

	fprintf(page->f, "%s%6.2f%%%s", style(page, share >= HOT ? RED : ""), 100 * share,
		style(page, share >= HOT ? RESET : ""));
}

static void print_heading(struct page *page, const char *title, const char *heads)
{
	fprintf(page->f, "\n%s%s%s\n%s%s%s\n", style(page, BOLD), title, style(page, RESET), style(page, DIM),
		heads, style(page, RESET));
}

/* Rows without a sample of their own are at the end and tell nothing. Returns how many are worth a line. */
static __u32 shown(const struct page *page, const struct row *rows, __u32 n, bool by_total)
{
	__u32 i = 0;

	while (i < n && i < page->rows && (rows[i].self || (by_total && rows[i].total)))
		i++;
	return i;
}

static void print_functions(struct page *page, const struct tally *t)
{
	print_heading(page, "Hottest functions", "   self    total  function                          where");
	for (__u32 i = 0; i < shown(page, t->functions, t->n_functions, true); i++) {
		const struct row *row = &t->functions[i];

		print_share(page, row->self);
		fputs("  ", page->f);
		print_share(page, row->total);
		fputs("  ", page->f);
		print_function(page, row->id, 32);
		print_place(page, row->id, profile_get_function(page->profile, row->id)->start_line);
	}
}

static void print_lines(struct page *page, const struct tally *t)
{
	print_heading(page, "Hottest lines", "   self  function                                   line");
	for (__u32 i = 0; i < shown(page, t->lines, t->n_lines, false); i++) {
		const struct row *row = &t->lines[i];

		print_share(page, row->self);
		fputs("  ", page->f);
		print_function(page, row->id, 41);
		print_place(page, row->id, row->line);
	}
}

static double cpu_seconds(const struct profile *p, __u64 count)
{
	return (double)count * (double)profile_get_info(p)->period_ns / 1e9;
}

static void print_processes(struct page *page, const struct tally *t)
{
	print_heading(page, "Processes", "  share        CPU         pid  name");
	for (__u32 i = 0; i < shown(page, t->processes, t->n_processes, false); i++) {
		const struct row *row = &t->processes[i];
		const struct profile_owner *o = profile_get_owner(page->profile, row->line);

		print_share(page, row->self);
		fprintf(page->f, "%9.2f s  %10u  ", cpu_seconds(page->profile, row->self), row->id);
		print_text(page, profile_get_string(page->profile, o->comm), SUMMARY_WIDTH - 32, false);
	}
}

static void print_total(const struct page *page)
{
	const struct profile_info *info = profile_get_info(page->profile);
	double cpu = cpu_seconds(page->profile, profile_total(page->profile));

	fprintf(page->f, "%s%llu samples, %.2f s of CPU%s", style(page, BOLD), profile_total(page->profile),
		cpu, style(page, RESET));
	if (info->duration_ns > 0)
		fprintf(page->f, " in %.1f s (%.2f CPUs busy)", (double)info->duration_ns / 1e9,
			cpu / ((double)info->duration_ns / 1e9));
	if (info->frequency)
		fprintf(page->f, ", %u Hz", info->frequency);
	fputc('\n', page->f);
}

void summary_print(const struct profile *p, FILE *f, bool colour, int rows)
{
	_cleanup_(cleanup_tally) struct tally t = { 0 };
	struct page page = { .profile = p, .f = f, .colour = colour, .rows = rows > 0 ? rows : 0 };

	print_total(&page);
	if (!profile_total(p) || !page.rows)
		return;
	if (tally(p, &t)) {
		fputs("(not enough memory for the tables)\n", f);
		return;
	}
	print_functions(&page, &t);
	print_lines(&page, &t);
	print_processes(&page, &t);
	buf_free(&page.cell);
}

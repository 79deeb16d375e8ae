// SPDX-License-Identifier: GPL-2.0-only
#include "views/summary_page.h"

#include <string.h>

#include "base/escapes.h"
#include "profile/profile.h"
#include "views/table_cell.h"

#define HOT 0.10 /* shares from here on are coloured */

const char *summary_style(const struct summary_page *page, const char *code)
{
	return page->colour ? code : "";
}

void summary_cell(struct summary_page *page, size_t width, bool is_path, bool pad)
{
	const struct table_cell c = table_cell_cut(&page->cell, width, is_path);

	fprintf(page->f, "%s%.*s%s", c.before, (int)c.size, c.text, c.behind);
	if (pad && c.columns < width)
		fprintf(page->f, "%*s", (int)(width - c.columns), "");
}

void summary_name(struct summary_page *page, const char *s)
{
	buf_clear(&page->cell);
	buf_add_shown(&page->cell, s, false);
	summary_cell(page, NAME_WIDTH - (page->has_gil ? GIL_WIDTH : 0), false, false);
	fputc('\n', page->f);
}

double summary_share_of(const struct summary_page *page, __u64 count)
{
	return (double)count / (double)profile_total(page->profile);
}

void summary_share(struct summary_page *page, __u64 count)
{
	double share = summary_share_of(page, count);

	fprintf(page->f, "%s%6.*f%%%s", summary_style(page, share >= HOT ? RED : ""), page->decimals,
		100 * share, summary_style(page, share >= HOT ? RESET : ""));
}

void summary_heading(struct summary_page *page, const char *title, const char *heads)
{
	const char *reset = summary_style(page, RESET);

	fprintf(page->f, "\n%s%s%s\n%s%s%s\n", summary_style(page, BOLD), title, reset,
		summary_style(page, DIM), heads, reset);
}

bool summary_is_nothing(const struct summary_page *page, __u64 count)
{
	char text[16];

	snprintf(text, sizeof(text), "%.*f", page->decimals, 100 * summary_share_of(page, count));
	return !text[strspn(text, "0.")];
}

__u32 summary_shown(const struct summary_page *page, const struct tally_rows *r)
{
	__u32 i = 0;

	while (i < r->n && i < page->rows && !summary_is_nothing(page, r->rows[i].self))
		i++;
	return i;
}

const struct event_row *summary_event(const struct summary_page *page)
{
	return &event_rows[profile_shown(page->profile)];
}

double summary_amount(const struct summary_page *page, __u64 count)
{
	return profile_shown_amount(page->profile, count);
}

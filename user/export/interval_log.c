// SPDX-License-Identifier: GPL-2.0-only
#include "export/interval_log.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/trace_ids.h"
#include "tree/journal.h"
#include "tree/journal_stretch.h"
#include "tree/window.h"

void interval_log_open(struct interval_log *l, struct journal *j, const struct windows *windows)
{
	*l = (struct interval_log){ .journal = j, .windows = windows, .from = clock_ns(), .to = clock_ns() };
}

void interval_log_close(struct interval_log *l)
{
	journal_stretch_free(TAKE_PTR(l->stretch));
}

void interval_log_mark(struct interval_log *l)
{
	if (!l->journal)
		return;
	l->to = clock_ns();
	journal_cut(l->journal, l->to);
}

static bool is_complete(struct interval_log *l)
{
	journal_read(l->journal);
	return journal_has_all(l->journal, l->from, l->to);
}

static void open_stretch(struct interval_log *l)
{
	const struct trace_wanted wanted = { .each = l->journal->traced };

	if (!journal_stretch_new(&l->stretch, l->journal, l->from, l->to))
		journal_stretch_spans(l->stretch, &wanted);
}

void interval_log_take(struct interval_log *l, bool is_wanted)
{
	interval_log_close(l);
	if (l->journal && is_wanted && l->to > l->from) {
		if (is_complete(l))
			complaint_over(&l->trouble, "profiles are pushed with times again");
		else
			complain(&l->trouble,
				 "profiles are pushed without times: the log has not all of an "
				 "interval; it needs --log longer than --interval, and a lower --frequency "
				 "where it loses samples");
		if (!l->trouble.stands)
			open_stretch(l);
	}
	l->from = l->to;
}

int interval_log_make(struct interval_log *l, struct profile **ret)
{
	int err = l->stretch ? journal_stretch_prepare(l->stretch, l->windows->pause_ns) : 0;

	if (err == -EAGAIN)
		return err;
	*ret = l->stretch && !err ? journal_stretch_take(l->stretch) : NULL;
	interval_log_close(l);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "stats/progress.h"

#include <stdio.h>

#include "base/clock.h"
#include "kern/stats.h"
#include "stats/books.h"
#include "stats/run_stats.h"
#include "targets/registry.h"

#define PAUSE_SECONDS 0.9 /* a little less than the event loop's second, so that no line is left out */

void progress_show(struct progress *p, const struct run_facts *run, const struct kernel *k,
		   const struct registry *r)
{
	const double seconds = clock_seconds() - run->start;
	struct run_stats report = {};
	char words[BOOKS_WORDS_MAX];
	size_t live = 0;

	if (!p->wanted || !run->start || seconds - p->last < PAUSE_SECONDS)
		return;
	p->last = seconds;
	kernel_stats(k, &report.kernel);
	registry_count(r, &live);
	books_in_words(&report.kernel.sum, run->events, words);
	fprintf(stderr, "\r\033[K%.0f s, %zu process%s, %s. Ctrl-C ends it.", seconds, live,
		live == 1 ? "" : "es", words);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->wanted && p->last > 0)
		fputs("\r\033[K", stderr);
}

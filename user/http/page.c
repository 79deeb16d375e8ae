// SPDX-License-Identifier: GPL-2.0-only
#include "http/page.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "http/answer.h"
#include "http/processes.h"
#include "http/route.h"
#include "kern/stats.h"
#include "page/pieces.h"
#include "profile/profile.h"
#include "stats/books.h"
#include "stats/run_facts.h"
#include "targets/registry.h"

static int add_version(const struct site *s, struct buf *out)
{
	(void)s;
	return buf_add_string(out, PYPERF_VERSION);
}

/* How long, how many, and how much of it is in no profile. */
static int add_state(const struct site *s, struct buf *out)
{
	const struct run_facts *run = s->inputs.run;
	struct kernel_stats stats = {};
	char words[BOOKS_WORDS_MAX];
	size_t live = 0;

	if (s->health == HEALTH_STARTING)
		return buf_add_string(out, "Not sampling yet.");
	kernel_stats(s->inputs.kernel, &stats);
	registry_count(s->inputs.registry, &live);
	return buf_printf(out,
			  "%d CPUs at %u Hz for %s s: %s, of %zu process%s and of those that have ended. "
			  "What is in no profile is <a href=\"metrics\">counted</a>.",
			  run->cpus, run->frequency, number_group(clock_seconds() - run->start).text,
			  books_in_words(&stats.sum, run->events, words), live,
			  live == 1 ? " that runs" : "es that run");
}

/* One link for each kind of event, if there are several. page.js keeps the rest of the query. */
static int add_links(const struct site *s, struct buf *out)
{
	const __u32 events = s->inputs.run->events;
	int err = 0;

	if (!(events & (events - 1)))
		return 0;
	for (int kind = 0; kind < EVENT_KINDS && !err; kind++)
		if (events & EVENT_BIT(kind))
			err = buf_printf(out, "<a href=\"?type=%s\" title=\"%s\">%s</a>\n",
					 event_rows[kind].key, event_rows[kind].noun,
					 event_rows[kind].resource);
	return err;
}

/* The part that a file without a server has, too. */
static int add_graph(const struct site *s, struct buf *out)
{
	(void)s;
	return buf_add(out, piece_graph.data, piece_graph.size);
}

static int add_processes(const struct site *s, struct buf *out)
{
	return processes_html(s->inputs.registry, s->inputs.kernel, recent_profile(&s->recent), out);
}

/* The values that the page has in braces, in its order. */
static const struct {
	const char *name;
	int (*add)(const struct site *s, struct buf *out);
} parts[] = {
	{ "{version}", add_version },
	{ "{events}", add_links },
	{ "{graph}", add_graph },
	{ "{state}", add_state },
	{ "{processes}", add_processes },
};

static int add_page(const struct site *s, struct buf *out)
{
	const char *at = piece_html.data, *end = at + piece_html.size;
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !err; i++) {
		const char *name = memmem(at, end - at, parts[i].name, strlen(parts[i].name));

		if (!name)
			continue;
		err = buf_add(out, at, name - at) ?: parts[i].add(s, out);
		at = name + strlen(parts[i].name);
	}
	return err ?: buf_add(out, at, end - at);
}

enum MHD_Result page_answer(const struct site *s, const struct client *c)
{
	_cleanup_buf_ struct buf out = {};
	int err = add_page(s, &out);

	return err ? answer_failure(c, err) : answer_buf(c, MHD_HTTP_OK, TYPE_HTML, &out);
}

static const struct page_file files[] = {
	{ "/page.css", "text/css; charset=utf-8", &piece_css },
	{ "/page.js", "text/javascript; charset=utf-8", &piece_js },
};

const struct page_file *page_find_file(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(files[i].path, path))
			return &files[i];
	return NULL;
}

enum MHD_Result page_pprof_index(const struct client *c)
{
	static const char text[] = "<!doctype html>\n<title>/debug/pprof/</title>\n<p>One profile:\n"
				   "<a href=\"profile\">profile</a>, CPU time of Python code; ?seconds=N\n";

	return answer_static(c, TYPE_HTML, text, sizeof(text) - 1);
}

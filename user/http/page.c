// SPDX-License-Identifier: GPL-2.0-only
#include "http/page.h"

#include "agent/report.h"
#include "base/number.h"
#include "http/answer.h"
#include "http/assets.h"
#include "http/processes.h"
#include "http/route.h"
#include "profile/flamegraph.h"

static const char head[] = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
			   "<meta name=\"viewport\" content=\"width=device-width\">\n"
			   "<title>pyperf-bpf</title>\n<link rel=\"stylesheet\" href=\"page.css\">\n"
			   "<link rel=\"icon\" href=\"data:,\">\n"
			   "<h1>pyperf-bpf <small>" PYPERF_VERSION "</small></h1>\n";

static const char flame[] =
	"<h2>Where the CPU time went</h2>\n<div class=\"bar\"><span id=\"about\">loading</span>\n"
	"<input id=\"search\" type=\"search\" placeholder=\"search\"> <button id=\"reset\">whole</button>\n"
	"<button id=\"refresh\">refresh</button></div>\n<div id=\"flame\"></div>\n<p id=\"frame\">&nbsp;</p>\n"
	"<script src=\"d3.js\"></script>\n<script src=\"d3-flamegraph.js\"></script>\n"
	"<script src=\"page.js\"></script>\n";

static const char no_flame[] =
	"<h2>Where the CPU time went</h2>\n<p>This program was built without the flame graph: its two libraries were "
	"not there. <code>make flamegraph</code> fetches them from npm, then build again. Its data is at "
	"<a href=\"flamegraph.json\">flamegraph.json</a>.\n";

static const char addresses[] =
	"<h2>What there is</h2>\n<dl>\n"
	"<dt><a href=\"debug/pprof/profile?seconds=5\">/debug/pprof/profile?seconds=5</a>\n"
	"<dd>a profile of the next 5 seconds, for pprof: <code>go tool pprof</code> and this address. Also "
	"<a href=\"debug/pprof/profile?seconds=5&amp;format=folded\">folded</a>, and of a part: "
	"<code>&amp;pid=</code>, <code>&amp;comm=</code> and other labels\n"
	"<dt><a href=\"flamegraph.json\">/flamegraph.json</a><dd>what is drawn above; the same labels select a part\n"
	"<dt><a href=\"metrics\">/metrics</a><dd>what became of every tick and what the profiler costs, for Prometheus\n"
	"<dt><a href=\"healthz\">/healthz</a>, <a href=\"readyz\">/readyz</a><dd>for who looks after it\n"
	"</dl>\n";

/* How long, how many, and how much of it is in no profile. */
static int add_state(const struct http *h, struct buf *out)
{
	const struct run *run = h->source.run;
	struct report report = {};
	struct books books;
	size_t live = 0;

	if (!h->ready)
		return buf_add_string(out, "<p>Not sampling yet.\n");
	kernel_stats(h->source.kernel, &report.kernel);
	books = report_books(&report);
	registry_count(h->source.registry, &live);
	return buf_printf(out,
			  "<p>%d CPUs at %u Hz for %s s: %s samples of %zu Python processes that run and of those that "
			  "have ended. %s ticks were of others, and <a href=\"metrics\">counted</a>.\n",
			  run->cpus, run->frequency, number_group(http_now() - run->start).text,
			  number_group(books.in_profile).text, live, number_group(books.outside).text);
}

enum MHD_Result page_answer(struct visit *v)
{
	const struct http_source *s = &v->http->source;
	_cleanup_buf_ struct buf out = {};
	int err = buf_add_string(&out, head);

	if (!err)
		err = add_state(v->http, &out);
	if (!err)
		err = buf_add_string(&out, assets_have_flamegraph() ? flame : no_flame);
	if (!err)
		err = buf_add_string(&out, "<h2>What is being profiled</h2>\n");
	if (!err)
		err = processes_html(s->registry, s->kernel, v->http->recent.profile, &out);
	if (!err)
		err = buf_add_string(&out, addresses);
	return err ? answer_failure(v, err) : answer_buf(v, MHD_HTTP_OK, TYPE_HTML, &out);
}

enum MHD_Result page_flamegraph(struct visit *v)
{
	_cleanup_profile_ struct profile *part = NULL;
	_cleanup_buf_ struct buf out = {};
	int err;

	if (!route_read_query(v))
		return answer_line(v, MHD_HTTP_BAD_REQUEST, "%s", v->query.error);
	if (!v->http->recent.profile)
		return answer_line(v, MHD_HTTP_SERVICE_UNAVAILABLE, "the first interval has not ended yet");
	err = profile_filter_apply(&v->query.filter, v->http->recent.profile, &part);
	if (!err)
		err = flamegraph_encode(part, &out);
	return err ? answer_failure(v, err) : answer_buf(v, MHD_HTTP_OK, TYPE_JSON, &out);
}

enum MHD_Result page_pprof_index(struct visit *v)
{
	static const char text[] = "<!doctype html>\n<title>/debug/pprof/</title>\n<p>One profile:\n"
				   "<a href=\"profile\">profile</a>, CPU time of Python code; ?seconds=N\n";

	return answer_static(v, TYPE_HTML, text, sizeof(text) - 1);
}

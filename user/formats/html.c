// SPDX-License-Identifier: GPL-2.0-only
/*
 * html.c - see html.h. The browser runs the scripts of the program and no others: the policy in the file has
 * their sum. Names are in the data, which are no markup.
 */
#include "formats/html.h"

#include <string.h>

#include "base/base64.h"
#include "page/pieces.h"
#include "profile/filter.h"
#include "views/graph.h"

static int add_html_head(struct buf *out)
{
	return buf_add_string(out,
			      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
			      "<meta name=\"viewport\" content=\"width=device-width\">\n"
			      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
			      "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
			      "form-action 'none'; script-src 'sha256-") ?:
	       buf_add_base64(out, piece_js_sum, sizeof(piece_js_sum)) ?:
	       buf_add_string(out, "'\">\n<title>pyperf-bpf</title>\n"
				   "<link rel=\"icon\" href=\"data:,\">\n<style>\n") ?:
	       buf_add(out, piece_css.data, piece_css.size) ?:
	       buf_add_string(out, "</style>\n\n<div id=\"app\">\n<header id=\"top\">\n"
				   "<h1>pyperf-bpf <small>" PYPERF_VERSION "</small></h1>\n");
}

/* A link for each kind of event, if there are several, as the page has them. */
static int add_events(__u32 events, struct buf *out)
{
	int err = buf_add_string(out, "<nav id=\"events\" class=\"choice\" "
				      "aria-label=\"kind of event\">");

	for (int kind = 0; kind < EVENT_KINDS && !err; kind++)
		if (events & EVENT_BIT(kind) && events & (events - 1))
			err = buf_printf(out, "<a href=\"?type=%s\" title=\"%s\">%s</a>\n",
					 event_rows[kind].key, event_rows[kind].noun,
					 event_rows[kind].resource);
	return err ?: buf_add_string(out, "</nav>\n");
}

/* So that no name can end the element that the data are in. In JSON '<' stands in strings only. */
static int add_escaped(const struct buf *json, struct buf *out)
{
	const char *at = json->data, *end = at + json->size;
	int err = 0;

	while (at < end && !err) {
		const char *next = memchr(at, '<', end - at) ?: end;

		err = buf_add(out, at, next - at);
		if (!err && next < end)
			err = buf_add_string(out, "\\u003c");
		at = next + 1;
	}
	return err;
}

static int add_kind_of_page(const struct profile *p, enum event_kind kind, struct buf *out)
{
	const struct profile_filter filter = { .events = EVENT_BIT(kind) };
	_cleanup_profile_ struct profile *part = NULL;
	_cleanup_buf_ struct buf json = {};

	return profile_filter_apply(&filter, p, &part) ?: graph_encode_until(part, NULL, &json) ?:
	       add_escaped(&json, out);
}

static int add_page_data(const struct profile *p, struct buf *out)
{
	const __u32 events = profile_get_info(p)->events;
	bool any = false;
	int err = buf_add_string(out, "<script type=\"application/json\" id=\"data\">[");

	for (int kind = 0; kind < EVENT_KINDS && !err; kind++) {
		if (!(events & EVENT_BIT(kind)))
			continue;
		err = (any ? buf_add_string(out, ",") : 0) ?: add_kind_of_page(p, kind, out);
		any = true;
	}
	return err ?: buf_add_string(out, "]</script>\n");
}

int html_encode(const struct profile *p, struct buf *out)
{
	const size_t start = out->size;
	const int err = add_html_head(out) ?: add_events(profile_get_info(p)->events, out) ?:
			buf_add(out, piece_graph.data, piece_graph.size) ?: add_page_data(p, out) ?:
			buf_add_string(out, "<script>") ?: buf_add(out, piece_js.data, piece_js.size) ?:
			buf_add_string(out, "</script>\n</html>\n");

	if (err)
		out->size = start;
	return err;
}

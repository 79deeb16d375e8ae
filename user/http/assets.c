// SPDX-License-Identifier: GPL-2.0-only
#include "http/assets.h"

#include <string.h>

#include "base/cleanup.h"

/* The Makefile makes these of the files in page/. */
static const unsigned char page_html[] = {
#include "page.html.inc"
};
static const unsigned char graph_html[] = {
#include "graph.html.inc"
};
static const unsigned char page_css[] = {
#include "page.css.inc"
};
static const unsigned char page_js[] = {
#include "page.js.inc"
};

#define JAVASCRIPT "text/javascript; charset=utf-8"

static const struct asset assets[] = {
	{ "/page.html", "text/html; charset=utf-8", page_html, sizeof(page_html) },
	{ "/graph.html", "text/html; charset=utf-8", graph_html, sizeof(graph_html) },
	{ "/page.css", "text/css; charset=utf-8", page_css, sizeof(page_css) },
	{ "/page.js", JAVASCRIPT, page_js, sizeof(page_js) },
};

const struct asset *asset_find(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(assets); i++)
		if (!strcmp(assets[i].path, path))
			return &assets[i];
	return NULL;
}

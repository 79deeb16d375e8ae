// SPDX-License-Identifier: GPL-2.0-only
#include "page/pieces.h"

/* The Makefile makes these of the files beside this one. */
static const unsigned char html[] = {
#include "page.html.inc"
};
static const unsigned char graph[] = {
#include "graph.html.inc"
};
static const unsigned char css[] = {
#include "page.css.inc"
};
static const unsigned char js[] = {
#include "page.js.inc"
};

const struct piece piece_html = { html, sizeof(html) };
const struct piece piece_graph = { graph, sizeof(graph) };
const struct piece piece_css = { css, sizeof(css) };
const struct piece piece_js = { js, sizeof(js) };
const unsigned char piece_js_sum[PIECE_SUM_SIZE] = {
#include "page.sum.inc"
};

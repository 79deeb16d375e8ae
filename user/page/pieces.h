/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pieces.h - the files of the page, built into the program. All scripts are one file.
 */
#ifndef PYPERF_PAGE_PIECES_H
#define PYPERF_PAGE_PIECES_H

#include <stddef.h>

struct piece {
	const void *data;
	size_t size;
};

#define PIECE_SUM_SIZE 32

extern const struct piece piece_html;  /* the page of a server, with names in braces */
extern const struct piece piece_graph; /* the part of it that a file without a server has, too */
extern const struct piece piece_css, piece_js;
extern const unsigned char piece_js_sum[PIECE_SUM_SIZE]; /* SHA-256 of the scripts */

#endif

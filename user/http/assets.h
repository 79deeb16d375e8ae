/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * assets.h - the files that the page loads.
 */
#ifndef PYPERF_HTTP_ASSETS_H
#define PYPERF_HTTP_ASSETS_H

struct piece;

struct asset {
	const char *path, *type;
	const struct piece *piece; /* page/pieces.h */
};

/* The file of this path. NULL if there is none. */
const struct asset *asset_find(const char *path);

#endif

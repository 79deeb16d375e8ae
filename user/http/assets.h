/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * assets.h - the files of the page, built into the program.
 */
#ifndef PYPERF_HTTP_ASSETS_H
#define PYPERF_HTTP_ASSETS_H

#include <stddef.h>

struct asset {
	const char *path, *type;
	const void *data;
	size_t size;
};

/* The file of this path. NULL if there is none. */
const struct asset *asset_find(const char *path);

#endif

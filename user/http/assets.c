// SPDX-License-Identifier: GPL-2.0-only
#include "http/assets.h"

#include <string.h>

#include "base/cleanup.h"
#include "page/pieces.h"

static const struct asset assets[] = {
	{ "/page.css", "text/css; charset=utf-8", &piece_css },
	{ "/page.js", "text/javascript; charset=utf-8", &piece_js },
};

const struct asset *asset_find(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(assets); i++)
		if (!strcmp(assets[i].path, path))
			return &assets[i];
	return NULL;
}

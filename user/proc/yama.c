// SPDX-License-Identifier: GPL-2.0-only
#include "proc/yama.h"

#include <stdio.h>

#include "base/cleanup.h"

int yama_scope(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int scope = -1;

	return f && fscanf(f, "%d", &scope) == 1 && scope >= 0 && scope <= 3 ? scope : -1;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "base/lsm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* The file has all levels, with brackets around the one in force: "none [integrity] confidentiality". */
int lsm_lockdown(char *ret, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(LOCKDOWN_FILE, "re");
	char levels[64];
	const char *level;

	if (!f)
		return -errno;
	if (!fgets(levels, sizeof(levels), f))
		return -EIO;
	level = strchr(levels, '[');
	if (!level || !strchr(level, ']'))
		return -EBADMSG;
	snprintf(ret, size, "%.*s", (int)strcspn(level + 1, "]"), level + 1);
	return 0;
}

bool lsm_is_confidential(void)
{
	char level[64];

	return !lsm_lockdown(level, sizeof(level)) && !strcmp(level, "confidentiality");
}

int lsm_yama_scope(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int scope = -1;

	return f && fscanf(f, "%d", &scope) == 1 && scope >= 0 && scope <= 3 ? scope : -1;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "kern/lockdown.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

bool lockdown_is_confidential(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char levels[64];

	return f && fgets(levels, sizeof(levels), f) && strstr(levels, "[confidentiality]");
}

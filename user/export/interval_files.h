/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_files.h - writes the profiles of the intervals as files into --output-dir. What was counted in an
 * interval whose file cannot be written goes into the next file.
 */
#ifndef PYPERF_EXPORT_INTERVAL_FILES_H
#define PYPERF_EXPORT_INTERVAL_FILES_H

#include "base/complaint.h"
#include "export/folder.h"
#include "report/export_stats.h"
#include "tree/window.h"

struct interval_files {
	const char *folder;
	struct folder_keep keep;
	struct window *window;
	struct export_stats *stats;
	struct harvest_stats written; /* in all */
	struct complaint writing, pruning;
};

/* Writes the window's profile to a file. The window goes on from its mark, or from now. Logs. 0 or -errno. */
int interval_files_write(struct interval_files *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_files.h - writes the profiles of the intervals as files into --output-dir. A child does it
 * (writer_child.h), so that a folder that is slow or hangs keeps nobody waiting. While it is at work, and
 * after it has failed, what is counted stays in the window and goes into the file after it.
 */
#ifndef PYPERF_EXPORT_INTERVAL_FILES_H
#define PYPERF_EXPORT_INTERVAL_FILES_H

#include <stdbool.h>

#include "base/complaint.h"
#include "export/folder.h"
#include "export/writer_child.h"
#include "stats/export_stats.h"
#include "tree/window.h"

struct profile;

/* Whoever makes it sets the first four; the rest begins as 0. */
struct interval_files {
	const char *folder;
	struct folder_keep keep;
	struct window *window;
	struct export_stats *stats;
	struct harvest_stats written;		 /* in all */
	struct complaint writing, late, pruning; /* late: a file takes longer than its interval */

	bool due;		    /* the window is to be taken when the file before it is written */
	struct profile *profile;    /* taken, and not written yet; NULL = none */
	struct harvest_stats taken; /* what is in it */
	struct writer_child writer;
};

/*
 * An interval has ended: the window's profile is to be written, up to its mark, or up to now. Logs. Then call
 * interval_files_run().
 */
void interval_files_add(struct interval_files *f);
/*
 * Goes on with what has been begun; to be called in each turn of the event loop. Logs. -EINPROGRESS while
 * something is being written; 0 when there is nothing more to do; or the -errno of what failed since the last
 * call, which is tried again when the next interval has been added.
 */
int interval_files_run(struct interval_files *f);
/*
 * These two are for the end of a run. The first begins to write what is left. The second waits until all is
 * written, also what has failed before, until clock_seconds() is `end`. Then it is given up. The time in
 * which no file system is waited for, since files are being made, is not counted, up to four seconds. Both
 * log. 0; -ETIMEDOUT; or the -errno of what failed.
 */
int interval_files_last(struct interval_files *f);
int interval_files_finish(struct interval_files *f, double end);
/* Milliseconds until interval_files_run() has something to do beside a SIGCHLD; -1 = never. */
int interval_files_timeout_ms(const struct interval_files *f);
/*
 * From now on files go there. A file that is being written longer than its time is given up, and written
 * there.
 */
void interval_files_move(struct interval_files *f, const char *folder);
void interval_files_close(struct interval_files *f);

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include "export/interval_files.h"

#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "profile/pprof.h"

/* Stacks that wait for a folder to come back, about 100 MiB of them. */
#define STACKS_MAX 262144

static int write_file(struct interval_files *f, const struct profile *p, char ret_name[FOLDER_NAME_SIZE])
{
	__s64 start = profile_get_info(p)->start_unix_ns;
	struct timespec when = { start / 1000000000, start % 1000000000 };
	_cleanup_buf_ struct buf b = {};
	int err = pprof_encode(p, &b);

	if (!err)
		err = folder_add(f->folder, &when, b.data, b.size, ret_name);
	if (!err)
		log_debug("wrote %s/%s: %llu samples", f->folder, ret_name, profile_total(p));
	return err;
}

static void prune(struct interval_files *f, const char *newest)
{
	size_t removed = 0;
	int err = folder_prune(f->folder, &f->keep, newest, &removed);

	f->stats->files_removed += removed;
	if (err)
		complain(&f->pruning, "old profiles in '%s' cannot be removed: %s", f->folder,
			 strerror(-err));
	else
		complaint_over(&f->pruning, NULL);
}

static void on_failure(struct interval_files *f, const struct profile *p, int err)
{
	f->stats->files_failed++;
	complain(&f->writing, "cannot write to '%s': %s; what was counted is kept for the next file",
		 f->folder, strerror(-err));
	if (!p || profile_count(p, PROFILE_SAMPLE) <= STACKS_MAX)
		return;
	log_warning("%llu samples that could not be written are given up", profile_total(p));
	f->stats->samples_dropped += profile_total(p);
	window_done(f->window);
}

int interval_files_write(struct interval_files *f)
{
	const struct profile *p = NULL;
	char name[FOLDER_NAME_SIZE];
	struct harvest_stats stats;
	int err;

	err = window_look(f->window, &p, &stats);
	if (!err)
		err = write_file(f, p, name);
	if (err) {
		on_failure(f, p, err);
		return err;
	}
	window_done(f->window);
	f->stats->files_written++;
	harvest_stats_add(&f->written, &stats);
	complaint_over(&f->writing, "profiles are written to '%s' again", f->folder);
	prune(f, name);
	return 0;
}

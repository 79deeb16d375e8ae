// SPDX-License-Identifier: GPL-2.0-only
#include "export/interval_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "formats/pprof.h"

/* Stacks that wait for a folder to come back, about 100 MiB of them. */
#define STACKS_MAX 262144
#define LAST_PAUSE_US 1000 /* between two looks at the last file */
#define LAST_READY_SECONDS 4.0 /* to make the last file ready, which waits for nothing but a CPU */

/* The result of the child. */
struct written {
	char name[FOLDER_NAME_SIZE];
	size_t removed;
	int prune_error;
	bool ready; /* the file's bytes are there, and from here on a file system may hang */
};

_Static_assert(sizeof(struct written) <= WRITER_CHILD_RESULT_MAX, "WRITER_CHILD_RESULT_MAX");

/* In the child. */
static int write_interval(void *files, void *result)
{
	const struct interval_files *f = files;
	const __s64 start = profile_get_info(f->profile)->start_unix_ns;
	const struct timespec when = { start / 1000000000, start % 1000000000 };
	_cleanup_buf_ struct buf b = {};
	struct written *done = result;
	int err = pprof_encode(f->profile, &b);

	__atomic_store_n(&done->ready, true, __ATOMIC_RELEASE);
	if (!err)
		err = folder_add(f->folder, &when, b.data, b.size, done->name);
	if (!err)
		done->prune_error = folder_prune(f->folder, &f->keep, done->name, &done->removed);
	return err;
}

static void drop_profile(struct interval_files *f)
{
	profile_free(TAKE_PTR(f->profile));
}

static void on_written(struct interval_files *f, const struct written *done)
{
	static const char again[] = "profiles are written to '%s' again";

	log_debug("wrote %s/%s: %llu samples", f->folder, done->name,
		  profile_total_of(f->profile, profile_shown(f->profile)));
	f->stats->files_written++;
	f->stats->files_removed += done->removed;
	harvest_stats_add(&f->written, &f->taken);
	drop_profile(f);
	complaint_over(&f->late, f->writing.stands ? NULL : again, f->folder);
	complaint_over(&f->writing, again, f->folder);
	if (done->prune_error)
		complain(&f->pruning, "old profiles in '%s' cannot be removed: %s", f->folder,
			 strerror(-done->prune_error));
	else
		complaint_over(&f->pruning, NULL);
}

/*
 * More than that is not kept for a folder that does not come back. What a child is writing just now may
 * succeed.
 */
static void bound_memory(struct interval_files *f)
{
	const __u64 held = f->profile ? profile_count(f->profile, PROFILE_SAMPLE) : 0;
	struct harvest_stats stats;
	const struct profile *p;
	__u64 dropped = 0;

	if (held + window_stacks(f->window) <= STACKS_MAX)
		return;
	if (f->profile && !f->writer.child) {
		dropped += profile_total_of(f->profile, profile_shown(f->profile));
		drop_profile(f);
	}
	if (!window_look(f->window, &p, &stats)) {
		dropped += profile_total_of(p, profile_shown(p));
		window_done(f->window);
	}
	log_warning("%llu samples that could not be written are given up", dropped);
	f->stats->samples_dropped += dropped;
}

static int on_failure(struct interval_files *f, int err)
{
	f->due = false;
	f->stats->files_failed++;
	complain(&f->writing, "cannot write to '%s': %s; what was counted is kept for the next file",
		 f->folder, folder_why(f->folder, err));
	bound_memory(f);
	return err;
}

/* Intervals that failed before come first, as a file of their own. */
static int begin_file(struct interval_files *f)
{
	int err = 0;

	if (!f->profile) {
		err = window_prepare(f->window);
		if (err == -EAGAIN)
			return -EINPROGRESS;
		err = err ?: window_take(f->window, &f->profile, &f->taken);
		f->due = false;
	}
	err = err ?: writer_child_start(&f->writer, write_interval, f);
	return err ? on_failure(f, err) : -EINPROGRESS;
}

void interval_files_add(struct interval_files *f)
{
	if (f->writer.child) {
		f->stats->files_late++;
		complain(&f->late,
			 "writing to '%s' takes longer than an interval; what is counted meanwhile is kept "
			 "for the next file",
			 f->folder);
		bound_memory(f);
	}
	f->due = true;
}

int interval_files_run(struct interval_files *f)
{
	struct written done;
	int err;

	if (f->writer.child) {
		err = writer_child_end(&f->writer, &done, sizeof(done));
		if (err == -EINPROGRESS)
			return err;
		if (err)
			return on_failure(f, err);
		on_written(f, &done);
	}
	return f->due ? begin_file(f) : 0;
}

int interval_files_timeout_ms(const struct interval_files *f)
{
	return f->due && !f->writer.child ? 0 : -1;
}

int interval_files_last(struct interval_files *f)
{
	int err;

	if (f->due) /* what is not taken yet becomes longer: there is no other file after it */
		window_mark(f->window);
	f->due = true;
	err = f->writer.child ? 0 : begin_file(f);
	return err == -EINPROGRESS ? 0 : err;
}

static bool is_ready(const struct interval_files *f)
{
	const struct written *done = writer_child_look(&f->writer);

	return done && __atomic_load_n(&done->ready, __ATOMIC_ACQUIRE);
}

int interval_files_finish(struct interval_files *f, double end)
{
	double before = clock_seconds(), without_cpu = 0;
	int err;

	while ((err = interval_files_run(f)) == -EINPROGRESS && clock_seconds() < end + without_cpu) {
		const bool waits = !is_ready(f) && without_cpu < LAST_READY_SECONDS;
		double now;

		usleep(LAST_PAUSE_US);
		now = clock_seconds();
		without_cpu += waits ? now - before : 0;
		before = now;
	}
	if (err != -EINPROGRESS)
		return err;
	log_warning("writing to '%s' takes too long: what is not written by now is given up", f->folder);
	writer_child_abandon(&f->writer);
	f->due = false;
	return -ETIMEDOUT;
}

void interval_files_move(struct interval_files *f, const char *folder)
{
	f->folder = folder;
	if ((!f->writing.stands && !f->late.stands) || !f->writer.child)
		return;
	writer_child_abandon(&f->writer);
	f->due = true;
}

void interval_files_close(struct interval_files *f)
{
	writer_child_abandon(&f->writer);
	drop_profile(f);
	window_close(f->window);
}

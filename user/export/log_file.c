// SPDX-License-Identifier: GPL-2.0-only
#include "export/log_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "export/file.h"
#include "profile/losses.h"
#include "profile/profile.h"
#include "profile/trace_ids.h"
#include "targets/discover.h"
#include "tree/journal.h"
#include "tree/journal_stretch.h"
#include "tree/window.h"

#define NAMING_SECONDS 1.0  /* for names of what was met last */
#define WRITE_SECONDS  60.0 /* until writing is given up */
#define PAUSE_US       1000 /* between two looks whether it is written, at the end of a run */

static bool writes_log(const struct log_file *l)
{
	return l->stretch || l->profile;
}

int log_file_order(struct log_file *l, __u64 from, __u64 to, const struct trace_wanted *wanted)
{
	const struct trace_wanted each = { .each = l->journal->traced };
	const __u64 now = clock_ns();
	__u64 oldest;
	int err;

	if (writes_log(l))
		return -EBUSY;
	if (l->windows->settle)
		l->windows->settle(l->windows->context);
	journal_read(l->journal);
	discover_catch_up(l->discover);
	oldest = journal_oldest(l->journal);
	from = from > oldest ? from : oldest;
	to = to < now ? to : now;
	err = journal_stretch_new(&l->stretch, l->journal, from, to);
	if (err)
		return err;
	l->of_trace = wanted && wanted->one;
	/* Who reads the file later cannot ask again. */
	journal_stretch_spans(l->stretch, l->of_trace ? wanted : &each);
	l->due = clock_seconds() + NAMING_SECONDS;
	return 0;
}

void log_file_signalled(struct log_file *l)
{
	const int err = l ? log_file_order(l, 0, LOG_FILE_NOW, NULL) : 0;

	if (!l)
		log_warning("SIGUSR2 writes the log, if --log MINUTES and --log-file FILE were given");
	else if (err == -EBUSY)
		log_warning("the log is being written to '%s' already", l->path);
	else if (err)
		log_warning("the log cannot be written: %s", strerror(-err));
}

/* --- one order ------------------------------------------------------------------------------------------ */

static void forget_stretch(struct log_file *l)
{
	journal_stretch_free(TAKE_PTR(l->stretch));
	profile_free(TAKE_PTR(l->profile));
}

static void on_log_written(struct log_file *l, int err)
{
	const struct profile_info *info = l->profile ? profile_get_info(l->profile) : NULL;
	char lost[LOSSES_TEXT_SIZE] = "";

	if (err == -ENODATA) {
		l->failed++;
		log_warning("nothing was sampled for this trace: '%s' is as it was", l->path);
	} else if (err) {
		l->failed++;
		log_warning("the log cannot be written to '%s': %s", l->path, strerror(-err));
	} else {
		l->written++;
		losses_text(info, lost);
		log_info("wrote %s: the log of %.1f s%s%s", l->path, info->duration_ns / 1e9,
			 *lost ? "; samples that it has lost are missing: " : "", lost);
		if (l->unlabelled)
			log_warning("%llu entries of the log are in '%s' without ids, as the spans are too "
				    "many: POST /debug/pyperf/log writes a shorter stretch",
				    l->unlabelled, l->path);
	}
	forget_stretch(l);
}

/* In the child. */
static int write_log(void *log_file, void *result)
{
	const struct log_file *l = log_file;
	_cleanup_buf_ struct buf b = {};
	int err = format_rows[l->format].encode(l->profile, &b);

	(void)result;
	return err ?: file_write_atomic(l->path, b.data, b.size);
}

/* Makes the profile, or a part of it, until clock_ns() is pause_ns. */
static void make(struct log_file *l, __u64 pause_ns)
{
	int err = journal_stretch_prepare(l->stretch, pause_ns);

	if (err == -EAGAIN)
		return;
	if (!err) {
		l->unlabelled = journal_stretch_unlabelled(l->stretch);
		l->profile = journal_stretch_take(l->stretch);
		journal_stretch_free(TAKE_PTR(l->stretch));
		l->end = clock_seconds() + WRITE_SECONDS;
		err = l->of_trace && !profile_count(l->profile, PROFILE_SAMPLE) ? -ENODATA : 0;
		err = err ?: writer_child_start(&l->writer, write_log, l);
	}
	if (err)
		on_log_written(l, err);
}

static void look(struct log_file *l)
{
	char nothing;
	int err = writer_child_end(&l->writer, &nothing, 0);

	if (err == -EINPROGRESS) {
		if (clock_seconds() < l->end)
			return;
		writer_child_abandon(&l->writer);
		err = -ETIMEDOUT;
	}
	on_log_written(l, err);
}

static bool waits_for_names(const struct log_file *l)
{
	return discover_pending(l->discover) && clock_seconds() < l->due;
}

/* --- turns ---------------------------------------------------------------------------------------------- */

static void log_file_on_turn(void *log_file, unsigned int ready)
{
	struct log_file *l = log_file;

	(void)ready;
	if (l->profile)
		look(l);
	else if (l->stretch && !waits_for_names(l))
		make(l, l->windows->pause_ns);
}

static int log_file_due_ms(void *log_file)
{
	const struct log_file *l = log_file;
	double left;

	if (!writes_log(l))
		return -1;
	if (l->stretch && !waits_for_names(l))
		return 0;
	left = (l->stretch ? l->due : l->end) - clock_seconds(); /* the child's end is a SIGCHLD */
	return left <= 0 ? 0 : (int)(left * 1000) + 1;
}

int log_file_watch(struct log_file *l, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, log_file_due_ms, log_file_on_turn, l });
}

void log_file_finish(struct log_file *l, double end)
{
	if (l->stretch)
		make(l, 0);
	for (l->end = end; l->profile; usleep(PAUSE_US))
		look(l);
}

void log_file_close(struct log_file *l)
{
	writer_child_abandon(&l->writer);
	forget_stretch(l);
}

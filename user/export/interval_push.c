// SPDX-License-Identifier: GPL-2.0-only
#include "export/interval_push.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/job.h"
#include "base/log.h"
#include "net/libcurl.h"
#include "profile/series_names.h"
#include "profile/split.h"
#include "profile/timed.h"

/* --- the thread ---------------------------------------------------------------------------------------- */

struct splitting {
	const struct push_series *series; /* of the interval_push, which outlives it, ... */
	struct series_names *names;	  /* ... as this is */
	struct profile *profile, *log;	  /* log: when its samples were taken; NULL = that is not known */
	struct push_list list;
	enum push_format format; /* of the receiver when it began */
};

static int split_into_parts(void *context, const bool *stop)
{
	struct splitting *s = context;
	_cleanup_profile_ struct profile *timed = NULL;
	int err = s->log ? timed_make(s->profile, s->log, &timed) : 0;

	series_names_begin(s->names, clock_seconds());
	return err ?: push_parts_make(s->series, s->format, timed ?: s->profile, s->names, stop, &s->list);
}

static void free_splitting(void *context)
{
	struct splitting *s = context;

	profile_free(s->profile);
	profile_free(s->log);
	push_list_free(&s->list);
	free(s);
}

static const struct job_kind split_kind = { split_into_parts, free_splitting };

static int start_job(struct interval_push *f, struct profile *log)
{
	struct splitting *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (s) {
		*s = (struct splitting){ &f->series, f->names, TAKE_PTR(f->profile), TAKE_PTR(log), {},
					 push_get_format(f->push) };
		err = job_start(&f->job, &split_kind, s, f->eventfd);
		if (err)
			free_splitting(s);
	}
	profile_free(TAKE_PTR(f->profile));
	profile_free(log);
	f->lost += err != 0;
	return err;
}

static int say_lost(int err)
{
	if (err)
		log_warning("a profile cannot be pushed: %s", strerror(-err));
	return err;
}

static void note_series_left(struct interval_push *f)
{
	f->stats->push_more_services = series_names_left(f->names);
	if (f->stats->push_more_services)
		complain(&f->series_full,
			 "a user or container has more services than are pushed, %d in an interval, and of "
			 "new ones %d at once and then one each %d s: %llu are pushed as " SPLIT_MORE,
			 PUSH_SERIES_MAX, SERIES_AT_ONCE, SERIES_NEXT_SECONDS, f->stats->push_more_services);
}

/* Profiles that were made before a failure are pushed all the same. */
static int end_job(struct interval_push *f)
{
	int err = job_wait(f->job);
	eventfd_t count;

	eventfd_read(f->eventfd, &count);
	push_add(f->push, &((struct splitting *)job_context(f->job))->list);
	job_free(TAKE_PTR(f->job));
	note_series_left(f);
	f->lost += err != 0;
	return say_lost(err);
}

/* --- its life ------------------------------------------------------------------------------------------ */

static int watch(const struct interval_push *f, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int open_descriptors(struct interval_push *f)
{
	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	f->eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->epoll < 0 || f->eventfd < 0)
		return -errno;
	return watch(f, f->eventfd) ?: watch(f, push_fd(f->push));
}

int interval_push_open(struct interval_push *f, const struct push_options *o,
		       const struct pod_label_names *names, struct windows *windows)
{
	int err = window_open(windows, &f->window) ?: push_open(&f->push, o);

	f->epoll = f->eventfd = -1;
	err = err ?: series_names_new(&f->names) ?: open_descriptors(f);
	if (err) {
		log_error("profiles cannot be pushed: %s" ASK_DOCTOR, libcurl_strerror(err));
		return err;
	}
	push_series_make(names, &f->series);
	return 0;
}

/* The thread reads what is part of this, so it is waited for. */
void interval_push_close(struct interval_push *f)
{
	if (f->job) {
		job_stop(f->job);
		job_free(TAKE_PTR(f->job));
	}
	series_names_free(f->names);
	interval_log_close(&f->log);
	profile_free(f->profile);
	window_close(f->window);
	if (f->push) {
		cleanup_close(&f->epoll);
		cleanup_close(&f->eventfd);
	}
	push_close(f->push);
}

int interval_push_set(struct interval_push *f, const struct push_options *o)
{
	return push_set_options(f->push, o);
}

int interval_push_fd(const struct interval_push *f)
{
	return f->epoll;
}

int interval_push_timeout_ms(const struct interval_push *f)
{
	return (f->due || f->profile) && !f->job ? 0 : push_timeout_ms(f->push);
}

/* --- the queue ------------------------------------------------------------------------------------------ */

void interval_push_log(struct interval_push *f, struct journal *j, const struct windows *windows)
{
	interval_log_open(&f->log, j, windows);
}

void interval_push_mark(struct interval_push *f)
{
	interval_log_mark(&f->log);
	window_mark(f->window);
}

void interval_push_add(struct interval_push *f)
{
	f->due = true;
}

static int take(struct interval_push *f)
{
	struct harvest_stats stats;
	int err = window_prepare(f->window);

	if (err == -EAGAIN)
		return err;
	f->due = false;
	err = err ?: window_take(f->window, &f->profile, &stats);
	if (err)
		return err;
	harvest_stats_add(&f->taken, &stats);
	interval_log_take(&f->log, push_get_format(f->push) == PUSH_OTLP && timed_can_be(f->profile));
	return 0;
}

/* A large profile is put together over several turns of the event loop, and then what the log has of it. */
static int begin_push(struct interval_push *f)
{
	struct profile *log = NULL;
	int err = f->profile ? 0 : take(f);

	err = err ?: interval_log_make(&f->log, &log);
	if (err == -EAGAIN)
		return -EINPROGRESS;
	return say_lost(err ?: start_job(f, log)) ?: -EINPROGRESS;
}

/* -EINPROGRESS: one is being made ready. */
static int move_profile(struct interval_push *f)
{
	int err = 0;

	if (f->job && !job_is_done(f->job))
		return -EINPROGRESS;
	if (f->job)
		err = end_job(f);
	return f->due || f->profile ? begin_push(f) : err;
}

static void say(struct interval_push *f)
{
	const char *trouble = push_trouble(f->push);

	if (*trouble)
		snprintf(f->last_trouble, sizeof(f->last_trouble), "%s", trouble);
	if (*trouble)
		complain(&f->trouble,
			 "profiles cannot be pushed: %s; each is tried %d times, where that may help",
			 trouble, PUSH_ATTEMPTS);
	else
		complaint_over(&f->trouble, "profiles are pushed again");
	if (*push_remark(f->push))
		complain(&f->remark, "the receiver of profiles does not take all, or has a remark: %s",
			 push_remark(f->push));
	else
		complaint_over(&f->remark, "the receiver of profiles takes all again");
	if (push_is_exposed(f->push))
		complain(&f->exposed,
			 "the header file has credentials, and --push sends them over http, where others can "
			 "read them; use https");
	else
		complaint_over(&f->exposed, NULL);
}

static int move(struct interval_push *f)
{
	const struct push_stats *s = push_get_stats(f->push);
	int err = move_profile(f);

	push_run(f->push);
	f->stats->pushed = s->delivered;
	f->stats->push_failures = s->failures;
	f->stats->push_dropped = s->dropped + f->lost;
	f->stats->push_rejected = s->rejected;
	say(f);
	return err;
}

void interval_push_run(struct interval_push *f)
{
	move(f);
}

static bool pushes_still(const struct interval_push *f)
{
	return f->due || f->profile || f->job || push_waiting(f->push);
}

static bool wait_until(const struct interval_push *f, double end)
{
	struct pollfd waiting = { .fd = f->epoll, .events = POLLIN };
	int next = interval_push_timeout_ms(f);

	if (clock_seconds() >= end)
		return false;
	poll(&waiting, 1, next >= 0 && next < 50 ? next : 50);
	return true;
}

int interval_push_last(struct interval_push *f, double end)
{
	int err;

	if (f->due) /* one that is not taken yet becomes longer: there is no other one after it */
		interval_push_mark(f);
	else
		interval_log_mark(&f->log);
	f->due = true;
	while ((err = move(f)) == -EINPROGRESS && wait_until(f, end))
		;
	if (err == -EINPROGRESS)
		log_warning("the last profile is not pushed: to make it ready takes too long");
	return err;
}

bool interval_push_fails(const struct interval_push *f)
{
	return *push_trouble(f->push);
}

/* What was said of a failure may be hours ago, or was not to be said (--quiet). */
static int say_delivered(const struct interval_push *f)
{
	const __u64 delivered = f->stats->pushed, lost = f->stats->push_dropped;

	if (!lost)
		return 0;
	log_write(delivered ? LOG_WARNING : LOG_ERROR, "%llu of %llu profiles delivered%s%s",
		  (unsigned long long)delivered, (unsigned long long)(delivered + lost),
		  *f->last_trouble ? ": " : "", f->last_trouble);
	return delivered ? 0 : -EIO;
}

int interval_push_finish(struct interval_push *f, double end)
{
	push_hurry(f->push);
	do
		move(f);
	while (pushes_still(f) && wait_until(f, end));
	if (push_waiting(f->push))
		log_warning("%zu profiles are not pushed: the receiver takes too long",
			    push_waiting(f->push));
	push_drop_all(f->push);
	move(f);
	return say_delivered(f);
}

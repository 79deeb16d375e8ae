// SPDX-License-Identifier: GPL-2.0-only
#include "targets/discover.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "kern/process_table.h"
#include "kern/records.h"
#include "targets/containers.h"
#include "targets/newcomers.h"
#include "targets/questions.h"
#include "targets/recover.h"
#include "targets/verdicts.h"

#define SUBJECTS_MAX 8

/* Who takes the records of one type. */
struct on_record {
	void (*take)(void *subject, const void *record, size_t size);
	void *subject;
	size_t bytes_min;
};

struct discover {
	struct on_record on_record[RECORD_TYPES]; /* by enum record_type */
	struct discover_subject subjects[SUBJECTS_MAX];
	size_t subject_count;
	struct kernel *kernel;
	struct worker *worker;
	struct questions *questions;
	struct verdicts *verdicts;
	struct newcomers newcomers;
	struct containers containers;
	struct recover recover;
};

/* --- records of the kernel side ------------------------------------------------------------------------- */

void discover_on_record(struct discover *d, enum record_type type, size_t bytes_min,
			void (*take)(void *subject, const void *record, size_t size), void *subject)
{
	d->on_record[type] = (struct on_record){ take, subject, bytes_min };
}

int discover_record(void *discover, void *record, size_t size)
{
	const struct discover *d = discover;
	const __u32 *type = record;
	const struct on_record *row;

	if (size < sizeof(*type) || *type >= ARRAY_SIZE(d->on_record))
		return 0;
	row = &d->on_record[*type];
	if (row->take && size >= row->bytes_min)
		row->take(row->subject, record, size);
	return 0;
}

static void on_process_record(void *verdicts, const void *record, size_t size)
{
	(void)size;
	verdicts_met(verdicts, record);
}

static void on_known(void *verdicts, const void *record, size_t size)
{
	(void)size;
	verdicts_known(verdicts, record);
}

static void on_fork(void *verdicts, const void *record, size_t size)
{
	(void)size;
	verdicts_fork(verdicts, record);
}

static void on_process_exit(void *verdicts, const void *record, size_t size)
{
	(void)size;
	verdicts_exit(verdicts, record);
}

static void take_records(struct discover *d)
{
	discover_on_record(d, RECORD_PROCESS, sizeof(struct record_process), on_process_record, d->verdicts);
	discover_on_record(d, RECORD_KNOWN, sizeof(struct record_known), on_known, d->verdicts);
	discover_on_record(d, RECORD_FORK, sizeof(struct record_fork), on_fork, d->verdicts);
	discover_on_record(d, RECORD_EXIT, sizeof(struct record_exit), on_process_exit, d->verdicts);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static void cleanup_discover(struct discover **d)
{
	discover_free(*d);
}

int discover_new(struct discover **ret, const struct discover_parts *parts)
{
	_cleanup_(cleanup_discover) struct discover *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	err = questions_new(&d->questions, parts->worker);
	if (!err)
		err = verdicts_new(&d->verdicts, parts->kernel, parts->registry, parts->selection,
				   parts->programs, parts->kubelet, d->questions);
	if (err)
		return err;
	d->newcomers = (struct newcomers){ parts->kernel, d->verdicts, 0, 0 };
	d->kernel = parts->kernel;
	d->worker = parts->worker;
	d->containers = (struct containers){ parts->registry, d->questions, parts->kubelet, 0 };
	d->recover = (struct recover){
		.kernel = parts->kernel,
		.registry = parts->registry,
		.verdicts = d->verdicts,
	};
	take_records(d);
	*ret = TAKE_PTR(d);
	return 0;
}

void discover_free(struct discover *d)
{
	if (!d)
		return;
	verdicts_free(d->verdicts);
	questions_free(d->questions);
	free(d);
}

int discover_join(struct discover *d, const struct discover_subject *subject)
{
	if (d->subject_count == SUBJECTS_MAX)
		return -ENOSPC;
	d->subjects[d->subject_count++] = *subject;
	return 0;
}

void discover_forget_codes(struct discover *d, struct kernel_range codes)
{
	for (size_t i = 0; i < d->subject_count; i++)
		if (d->subjects[i].forget_codes)
			d->subjects[i].forget_codes(d->subjects[i].subject, codes);
}

double discover_fullness(const struct discover *d)
{
	double full = 0;

	for (size_t i = 0; i < d->subject_count; i++) {
		const struct discover_subject *s = &d->subjects[i];
		const double one = s->fullness ? s->fullness(s->subject) : 0;

		full = one > full ? one : full;
	}
	return full;
}

size_t discover_pending(const struct discover *d)
{
	size_t count = questions_pending(d->questions);

	for (size_t i = 0; i < d->subject_count; i++)
		if (d->subjects[i].waiting)
			count += d->subjects[i].waiting(d->subjects[i].subject);
	return count;
}

struct verdicts *discover_verdicts(const struct discover *d)
{
	return d->verdicts;
}

struct questions *discover_questions(const struct discover *d)
{
	return d->questions;
}

int discover_want(struct discover *d, const struct record_process *p)
{
	struct process wanted = {
		.start_time = p->start_time,
		.exec_id = p->exec_id,
		.user = p->user,
		.id = kernel_new_process_id(d->kernel),
		.state = PROCESS_WANTED,
	};

	return kernel_set_process(d->kernel, p->pid, &wanted);
}

int discover_watch(struct discover *d, struct loop *loop)
{
	return containers_watch(&d->containers, loop) ?: recover_watch(&d->recover, loop) ?:
	       newcomers_watch(&d->newcomers, loop) ?: verdicts_watch(d->verdicts, loop);
}

bool discover_catch_up(struct discover *d)
{
	bool on_the_way = false;

	kernel_read_records(d->kernel);
	for (size_t i = 0; i < d->subject_count; i++)
		if (d->subjects[i].catch_up)
			on_the_way |= d->subjects[i].catch_up(d->subjects[i].subject);
	return on_the_way;
}

void discover_replies(struct discover *d)
{
	struct worker_reply r = {};

	while (!worker_receive(d->worker, &r)) {
		questions_answer(d->questions, &r);
		free(r.table);
	}
	for (size_t i = 0; i < d->subject_count; i++)
		if (d->subjects[i].answered)
			d->subjects[i].answered(d->subjects[i].subject);
}

static int answer_due_ms(void *discover)
{
	const struct discover *d = discover;

	return worker_timeout_ms(d->worker);
}

static void on_answers(void *discover, unsigned int ready)
{
	struct discover *d = discover;

	(void)ready;
	worker_check_deadline(d->worker);
	discover_replies(d);
}

int discover_watch_answers(struct discover *d, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ worker_fd(d->worker), answer_due_ms, on_answers, d });
}

// SPDX-License-Identifier: GPL-2.0-only
#include "targets/discover.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "guard/worker.h"
#include "kern/kernel.h"
#include "names/natives.h"
#include "targets/asleep.h"
#include "targets/ask_lines.h"
#include "targets/captures.h"
#include "targets/containers.h"
#include "targets/native.h"
#include "targets/newcomers.h"
#include "targets/questions.h"
#include "targets/recover.h"
#include "targets/task_targets.h"
#include "targets/verdicts.h"

/* Who takes the records of one type. */
struct on_record {
	void (*take)(void *subject, const void *record, size_t size);
	void *subject;
	size_t bytes_min;
};

struct discover {
	struct on_record on_record[RECORD_NATIVE + 1]; /* by enum record_type */
	struct kernel *kernel;
	struct worker *worker;
	struct questions *questions;
	struct verdicts *verdicts;
	struct captures captures;
	struct native_targets *native;
	struct ask_lines *ask_lines; /* NULL without --native */
	struct asleep_targets *asleep;
	struct task_targets *tasks;
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

static void on_process(void *verdicts, const void *record, size_t size)
{
	(void)size;
	verdicts_met(verdicts, record);
}

static void on_code(void *captures, const void *record, size_t size)
{
	captures_record(captures, record, size);
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

static void on_native(void *targets, const void *record, size_t size)
{
	(void)size;
	native_record(targets, record);
}

static void take_records(struct discover *d)
{
	discover_on_record(d, RECORD_PROCESS, sizeof(struct record_process), on_process, d->verdicts);
	discover_on_record(d, RECORD_FORK, sizeof(struct record_fork), on_fork, d->verdicts);
	discover_on_record(d, RECORD_EXIT, sizeof(struct record_exit), on_process_exit, d->verdicts);
	discover_on_record(d, RECORD_CODE, sizeof(__u32), on_code, &d->captures);
	discover_on_record(d, RECORD_NATIVE, sizeof(struct record_native), on_native, d->native);
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
	if (!err)
		err = native_targets_new(&d->native, parts->kernel, parts->natives, parts->registry,
					 d->questions);
	if (!err && natives_lines(parts->natives))
		err = ask_lines_new(&d->ask_lines, parts->kernel, parts->natives, parts->registry,
				    d->questions, d->native, parts->native_lines);
	if (!err)
		err = asleep_targets_new(&d->asleep, parts->kernel, d->questions, &d->captures);
	if (!err)
		err = task_targets_new(&d->tasks, parts->kernel, parts->registry, d->questions, &d->captures);
	if (err)
		return err;
	d->newcomers = (struct newcomers){ parts->kernel, d->verdicts, 0, 0 };
	d->kernel = parts->kernel;
	d->worker = parts->worker;
	d->captures = (struct captures){
		.kernel = parts->kernel,
		.codes = parts->codes,
		.registry = parts->registry,
		.questions = d->questions,
	};
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
	captures_clear(&d->captures);
	task_targets_free(d->tasks);
	asleep_targets_free(d->asleep);
	ask_lines_free(d->ask_lines);
	native_targets_free(d->native);
	verdicts_free(d->verdicts);
	questions_free(d->questions);
	free(d);
}

void discover_forget_codes(struct discover *d, struct kernel_range codes)
{
	captures_forget(&d->captures, codes);
}

size_t discover_pending(const struct discover *d)
{
	return questions_pending(d->questions) + captures_waiting(&d->captures);
}

enum process_state discover_verdict(const struct discover *d, __u32 pid)
{
	return verdicts_find(d->verdicts, pid);
}

const char *discover_why_no_python(const struct discover *d, __u32 pid)
{
	return verdicts_why_no_python(d->verdicts, pid);
}

int discover_process(struct discover *d, const struct record_process *p)
{
	return verdicts_ask(d->verdicts, p);
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
		.id = kernel_new_process_id(d->kernel),
		.state = PROCESS_WANTED,
	};

	return kernel_set_process(d->kernel, p->pid, &wanted);
}

void discover_second(struct discover *d)
{
	containers_ask(&d->containers);
	recover_check(&d->recover);
	if (d->native)
		native_second(d->native);
	if (d->ask_lines)
		ask_lines_second(d->ask_lines);
}

int discover_asleep_timeout_ms(const struct discover *d)
{
	return asleep_timeout_ms(d->asleep);
}

void discover_asleep(struct discover *d)
{
	asleep_turn(d->asleep);
}

/* The earlier of two, of which -1 is never. */
static int earlier(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

int discover_tasks_timeout_ms(const struct discover *d)
{
	return earlier(task_targets_timeout_ms(d->tasks), newcomers_timeout_ms(&d->newcomers));
}

void discover_tasks(struct discover *d)
{
	task_targets_turn(d->tasks);
	newcomers_turn(&d->newcomers);
}

bool discover_lines(struct discover *d)
{
	return d->ask_lines && ask_lines_look(d->ask_lines);
}

void discover_replies(struct discover *d)
{
	struct worker_reply r = {};

	while (!worker_receive(d->worker, &r)) {
		questions_answer(d->questions, &r);
		free(r.table);
	}
	captures_retry(&d->captures);
}

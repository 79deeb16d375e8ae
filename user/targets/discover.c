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

struct discover {
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
				   parts->programs, parts->kubelet);
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
	d->newcomers = (struct newcomers){ parts->kernel, d, 0, 0 };
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
		.discover = d,
	};
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
	questions_forget_codes(d->questions, codes);
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
	struct question q = { .process = *p };
	struct worker_request request = question_request(WORKER_IDENTIFY, p->pid, p->start_time);

	return questions_ask(d->questions, &q, &request);
}

int discover_ask(struct discover *d, const struct worker_request *request,
		 void (*answer)(void *context, struct worker_reply *reply), void *context)
{
	const struct question q = { .answer = answer, .context = context };
	struct worker_request tagged = *request;

	return questions_ask(d->questions, &q, &tagged);
}

void discover_forget_context(struct discover *d, const void *context)
{
	questions_forget_context(d->questions, context);
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

int discover_record(void *discover, void *record, size_t size)
{
	struct discover *d = discover;
	const __u32 *type = record;

	if (size < sizeof(*type))
		return 0;
	if (*type == RECORD_PROCESS && size >= sizeof(struct record_process)) {
		if (!verdicts_again(d->verdicts, record))
			discover_process(d, record);
	} else if (*type == RECORD_CODE) {
		captures_record(&d->captures, record, size);
	} else if (*type == RECORD_FORK && size >= sizeof(struct record_fork)) {
		verdicts_fork(d->verdicts, record);
	} else if (*type == RECORD_EXIT && size >= sizeof(struct record_exit)) {
		verdicts_exit(d->verdicts, record);
	} else if (*type == RECORD_NATIVE && size >= sizeof(struct record_native)) {
		native_record(d->native, record);
	}
	return 0;
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

static void on_reply(struct discover *d, struct worker_reply *r)
{
	struct question q;

	if (!questions_take(d->questions, r->tag, &q))
		return;
	if (q.answer)
		q.answer(q.context, r);
	else if (r->type == WORKER_IDENTIFY)
		verdicts_reply(d->verdicts, &q.process, r);
	else if (r->type == WORKER_CONTAINER)
		containers_reply(&d->containers, &q, r);
	else if (r->type == WORKER_MAPS || r->type == WORKER_FUNCTIONS || r->type == WORKER_ROWS ||
		 r->type == WORKER_PERF_MAP)
		native_reply(d->native, &q, r);
	else if (r->type == WORKER_SOURCE || r->type == WORKER_NAMES)
		ask_lines_reply(d->ask_lines, &q, r);
	else
		captures_reply(&d->captures, &q, r);
}

void discover_replies(struct discover *d)
{
	struct worker_reply r = {};

	while (!worker_receive(d->worker, &r)) {
		on_reply(d, &r);
		free(r.table);
	}
	captures_retry(&d->captures);
}

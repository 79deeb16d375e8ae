// SPDX-License-Identifier: GPL-2.0-only
/*
 * dump.c - `pyperf-bpf dump` and `pyperf-bpf tasks`: what the threads of Python processes do now, or their
 * asyncio tasks. It needs no BPF: the worker reads the processes' memory from outside, while they go on.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lacking.h"
#include "base/log.h"
#include "base/privileges.h"
#include "dump/ask.h"
#include "dump/dumped.h"
#include "dump/json.h"
#include "dump/tasks_json.h"
#include "dump/tasks_text.h"
#include "dump/text.h"
#include "guard/worker.h"
#include "proc/descent.h"
#include "proc/procfs.h"
#include "proc/sched_clocks.h"
#include "proc/visible.h"
#include "run/commands.h"
#include "run/give_up.h"
#include "run/named.h"
#include "run/printed.h"
#include "run/settings.h"
#include "targets/selection.h"

#define UNREADABLE_NAMED 8

struct dumper;

/* What is shown: the threads, or the tasks. */
struct subject {
	const char *name;
	const char *none; /* what is said where nothing was found */
	bool (*has_any)(const struct dumped *d);
	int (*look)(struct dumper *k, struct dumped *d);
	int (*text)(const struct dumped *d, bool colour, struct buf *out);
	int (*table)(const struct dumped *d, bool colour, struct buf *out); /* NULL: no --table */
	int (*json)(const struct dumped *d, struct buf *out);
};

struct dumper {
	const struct options *options;
	const struct subject *subject;
	struct selection selection;
	struct worker *worker;
	struct asker asker;
	struct sched_clocks clocks;
	struct buf out, unread; /* unread: the first of those that cannot be read, in words */
	bool colour;
	size_t shown, unreadable;
	size_t pythons; /* that were found to be some, whether they were shown or not */
	bool named;	/* the process that is looked at was, by --pid */
	bool failed;	/* a process that was named could not be shown */
};

/* Whether no other process can be looked at either. */
static bool ends_all(int err)
{
	return err == -ENOMEM || err == -EPIPE;
}

/* Threads of the kernel, which have nothing to read, are refused to many. */
static void note_unreadable(struct dumper *k, pid_t pid)
{
	struct procfs_stat stat;

	if (procfs_stat(pid, &stat) || stat.of_the_kernel)
		return;
	if (k->unreadable++ < UNREADABLE_NAMED)
		buf_printf(&k->unread, "%s%d (%s)", k->unread.size ? ", " : "", pid, stat.name);
}

static void say_unreadable(const struct dumper *k)
{
	const size_t more = k->unreadable > UNREADABLE_NAMED ? k->unreadable - UNREADABLE_NAMED : 0;
	char advice[LACKING_SIZE], others[32] = "";

	if (!k->unreadable)
		return;
	if (more)
		snprintf(others, sizeof(others), " and %zu more", more);
	log_warning("%zu process%s cannot be read, %.*s%s: %s" ASK_DOCTOR, k->unreadable,
		    k->unreadable == 1 ? "" : "es", (int)k->unread.size, k->unread.data ?: "", others,
		    lacking_advice(PRIVILEGE(CAP_SYS_PTRACE), advice));
}

/* One of --pid has to be there. Of all processes some end meanwhile, or are not ours to read. */
static int refuse(struct dumper *k, pid_t pid, int err)
{
	/* What has Python children may itself be another user's, as sudo is. */
	const bool named = k->named && !(privileges_lacked(err) && k->options->children);
	char advice[LACKING_SIZE];

	if (err == -ESRCH && named)
		log_error("there is no process %d", pid);
	else if (privileges_lacked(err) && named)
		log_error("process %d cannot be read: %s" ASK_DOCTOR, pid,
			  lacking_advice(PRIVILEGE(CAP_SYS_PTRACE), advice));
	else if (err == -ENOTSUP && named)
		log_error("process %d: asyncio tasks can be read from CPython 3.8 on, up to 3.13 with a GIL",
			  pid);
	else if (err == -EPROTO && named)
		log_error("process %d: asyncio's tasks are not where known builds of its version have them",
			  pid);
	else if (err == -ETIMEDOUT)
		log_error("process %d was given up: to look at it took too long", pid);
	else if (named || (err != -ESRCH && !privileges_lacked(err) && err != -ENOTSUP))
		log_error("process %d cannot be looked at: %s", pid, strerror(-err));
	if (!named && privileges_lacked(err))
		note_unreadable(k, pid);
	k->failed |= named;
	return ends_all(err) ? err : 0;
}

static bool has_stacks(const struct dumped *d)
{
	return d->identity.verdict == VERDICT_PYTHON || d->identity.verdict == VERDICT_UNPROVED;
}

static int is_python(void *dumper, pid_t pid)
{
	const struct dumper *k = dumper;
	struct dumped d;

	return !dumped_identify(&k->asker, pid, &d) && has_stacks(&d);
}

static bool has_python_children(struct dumper *k, pid_t pid)
{
	return descent_each_below(&pid, 1, is_python, k) > 0;
}

static int refuse_what_it_is(struct dumper *k, const struct dumped *d)
{
	const bool python = d->identity.verdict != VERDICT_NOT_PYTHON;

	if (!k->options->pids || (!python && (k->options->children || !k->named)))
		return 0;
	if (!python)
		log_error("process %d is not Python: %s%s", d->pid, d->identity.reason,
			  has_python_children(k, d->pid) ? "; children of it are: --children shows them" :
							   "");
	else
		log_error("process %d: CPython %s is not supported: %s", d->pid, d->identity.version,
			  d->identity.reason);
	k->failed = true;
	return 0;
}

static int write_process(struct dumper *k, const struct dumped *d)
{
	const struct options *o = k->options;

	if (o->json)
		return k->subject->json(d, &k->out);
	return (o->table ? k->subject->table : k->subject->text)(d, k->colour, &k->out);
}

static int show_process(struct dumper *k, const struct dumped *d)
{
	int err = 0;

	/* Of all processes only those that have any. */
	if (!k->named && !k->subject->has_any(d))
		return 0;
	if (k->shown++)
		err = buf_add_string(&k->out, k->options->json ? ",\n" : "\n");
	err = err ?: write_process(k, d);
	return log_failure(err, k->subject->name);
}

static int dump_process(struct dumper *k, pid_t pid)
{
	struct dumped d;
	int err = dumped_identify(&k->asker, pid, &d);

	if (err)
		return refuse(k, pid, err);
	if (!has_stacks(&d))
		return refuse_what_it_is(k, &d);
	k->pythons++;
	if (!selection_takes(&k->selection, d.name, &d.container))
		return 0;
	err = k->subject->look(k, &d);
	if (!err && k->options->async)
		err = dumped_add_tasks(&k->asker, &d);
	err = err ? refuse(k, pid, err) : show_process(k, &d);
	dumped_free(&d);
	return err;
}

static int dump_all(struct dumper *k)
{
	char advice[LACKING_SIZE];
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	int err = 0;

	if (!folder)
		return log_lack(-errno, "/proc");
	if (!visible_shows_others())
		log_warning("/proc hides processes of others (hidepid), and those are left out: "
			    "%s" ASK_DOCTOR,
			    lacking_advice(PRIVILEGE(CAP_SYS_PTRACE), advice));
	while (!err && (entry = readdir(folder))) {
		const pid_t pid = atoi(entry->d_name);

		if (pid > 0 && pid != getpid())
			err = dump_process(k, pid);
	}
	closedir(folder);
	return err;
}

static int dump_named(struct dumper *k)
{
	int err = 0;

	k->named = true;
	for (size_t i = 0; i < k->options->pid_count && !err; i++)
		err = dump_process(k, k->options->pid_list[i]);
	k->named = false;
	return err;
}

static int dump_child(void *dumper, pid_t pid)
{
	return dump_process(dumper, pid);
}

static int dump_children(struct dumper *k)
{
	const struct options *o = k->options;
	int err = log_failure(descent_each_below(o->pid_list, o->pid_count, dump_child, k), "the children");

	if (!err && !k->pythons && !k->failed) {
		log_error("nothing that --pid names is Python, and none of the children is");
		k->failed = true;
	}
	return err;
}

static int dump(struct dumper *k)
{
	const struct options *o = k->options;
	int err = 0;

	if (o->json)
		err = buf_add_string(&k->out, "{\"processes\":[\n");
	if (!err)
		err = dump_named(k);
	if (!err && o->children)
		err = dump_children(k);
	if (!err && o->all_python)
		err = dump_all(k);
	if (!err && o->json)
		err = buf_add_string(&k->out, "\n]}\n");
	say_unreadable(k);
	if (!err && !k->shown && !k->failed)
		log_info("%s", k->subject->none);
	return err ?: printed(0, &k->out);
}

static int dump_subject(const struct options *o, const struct subject *subject)
{
	struct dumper k = {
		.options = o,
		.subject = subject,
		.selection = settings_selection(o),
		.colour = isatty(STDOUT_FILENO),
	};
	int err = named_check_proc() ?: named_check_memory() ?: named_check(o->pid_list, o->pid_count) ?:
		  log_lack(worker_start(&k.worker, o->pod_logs), "the worker process cannot be started");

	/* To see other users' processes where /proc hides them. */
	err = err ?: log_failure(privileges_keep(PRIVILEGE(CAP_SYS_PTRACE)),
				 "capabilities cannot be given up") ?: give_up_calls();
	err = err ?: log_failure(sched_clocks_read(&k.clocks), "the clocks of the CPUs");
	k.asker = (struct asker){ .ask = ask_worker, .context = k.worker, .names_max = ASK_NAMES_MAX };
	err = err ?: dump(&k);
	sched_clocks_free(&k.clocks);
	worker_stop(k.worker);
	buf_free(&k.out);
	buf_free(&k.unread);
	return err || k.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool has_threads(const struct dumped *d)
{
	(void)d;
	return true;
}

static int look_threads(struct dumper *k, struct dumped *d)
{
	return dumped_look(&k->asker, &k->clocks, d);
}

int run_dump(struct options *o)
{
	static const struct subject threads = {
		.name = "dump",
		.none = "no Python process was found",
		.has_any = has_threads,
		.look = look_threads,
		.text = dump_text,
		.json = dump_json,
	};

	return dump_subject(o, &threads);
}

static bool has_tasks(const struct dumped *d)
{
	return d->tasks->tasks;
}

static int look_tasks(struct dumper *k, struct dumped *d)
{
	return dumped_look_at_tasks(&k->asker, d);
}

int run_tasks(struct options *o)
{
	static const struct subject tasks = {
		.name = "tasks",
		.none = "no asyncio task was found",
		.has_any = has_tasks,
		.look = look_tasks,
		.text = tasks_text,
		.table = tasks_table,
		.json = tasks_json,
	};

	return dump_subject(o, &tasks);
}

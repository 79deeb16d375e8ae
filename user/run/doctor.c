// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor.c - `pyperf-bpf doctor`: what this machine allows, and what is known of its Python processes. First
 * come the checks, with all rights there are; they are given up before the network is asked anything, and
 * before a process is looked at.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/privileges.h"
#include "doctor/examined.h"
#include "doctor/native_code.h"
#include "dump/ask.h"
#include "guard/worker.h"
#include "run/commands.h"
#include "run/give_up.h"
#include "run/named.h"
#include "run/printed.h"
#include "run/settings.h"
#include "targets/selection.h"

struct doctor {
	const struct options *options;
	struct selection selection;
	struct worker *worker;
	struct examination examination;
	struct examined examined;
};

static int look_at(struct doctor *d, pid_t pid)
{
	const bool named = d->options->pids;
	const struct asker asker = { .ask = ask_worker, .context = d->worker };
	struct dumped seen;
	struct examined_process p = { .pid = pid };

	p.error = dumped_identify(&asker, pid, &seen);
	if (p.error == -ENOMEM || p.error == -EPIPE)
		return p.error;
	if (p.error) {
		d->examined.unreadable += !named && privileges_lacked(p.error);
		return named ? examined_add_process(&d->examined, &p) : 0;
	}
	if (!named && seen.identity.verdict == VERDICT_NOT_PYTHON)
		return 0;
	if (!named && !selection_takes(&d->selection, seen.name, &seen.container))
		return 0;
	memcpy(p.name, seen.name, sizeof(p.name));
	p.identity = seen.identity;
	p.container = seen.container;
	if (d->options->native && seen.identity.verdict != VERDICT_NOT_PYTHON)
		native_code_look(&asker, pid, &p.native);
	return examined_add_process(&d->examined, &p);
}

static int look_at_all(struct doctor *d)
{
	const struct options *o = d->options;
	DIR *folder = o->pids ? NULL : opendir("/proc");
	const struct dirent *entry;
	int err = 0;

	for (size_t i = 0; i < o->pid_count && !err; i++)
		err = look_at(d, o->pid_list[i]);
	while (folder && !err && (entry = readdir(folder))) {
		const pid_t pid = atoi(entry->d_name);

		if (pid > 0 && pid != getpid())
			err = look_at(d, pid);
	}
	if (folder)
		closedir(folder);
	return log_failure(err, "processes cannot be looked at");
}

/* A kernel without seccomp filters has no worker either, and that has been found by now. */
static int give_up(const struct doctor *d)
{
	return give_up_all_but(d->options, PRIVILEGE(CAP_SYS_PTRACE)) ?: (d->worker ? give_up_calls() : 0);
}

static int show_examined(const struct doctor *d)
{
	_cleanup_buf_ struct buf out = { 0 };
	int err = d->options->json ? examined_json(&d->examined, &out) :
				     examined_text(&d->examined, isatty(STDOUT_FILENO), &out);

	return printed(err, &out);
}

/* Whoever is told to give this file capabilities, or to run it by sudo, needs its full name. */
static void find_program(char *ret, size_t size)
{
	const ssize_t n = readlink("/proc/self/exe", ret, size - 1);

	if (n > 0)
		ret[n] = '\0';
	else
		snprintf(ret, size, "pyperf-bpf");
}

int run_doctor(struct options *o)
{
	char program[PATH_MAX];
	struct doctor d = {
		.options = o,
		.selection = settings_selection(o),
		.examination = {
			.kernel = settings_kernel(o),
			.kubelet = settings_kubelet(o),
			.push = settings_push(o),
			.pod_logs = o->pod_logs,
			.selects_pods = o->pod || o->namespace,
			.in_pod = getenv("KUBERNETES_SERVICE_HOST"), /* the kubelet gives it to each */
			.program = program,
		},
	};
	int err;
	bool fit;

	if (named_check(o->pid_list, o->pid_count))
		return EXIT_FAILURE;
	find_program(program, sizeof(program));
	d.examination.worker_error = worker_start(&d.worker, o->pod_logs);
	examined_check(&d.examined, &d.examination);
	err = give_up(&d);
	if (!err)
		examined_ask(&d.examined, &d.examination);
	if (!err && d.worker)
		err = look_at_all(&d);
	err = err ?: show_examined(&d);
	fit = examined_is_fit(&d.examined);
	worker_stop(d.worker);
	examined_free(&d.examined);
	return err || !fit ? EXIT_FAILURE : EXIT_SUCCESS;
}

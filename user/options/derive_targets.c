// SPDX-License-Identifier: GPL-2.0-only
/*
 * derive_targets.c - which processes are meant: that one target is named, by which of the options the command
 * has for it, and the lists of --pid and of what tells processes apart.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "options/derive.h"
#include "targets/selection.h"

#define ONE_OF_ALL "one of --all-python, --all, --pid PID or -- COMMAND; --help shows how"

int derive_targets(struct options *o, char *error, size_t size)
{
	const struct command_row *c = o->subcommand;
	const bool programs = c->takes & GROUP_PROGRAMS;
	int targets;

	if (c->anybody && !o->all && !o->pids && !o->command)
		o->all_python = true;
	targets = o->all_python + o->all + (o->pids != NULL) + (o->command != NULL);
	if (o->table && o->json)
		return options_fail(error, size, "only one of --json and --table");
	if (c->words && !o->command)
		return options_fail(error, size, "name %s; --help shows how", c->words);
	if (c->words)
		return 0;
	if (!c->target && !o->command)
		return 0;
	if (!c->target)
		return options_fail(error, size, "'%s' does not go with %s", o->command[0], c->name);
	if (targets == 1 && (programs || !o->command))
		return 0;
	if (!programs)
		return options_fail(error, size, "name %s: one of --all-python and --pid PID", c->target);
	if (targets)
		return options_fail(error, size, "only " ONE_OF_ALL);
	return options_fail(error, size, "name %s: " ONE_OF_ALL, c->target);
}

/* Which of the targets. */
int derive_selection(const struct options *o, char *error, size_t size)
{
	const struct {
		const char *name, *globs;
	} lists[] = {
		{ "comm", o->comm },	     { "exclude-comm", o->exclude_comm },
		{ "cgroup", o->cgroup },     { "exclude-cgroup", o->exclude_cgroup },
		{ "container", o->container }, { "pod", o->pod },
		{ "namespace", o->namespace },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].globs && !selection_is_list(lists[i].globs))
			return options_fail(error, size, "--%s wants names with commas between, not '%s'",
					    lists[i].name, lists[i].globs);
	if (o->children && !o->pids && !o->command)
		return options_fail(error, size,
				    "--children goes with --pid; the others have their children anyway");
	return 0;
}

int derive_pids(struct options *o, char *error, size_t size)
{
	const char *s = o->pids;

	o->pid_list = calloc(strlen(s) / 2 + 1, sizeof(*o->pid_list));
	if (!o->pid_list)
		return options_fail(error, size, "out of memory");
	for (;;) {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(s, &end, 10);
		if (errno || end == s || pid < 1 || pid > INT_MAX || (*end && *end != ','))
			return options_fail(error, size,
					    "--pid wants process ids with commas between, not '%s'", o->pids);
		o->pid_list[o->pid_count++] = pid;
		if (!*end)
			return 0;
		s = end + 1;
	}
}

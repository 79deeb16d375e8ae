// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/jit_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/loop.h"
#include "guard/worker.h"
#include "names/jits.h"
#include "targets/questions.h"
#include "targets/registry.h"

#define PROCESSES_MAX 1024 /* that are asked about at a time */
#define PAUSE_MAX     64   /* seconds; it doubles each time that a file was as before */

struct jit_process {
	__u32 id;
	unsigned int pause, left; /* seconds from one look at its file to the next */
	bool asked;
	struct code_file file; /* that was read; all 0: none */
};

struct jit_names {
	struct jits *jits;
	const struct registry *registry;
	struct questions *questions;
	struct jit_process list[PROCESSES_MAX];
	size_t count;
};

int jit_names_new(struct jit_names **ret, struct jits *jits, const struct registry *registry,
		  struct questions *questions)
{
	struct jit_names *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->jits = jits;
	j->registry = registry;
	j->questions = questions;
	*ret = j;
	return 0;
}

void jit_names_free(struct jit_names *j)
{
	if (j)
		questions_forget(j->questions, j);
	free(j);
}

static struct jit_process *find_process(struct jit_names *j, __u32 id)
{
	for (size_t i = 0; i < j->count; i++)
		if (j->list[i].id == id)
			return &j->list[i];
	return NULL;
}

static void on_perf_map(void *names, const void *note, struct worker_reply *r)
{
	const __u32 process = *(const __u32 *)note;
	struct jit_names *j = names;
	struct jit_process *p = find_process(j, process);
	struct code_file file;
	int err = r->error;

	if (!p)
		return;
	p->asked = false;
	p->pause = p->pause * 2 < PAUSE_MAX ? p->pause * 2 : PAUSE_MAX;
	if (!err && r->table_size < sizeof(file))
		err = -EBADMSG;
	if (!err) {
		memcpy(&file, r->table, sizeof(file));
		err = jits_names(j->jits, process, r->table + sizeof(file), r->table_size - sizeof(file));
	}
	if (!err) {
		p->file = file;
		p->pause = 1;
	}
	p->left = p->pause;
	if (err && err != -EALREADY)
		log_debug("pid %u has no names for code that it made: %s", r->pid, strerror(-err));
}

/* False if the process has ended. */
static bool ask_perf_map(struct jit_names *j, struct jit_process *p)
{
	const struct registry_entry *r = registry_find(j->registry, p->id);
	const struct question q = { on_perf_map, j, &p->id, sizeof(p->id), false };
	struct worker_request request;

	if (!r || r->ended)
		return false;
	request = question_request(WORKER_PERF_MAP, r->pid, r->start_time);
	request.perf_map.known = p->file;
	p->asked = !questions_ask(j->questions, &q, &request);
	p->left = p->pause;
	return true;
}

int jit_names_met(struct jit_names *j, __u32 process, const struct code_map *map, __u64 *ret_position)
{
	struct jit_process *p = find_process(j, process);
	int err = jits_region(j->jits, process, map->owner, map->start, map->end, ret_position);

	if (err)
		return err;
	if (!p && j->count < PROCESSES_MAX) {
		p = &j->list[j->count++];
		*p = (struct jit_process){ .id = process };
	}
	/* The process has made more code since. */
	if (p && !p->asked && memcmp(&p->file, &map->file, sizeof(p->file))) {
		p->pause = 1;
		ask_perf_map(j, p);
	}
	return 0;
}

static void jit_names_on_turn(void *jit_names, unsigned int ready)
{
	struct jit_names *j = jit_names;

	if (!(ready & LOOP_SECOND))
		return;
	for (size_t i = 0; i < j->count;) {
		struct jit_process *p = &j->list[i];

		if (p->left)
			p->left--;
		if (!p->left && !p->asked && !ask_perf_map(j, p))
			*p = j->list[--j->count];
		else
			i++;
	}
}

int jit_names_watch(struct jit_names *j, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ -1, NULL, jit_names_on_turn, j });
}

// SPDX-License-Identifier: GPL-2.0-only
#include "targets/children.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "kern/process_table.h"
#include "proc/descent.h"
#include "targets/discover.h"
#include "targets/verdicts.h"

struct family {
	struct record_process *members; /* every process of the machine */
	size_t count, capacity;
	struct descent descent; /* of them */
};

static int add_member(void *context, const struct record_process *p)
{
	struct family *f = context;

	if (f->count == f->capacity) {
		size_t wanted = f->capacity ? 2 * f->capacity : 1024;
		void *grown = reallocarray(f->members, wanted, sizeof(*f->members));

		if (!grown)
			return -ENOMEM;
		f->members = grown;
		f->capacity = wanted;
	}
	f->members[f->count++] = *p;
	return descent_add(&f->descent, p->pid);
}

static void cleanup_family(struct family *f)
{
	free(f->members);
	descent_free(&f->descent);
}

int children_each(struct kernel *kernel, const pid_t *pids, size_t count,
		  int (*fn)(void *context, const struct record_process *p), void *context)
{
	_cleanup_(cleanup_family) struct family f = {};
	int err = kernel_list_processes(kernel, add_member, &f);

	for (size_t i = 0; !err && i < f.count; i++)
		if (descent_is_below(&f.descent, pids, count, f.members[i].pid))
			err = fn(context, &f.members[i]);
	return err;
}

struct selecting {
	struct kernel *kernel;
	struct discover *discover;
};

static bool is_noted(struct kernel *kernel, const struct record_process *p)
{
	struct process known;

	return !kernel_get_process(kernel, p->pid, &known) && known.start_time == p->start_time;
}

static int select_member(void *selecting, const struct record_process *p)
{
	const struct selecting *s = selecting;
	int err;

	if (is_noted(s->kernel, p))
		return 0;
	err = discover_want(s->discover, p);
	if (!err && verdicts_ask(discover_verdicts(s->discover), p))
		return 0; /* too many questions at once: its first tick asks again */
	return err;
}

int children_select(struct kernel *kernel, struct discover *discover, const pid_t *pids, size_t count)
{
	struct selecting s = { kernel, discover };

	return children_each(kernel, pids, count, select_member, &s);
}

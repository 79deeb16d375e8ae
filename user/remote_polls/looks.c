// SPDX-License-Identifier: GPL-2.0-only
#include "remote_polls/looks.h"

#include <errno.h>
#include <stdlib.h>

#include "remote_polls/asleep.h"
#include "remote_polls/context_targets.h"
#include "remote_polls/task_targets.h"

struct looks {
	struct asleep_targets *asleep;
	struct task_targets *tasks;
	struct context_targets *contexts;
};

int looks_new(struct looks **ret, struct kernel *kernel, const struct registry *registry,
	      struct questions *questions, struct captures *captures, const struct context_names *names)
{
	struct looks *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	err = asleep_targets_new(&l->asleep, kernel, questions, captures) ?:
	      task_targets_new(&l->tasks, kernel, registry, questions, captures) ?:
	      context_targets_new(&l->contexts, kernel, registry, questions, names);
	if (err) {
		looks_free(l);
		return err;
	}
	*ret = l;
	return 0;
}

void looks_free(struct looks *l)
{
	if (!l)
		return;
	context_targets_free(l->contexts);
	task_targets_free(l->tasks);
	asleep_targets_free(l->asleep);
	free(l);
}

int looks_watch(struct looks *l, struct loop *loop)
{
	return asleep_watch(l->asleep, loop) ?: task_targets_watch(l->tasks, loop) ?:
	       context_targets_watch(l->contexts, loop);
}

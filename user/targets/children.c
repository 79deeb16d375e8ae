// SPDX-License-Identifier: GPL-2.0-only
#include "targets/children.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "kern/process_table.h"
#include "proc/procfs.h"
#include "targets/discover.h"

#define DESCENT_MAX 64 /* from a parent to its farthest descendant */

struct member {
	struct record_process process;
	pid_t parent;
	bool selected;
};

struct family {
	struct member *members; /* every process of the machine */
	size_t count, capacity;
};

static int add_member(void *context, const struct record_process *p)
{
	struct family *f = context;
	struct procfs_stat stat;

	if (procfs_stat(p->pid, &stat))
		return 0; /* it has ended */
	if (f->count == f->capacity) {
		size_t wanted = f->capacity ? 2 * f->capacity : 1024;
		void *grown = reallocarray(f->members, wanted, sizeof(*f->members));

		if (!grown)
			return -ENOMEM;
		f->members = grown;
		f->capacity = wanted;
	}
	f->members[f->count++] = (struct member){ .process = *p, .parent = stat.parent };
	return 0;
}

static bool is_listed(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static bool has_selected_parent(const struct family *f, const struct member *m)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->members[i].selected && f->members[i].process.pid == (__u32)m->parent)
			return true;
	return false;
}

static bool is_known(struct kernel *kernel, const struct record_process *p)
{
	struct process known;

	return !kernel_get_process(kernel, p->pid, &known) && known.start_time == p->start_time;
}

static int select_member(struct kernel *kernel, struct discover *discover, const struct record_process *p)
{
	int err;

	if (is_known(kernel, p))
		return 0;
	err = discover_want(discover, p);
	if (!err && discover_process(discover, p))
		return 0; /* too many questions at once: its first tick asks again */
	return err;
}

/* Finds the processes whose parent is selected. Returns how many, or -errno. */
static int select_children(struct kernel *kernel, struct discover *discover, struct family *f)
{
	int found = 0;

	for (size_t i = 0; i < f->count; i++) {
		struct member *m = &f->members[i];
		int err;

		if (m->selected || !has_selected_parent(f, m))
			continue;
		m->selected = true;
		err = select_member(kernel, discover, &m->process);
		if (err)
			return err;
		found++;
	}
	return found;
}

int children_select(struct kernel *kernel, struct discover *discover, const pid_t *pids, size_t count)
{
	_cleanup_free_ struct member *members = NULL;
	struct family f = {};
	int found = 1;
	int err = kernel_list_processes(kernel, add_member, &f);

	members = f.members;
	if (err)
		return err;
	for (size_t i = 0; i < f.count; i++)
		f.members[i].selected = is_listed(pids, count, f.members[i].process.pid);
	for (int i = 0; i < DESCENT_MAX && found > 0; i++)
		found = select_children(kernel, discover, &f);
	return found < 0 ? found : 0;
}

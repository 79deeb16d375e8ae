// SPDX-License-Identifier: GPL-2.0-only
#include "proc/descent.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "proc/procfs.h"

/* Far more than any real line of descent; and parents are read one after another, so they may form a ring. */
#define DESCENT_MAX 1024

struct descent_member {
	pid_t pid, parent;
	UT_hash_handle hh;
};

static struct descent_member *find_member(const struct descent *d, pid_t pid)
{
	struct descent_member *m;

	HASH_FIND(hh, d->members, &pid, sizeof(pid), m);
	return m;
}

int descent_set(struct descent *d, pid_t pid, pid_t parent)
{
	struct descent_member *m = find_member(d, pid);

	if (m) {
		m->parent = parent;
		return 0;
	}
	m = malloc(sizeof(*m));
	if (!m)
		return -ENOMEM;
	*m = (struct descent_member){ .pid = pid, .parent = parent };
	HASH_ADD(hh, d->members, pid, sizeof(m->pid), m);
	if (m->hh.tbl)
		return 0;
	free(m);
	return -ENOMEM;
}

int descent_add(struct descent *d, pid_t pid)
{
	struct procfs_stat stat;

	return procfs_stat(pid, &stat) ? 0 : descent_set(d, pid, stat.parent);
}

void descent_free(struct descent *d)
{
	struct descent_member *m, *next;

	HASH_ITER(hh, d->members, m, next) {
		HASH_DEL(d->members, m);
		free(m);
	}
}

static bool is_one_of(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

bool descent_is_below(const struct descent *d, const pid_t *pids, size_t count, pid_t pid)
{
	const struct descent_member *m = find_member(d, pid);

	if (is_one_of(pids, count, pid))
		return false;
	for (int i = 0; m && i < DESCENT_MAX; i++) {
		if (is_one_of(pids, count, m->parent))
			return true;
		m = find_member(d, m->parent);
	}
	return false;
}

/* Of all processes. */
static int read_all(struct descent *d)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	int err = 0;

	if (!folder)
		return -errno;
	while (!err && (entry = readdir(folder))) {
		const pid_t pid = atoi(entry->d_name);

		if (pid > 0)
			err = descent_add(d, pid);
	}
	closedir(folder);
	return err;
}

int descent_each_below(const pid_t *pids, size_t count, int (*fn)(void *context, pid_t pid), void *context)
{
	_cleanup_(descent_free) struct descent d = {};
	int err = read_all(&d);

	/* uthash goes over a table in the order in which it was filled. */
	for (const struct descent_member *m = d.members; m && !err; m = m->hh.next)
		if (descent_is_below(&d, pids, count, m->pid))
			err = fn(context, m->pid);
	return err;
}

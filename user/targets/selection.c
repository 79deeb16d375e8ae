// SPDX-License-Identifier: GPL-2.0-only
#include "targets/selection.h"

#include <fnmatch.h>
#include <string.h>

#define GLOB_SIZE 256
#define DIGITS_MIN 6 /* of an id: fewer could be a name as well */

/* The next glob of a list, or false at its end. */
static bool next_glob(const char **list, char ret[GLOB_SIZE])
{
	size_t n = strcspn(*list, ",");

	if (!**list || n >= GLOB_SIZE)
		return false;
	memcpy(ret, *list, n);
	ret[n] = '\0';
	*list += n + ((*list)[n] == ',');
	return true;
}

bool selection_is_list(const char *globs)
{
	for (;; globs++) {
		size_t n = strcspn(globs, ",");

		if (!n || n >= GLOB_SIZE)
			return false;
		globs += n;
		if (!*globs)
			return true;
	}
}

static bool matches_any(const char *list, const char *text)
{
	char glob[GLOB_SIZE];

	while (next_glob(&list, glob))
		if (!fnmatch(glob, text, 0))
			return true;
	return false;
}

static bool is_id_of(const char *digits, const char *id)
{
	size_t n = strlen(digits);

	return n >= DIGITS_MIN && !strncmp(digits, id, n);
}

static bool matches_container(const char *list, const struct container *c)
{
	char glob[GLOB_SIZE];

	if (matches_any(list, c->names.container))
		return true;
	while (next_glob(&list, glob))
		if (is_id_of(glob, c->cgroup.container_id))
			return true;
	return false;
}

bool selection_takes_all(const struct selection *s)
{
	return !s->comm && !s->exclude_comm && !s->cgroup && !s->exclude_cgroup && !s->container && !s->pod &&
	       !s->namespace;
}

bool selection_may_take(const struct selection *s, const char *comm)
{
	return (!s->comm || matches_any(s->comm, comm)) &&
	       (!s->exclude_comm || !matches_any(s->exclude_comm, comm));
}

bool selection_takes(const struct selection *s, const char *comm, const struct container *c)
{
	return selection_may_take(s, comm) && (!s->cgroup || matches_any(s->cgroup, c->cgroup.path)) &&
	       (!s->exclude_cgroup || !matches_any(s->exclude_cgroup, c->cgroup.path)) &&
	       (!s->container || matches_container(s->container, c)) &&
	       (!s->pod || matches_any(s->pod, c->names.pod)) &&
	       (!s->namespace || matches_any(s->namespace, c->names.namespace));
}

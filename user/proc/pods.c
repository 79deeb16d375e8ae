// SPDX-License-Identifier: GPL-2.0-only
#include "proc/pods.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"

#define ENTRIES_MAX (4 * PODS_MAX) /* entries looked at in one listing, whatever they are */
#define SETTLED_S   2		   /* seconds: on some file systems a folder's time of change is no finer */

struct known_pod {
	char key[CONTAINER_ID_SIZE];
	struct pod_names names;
};

struct pods {
	const char *folder;
	struct known_pod *entries;
	size_t count, capacity;
	struct timespec changed; /* the folder, when it was listed */
	bool settled;		 /* it was settled then: the last change was SETTLED_S ago */
};

int pods_new(struct pods **ret, const char *folder)
{
	struct pods *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->folder = strdup(folder);
	if (!p->folder) {
		free(p);
		return -ENOMEM;
	}
	*ret = p;
	return 0;
}

void pods_free(struct pods *p)
{
	if (!p)
		return;
	free((char *)p->folder);
	free(p->entries);
	free(p);
}

/* Copies the text up to the separator, which must be there. */
static bool take(const char **at, char separator, bool dots, char *ret, size_t size)
{
	const char *end = strchr(*at, separator);

	if (!end || (size_t)(end - *at) >= size)
		return false;
	memcpy(ret, *at, end - *at);
	ret[end - *at] = '\0';
	*at = end + 1;
	return cgroup_is_name(ret, dots, size);
}

/* POD_NAMESPACE_CONTAINER-ID.log: no name has a '_' in it, but a container's may have dashes. */
static bool parse_link(const char *name, char ret_key[CONTAINER_ID_SIZE], struct pod_names *ret)
{
	const size_t tail = CONTAINER_ID_SIZE - 1 + strlen(".log");
	size_t n, length;

	if (!take(&name, '_', true, ret->pod, sizeof(ret->pod)) ||
	    !take(&name, '_', false, ret->namespace, sizeof(ret->namespace)))
		return false;
	n = strlen(name);
	if (n < tail + 2 || strcmp(name + n - 4, ".log") || name[n - tail - 1] != '-')
		return false;
	length = n - tail - 1;
	if (length >= sizeof(ret->container))
		return false;
	memcpy(ret->container, name, length);
	ret->container[length] = '\0';
	memcpy(ret_key, name + n - tail, CONTAINER_ID_SIZE - 1);
	ret_key[CONTAINER_ID_SIZE - 1] = '\0';
	return cgroup_is_name(ret->container, false, sizeof(ret->container)) &&
	       strspn(ret_key, "0123456789abcdef") == CONTAINER_ID_SIZE - 1;
}

static bool parse_folder(const char *name, char ret_key[CONTAINER_ID_SIZE], struct pod_names *ret)
{
	if (!take(&name, '_', false, ret->namespace, sizeof(ret->namespace)) ||
	    !take(&name, '_', true, ret->pod, sizeof(ret->pod)) || !cgroup_is_pod_uid(name))
		return false;
	strcpy(ret_key, name); /* a uid is shorter than an id */
	*ret->container = '\0';
	return true;
}

bool pods_parse_name(const char *name, char ret_key[CONTAINER_ID_SIZE], struct pod_names *ret)
{
	struct pod_names names = {};
	char key[CONTAINER_ID_SIZE];

	if (!parse_folder(name, key, &names) && !parse_link(name, key, &names))
		return false;
	strcpy(ret_key, key);
	*ret = names;
	return true;
}

static int add(struct pods *p, const char *name)
{
	struct known_pod e = {};
	void *grown;

	if (!pods_parse_name(name, e.key, &e.names))
		return 0;
	if (p->count == p->capacity) {
		size_t wanted = p->capacity ? 2 * p->capacity : 64;

		grown = wanted > PODS_MAX ? NULL : reallocarray(p->entries, wanted, sizeof(e));
		if (!grown)
			return -ENOSPC;
		p->entries = grown;
		p->capacity = wanted;
	}
	p->entries[p->count++] = e;
	return 0;
}

/* Lists the folder if it has changed. Returns whether it did. */
static bool refresh(struct pods *p)
{
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	struct stat st;
	int seen = 0;

	if (stat(p->folder, &st))
		return false;
	if (p->settled && st.st_mtim.tv_sec == p->changed.tv_sec && st.st_mtim.tv_nsec == p->changed.tv_nsec)
		return false;
	dir = opendir(p->folder);
	if (!dir)
		return false;
	p->count = 0;
	p->changed = st.st_mtim;
	p->settled = time(NULL) > st.st_mtim.tv_sec + SETTLED_S;
	while (seen++ < ENTRIES_MAX && (entry = readdir(dir)) && !add(p, entry->d_name))
		;
	return true;
}

static const struct known_pod *find_pod(const struct pods *p, const char *key)
{
	if (!*key)
		return NULL;
	for (size_t i = 0; i < p->count; i++)
		if (!strcmp(p->entries[i].key, key))
			return &p->entries[i];
	return NULL;
}

static const struct known_pod *find_either(const struct pods *p, const char *pod_uid,
					   const char *container_id)
{
	return find_pod(p, container_id) ?: find_pod(p, pod_uid);
}

/* The pod's only container. With several there is no telling from here which one it is. */
static void name_only(const char *folder, char ret[CONTAINER_NAME_SIZE])
{
	_cleanup_closedir_ DIR *dir = opendir(folder);
	char only[CONTAINER_NAME_SIZE] = "";
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (!cgroup_is_name(entry->d_name, false, sizeof(only)))
			continue;
		if (*only)
			return;
		strcpy(only, entry->d_name);
	}
	strcpy(ret, only);
}

static void name_container(const struct pods *p, const struct known_pod *e, const char *hint,
			   char ret[CONTAINER_NAME_SIZE])
{
	char path[PATH_MAX];
	struct stat st;
	int n;

	n = snprintf(path, sizeof(path), "%s/%s_%s_%s/%s", p->folder, e->names.namespace, e->names.pod,
		     e->key, hint);
	if (n >= (int)sizeof(path))
		return;
	if (!*hint)
		name_only(path, ret);
	else if (cgroup_is_name(hint, false, CONTAINER_NAME_SIZE) && !stat(path, &st) && S_ISDIR(st.st_mode))
		strcpy(ret, hint);
}

bool pods_find(struct pods *p, const char *pod_uid, const char *container_id, const char *hint,
	       struct pod_names *ret)
{
	const struct known_pod *e = find_either(p, pod_uid, container_id);

	if (!e && (*pod_uid || *container_id) && refresh(p))
		e = find_either(p, pod_uid, container_id);
	if (!e)
		return false;
	*ret = e->names;
	if (!*ret->container)
		name_container(p, e, hint, ret->container);
	return true;
}

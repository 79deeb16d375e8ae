// SPDX-License-Identifier: GPL-2.0-only
#include "names/called.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct thread_key {
	__u64 process, thread;
};

struct called_thread {
	struct thread_key key;
	UT_hash_handle hh;
	unsigned int misses; /* looks that have found no name */
	char name[];	     /* NUL-terminated; "" = none is known */
};

struct called {
	struct called_thread *threads;
};

int called_new(struct called **ret)
{
	struct called *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*ret = c;
	return 0;
}

static void drop_thread(struct called *c, struct called_thread *t)
{
	HASH_DEL(c->threads, t);
	free(t);
}

void called_free(struct called *c)
{
	struct called_thread *t, *next;

	if (!c)
		return;
	HASH_ITER(hh, c->threads, t, next)
		drop_thread(c, t);
	free(c);
}

static struct called_thread *find_thread(const struct called *c, __u32 process, __u64 thread)
{
	const struct thread_key key = { process, thread };
	struct called_thread *t;

	HASH_FIND(hh, c->threads, &key, sizeof(key), t);
	return t;
}

/* A new one, which is not there yet. NULL without memory. */
static struct called_thread *add_thread(struct called *c, __u32 process, __u64 thread, const char *name)
{
	const size_t size = strlen(name) + 1;
	struct called_thread *t;

	if (HASH_COUNT(c->threads) >= CALLED_THREADS_MAX)
		drop_thread(c, c->threads); /* that of the first is the oldest */
	t = calloc(1, sizeof(*t) + size);
	if (!t)
		return NULL;
	t->key = (struct thread_key){ process, thread };
	memcpy(t->name, name, size);
	HASH_ADD(hh, c->threads, key, sizeof(t->key), t);
	if (t->hh.tbl)
		return t;
	free(t);
	return NULL;
}

int called_add(struct called *c, __u32 process, __u64 thread, const char *name)
{
	struct called_thread *t = find_thread(c, process, thread);

	if (t && *t->name)
		return 0;
	if (t)
		drop_thread(c, t);
	return add_thread(c, process, thread, name) ? 0 : -ENOMEM;
}

int called_miss(struct called *c, __u32 process, __u64 thread)
{
	struct called_thread *t = find_thread(c, process, thread) ?: add_thread(c, process, thread, "");

	if (!t)
		return -ENOMEM;
	t->misses += t->misses < CALLED_LOOKS;
	return 0;
}

const char *called_find(const struct called *c, __u32 process, __u64 thread)
{
	const struct called_thread *t = find_thread(c, process, thread);

	return t && (*t->name || t->misses >= CALLED_LOOKS) ? t->name : NULL;
}

void called_sweep(struct called *c, bool (*is_there)(const void *context, __u32 process), const void *context)
{
	struct called_thread *t, *next;

	HASH_ITER(hh, c->threads, t, next)
		if (!is_there(context, (__u32)t->key.process))
			drop_thread(c, t);
}

const char *called_shown(const struct called *c, __u32 process, __u64 thread, bool main,
			 const char *in_kernel, const char *of_process)
{
	const char *name;

	if (!c || main || strcmp(in_kernel, of_process))
		return in_kernel;
	name = called_find(c, process, thread);
	return name && *name ? name : in_kernel;
}

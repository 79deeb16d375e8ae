// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail_malloc.c - a library for LD_PRELOAD that makes one allocation fail: of the program, or of whatever
 * library it uses.
 *
 *   FAIL_MALLOC_AT=N      the Nth allocation of a process fails, counted from 1; its children go on counting
 *   FAIL_MALLOC_STAYS=1   and all after it
 *   FAIL_MALLOC_LIST=FILE none fails; at its end FILE has a line "PID N" for each place that allocates, known
 *                         by its callers: the first time that it did
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALLERS 12
#define PLACES	(1U << 14)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

/* hash: of the callers; 0 = none. */
struct place {
	atomic_ulong hash;
	long pid, n;
};

static atomic_long count;
static long fail_at;
static bool stays;
static struct place *places; /* shared with children, which may close every descriptor */
static const char *list;
static pid_t first;
static _Thread_local bool busy;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_MALLOC_AT");
	void *callers[1], *memory;

	busy = true;
	backtrace(callers, 1); /* the first one allocates */
	list = getenv("FAIL_MALLOC_LIST");
	memory = mmap(NULL, PLACES * sizeof(*places), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (list && memory != MAP_FAILED)
		places = memory;
	busy = false;
	first = getpid();
	stays = getenv("FAIL_MALLOC_STAYS");
	fail_at = at ? atol(at) : 0;
	atomic_store(&count, 0);
}

__attribute__((destructor)) static void end(void)
{
	FILE *f;

	if (!places || getpid() != first)
		return;
	busy = true;
	f = fopen(list, "w");
	for (unsigned int i = 0; f && i < PLACES; i++)
		if (places[i].hash)
			fprintf(f, "%ld %ld\n", places[i].pid, places[i].n);
	if (f)
		fclose(f);
}

static void note(long n)
{
	void *callers[CALLERS];
	unsigned long hash = 1, none;
	int depth;

	busy = true;
	depth = backtrace(callers, CALLERS);
	busy = false;
	for (int i = 0; i < depth; i++)
		hash = (hash ^ (unsigned long)callers[i]) * 0x9E3779B97F4A7C15UL;
	for (unsigned int i = hash >> 40, tries = 0; tries < PLACES; i++, tries++) {
		struct place *p = &places[i % PLACES];

		none = 0;
		if (atomic_compare_exchange_strong(&p->hash, &none, hash)) {
			p->pid = getpid();
			p->n = n;
		}
		if (!none || none == hash)
			return;
	}
}

static bool fails(void)
{
	long n;

	if (busy)
		return false;
	n = atomic_fetch_add(&count, 1) + 1;
	if (places)
		note(n);
	if (!fail_at || (stays ? n < fail_at : n != fail_at))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "remote/thread_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "python/modules.h"
#include "python/target_walk.h"

#define READS_MAX    65536
#define FIRST	     0x03080000
#define IN_KERNEL    0x030e0000 /* from this version on Python gives the kernel its names */
#define IDENT_DIGITS 3		/* of 30 bits, of a pthread_t */
#define IDENT_BITS   30

struct names_look {
	struct objects objects;
	const struct thread_states *states;
	const struct proc_thread *threads;
	size_t thread_count;
	__u64 int_type;
	size_t count; /* names that were added */
	struct buf *out;
};

bool thread_names_are_hidden(const struct layout *l)
{
	return l->version >= FIRST && l->version < IN_KERNEL;
}

/* An int above zero, of up to 64 bits; 0 for anything else. */
static __u64 read_ident(struct names_look *k, __u64 object)
{
	const __u64 at = object + k->objects.head;
	__u32 digit[IDENT_DIGITS];
	__u64 word, ident = 0;

	if (!objects_is(&k->objects, object, "", "int", &k->int_type) ||
	    objects_read(&k->objects, at, &word, sizeof(word)))
		return 0;
	/* 3.12 has the sign in two bits below the number of digits, older ones that of the number. */
	if (k->objects.layout->version >= OBJECTS_INT_TAGGED)
		word = word & 3 ? 0 : word >> 3;
	if (!word || word > IDENT_DIGITS ||
	    objects_read(&k->objects, at + sizeof(word), digit, word * sizeof(*digit)))
		return 0;
	while (word--)
		ident = ident << IDENT_BITS | (digit[word] & ((1U << IDENT_BITS) - 1));
	return ident;
}

/* The thread whose pthread_self() this is; 0: none that is known. */
static pid_t find_tid(const struct names_look *k, __u64 ident)
{
	pid_t own_tid = 0;

	for (size_t i = 0; i < k->states->count && !own_tid; i++)
		if (k->states->list[i].id == ident)
			own_tid = k->states->list[i].own_tid;
	for (size_t i = 0; i < k->thread_count && own_tid; i++)
		if (k->threads[i].own_tid == own_tid)
			return k->threads[i].tid;
	return 0;
}

/* One Thread; 1 when there are too many. What cannot be read has no name. */
static int add_name(void *look, __u64 key, __u64 thread)
{
	struct names_look *k = look;
	struct thread_name n = { 0 };
	const __u64 ident = read_ident(k, key);

	if (!ident)
		return 0;
	n.tid = find_tid(k, ident);
	if (!n.tid ||
	    objects_text(&k->objects, objects_attribute(&k->objects, thread, "_name"), n.name,
			 sizeof(n.name)) ||
	    !*n.name)
		return 0;
	return buf_add(k->out, &n, sizeof(n)) ?: ++k->count == THREAD_NAMES_MAX;
}

int thread_names_read(pid_t memory, const struct layout *l, __u64 runtime, const struct thread_states *states,
		      const struct proc_thread *threads, size_t count, struct buf *out)
{
	struct names_look k = { .states = states, .threads = threads, .thread_count = count, .out = out };
	__u64 modules, threading, active;
	int err;

	if (!thread_names_are_hidden(l))
		return -EOPNOTSUPP;
	target_memory_choose(memory);
	objects_begin(&k.objects, memory, l, READS_MAX);
	modules = modules_of(&k.objects, target_first_interpreter(l, runtime));
	threading = modules ? objects_dict_find(&k.objects, modules, "threading") : 0;
	active = threading ?
		 objects_dict_find(&k.objects, modules_dict(&k.objects, threading), "_active") : 0;
	if (!active)
		return -ENOENT;
	err = objects_dict_each(&k.objects, active, add_name, &k);
	return err == -ENOMEM ? err : 0;
}

/* Leaves those out that began at `begin` or later, in ticks. */
static void keep_older(struct buf *out, size_t from, __u64 begin)
{
	struct thread_name *names = (void *)(out->data + from);
	const size_t count = (out->size - from) / sizeof(*names);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct thread_name n = names[i];

		if (!procfs_start_ticks(n.tid, &n.start_ticks) && n.start_ticks < begin)
			names[kept++] = n;
	}
	out->size = from + kept * sizeof(*names);
}

int thread_names_look(pid_t pid, pid_t memory, const struct layout *l, __u64 runtime, struct buf *out)
{
	_cleanup_free_ struct thread_states *states = calloc(1, sizeof(*states));
	_cleanup_free_ struct proc_thread *threads = NULL;
	const __u64 begin = clock_ticks_of(clock_boot_ns());
	_cleanup_free_ pid_t *tids = NULL;
	const size_t from = out->size;
	size_t count;
	bool more;
	int err;

	if (!states)
		return -ENOMEM;
	if (!thread_names_are_hidden(l))
		return -EOPNOTSUPP;
	err = proc_threads(pid, THREAD_NAMES_MAX, &tids, &count, &more) ?:
	      thread_states_read(states, memory, l, runtime);
	if (err)
		return err;
	threads = calloc(count + 1, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		threads[i].tid = tids[i];
		threads[i].own_tid = proc_thread_own_tid(pid, tids[i]);
	}
	thread_states_match(states, threads, count);
	err = thread_names_read(memory, l, runtime, states, threads, count, out);
	if (!err)
		keep_older(out, from, begin);
	return err;
}

int thread_names_parse(const void *bytes, size_t size, const struct thread_name **ret, size_t *ret_count)
{
	const struct thread_name *names = bytes;
	const size_t count = size / sizeof(*names);

	if (size % sizeof(*names) || count > THREAD_NAMES_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++)
		if (names[i].tid <= 0 || !memchr(names[i].name, '\0', sizeof(names[i].name)))
			return -EBADMSG;
	*ret = names;
	*ret_count = count;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/looked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "hosted/area.h"
#include "hosted/hash.h"
#include "hosted/thread_list.h"
#include "pyperf.skel.h"

/* Between two looks at one that is of no interest, which may become it; doubled while it does nothing. */
#define STRANGER_PAUSE	   (100 * NS_PER_MS)
#define STRANGER_PAUSE_MAX (16 * STRANGER_PAUSE)

static struct looked *list[LOOKED_MAX];
static unsigned int count;
static __u16 *places; /* by pid: where in the list it is, plus one */
static struct shared_hash *processes;
static __u32 *pids;		/* of the table, for a moment */
static struct process *entries; /* ... */
static __u64 random_state;

int looked_open(const struct area *a)
{
	const struct area_table *p = area_find(a, "processes");
	int err = thread_list_open(a);

	if (!p || err)
		return err ?: -EINVAL;
	processes = (void *)(a->base + p->offset);
	pids = calloc(p->entries, sizeof(*pids));
	entries = calloc(p->entries, sizeof(*entries));
	places = calloc(LOOKED_PIDS, sizeof(*places));
	random_state = clock_ns() | 1;
	return pids && entries && places ? 0 : -ENOMEM;
}

static __u64 user_of(pid_t pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return USER_BY_UID | (stat(path, &st) ? 0 : st.st_uid);
}

/* --- processes ---------------------------------------------------------------------------------------- */

struct looked *looked_find(pid_t pid)
{
	const unsigned int place = pid > 0 && pid < LOOKED_PIDS ? places[pid] : 0;

	return place ? list[place - 1] : NULL;
}

void looked_add(pid_t pid, const struct process_now *now, __u64 execs)
{
	struct looked *p;

	if (pid <= 0 || pid >= LOOKED_PIDS || looked_find(pid))
		return;
	p = count < LOOKED_MAX ? calloc(1, sizeof(*p)) : NULL;
	if (!p) {
		sample_no_room();
		return;
	}
	p->pid = pid;
	p->start_ns = now->start_ns;
	p->image = now->image;
	p->execs = execs;
	p->user = user_of(pid);
	memcpy(p->comm, now->comm, sizeof(p->comm));
	list[count++] = p;
	places[pid] = count;
}

static unsigned int told;

static void add_known(pid_t pid, const struct process *entry)
{
	struct process_now now;

	if (process_now(pid, &now) || now.start_ns != entry->start_time)
		return;
	looked_add(pid, &now, entry->exec_id);
	told++;
}

unsigned int looked_told(void)
{
	return told;
}

static void drop(unsigned int i)
{
	struct looked *p = list[i];

	thread_list_drop(p);
	kept_file_close(&p->stat);
	places[p->pid] = 0;
	list[i] = list[--count];
	if (i < count)
		places[list[i]->pid] = i + 1;
	free(p);
}

void looked_sync(void)
{
	const __u32 n = shared_hash_all(processes, pids, entries);

	for (__u32 i = 0; i < n; i++)
		if (!looked_find(pids[i]))
			add_known(pids[i], &entries[i]);
	for (unsigned int i = count; i-- > 0;)
		if (!sample_is_of_all() && !sample_known(list[i]->pid))
			drop(i);
}

static void end(unsigned int i)
{
	struct sampled s = thread_list_leader(list[i]);

	thread_list_account(list[i], 1);
	sample_exited(&s);
	drop(i);
}

/* It has begun another program. */
static void exec(struct looked *p, const struct process_now *now)
{
	struct sampled s;

	thread_list_account(p, 1);
	thread_list_drop(p);
	p->execs++;
	p->image = now->image;
	memcpy(p->comm, now->comm, sizeof(p->comm));
	s = thread_list_leader(p);
	sample_execed(&s);
}

__u64 looked_forked(const struct looked *parent, pid_t pid, const struct process_now *now)
{
	struct sampled from = thread_list_leader(parent), child = from;

	child.pid = child.tid = pid;
	child.start_ns = child.began_ns = now->start_ns;
	child.user = user_of(pid);
	memcpy(child.comm, now->comm, sizeof(child.comm));
	memcpy(child.leader, now->comm, sizeof(child.leader));
	sample_forked(&from, &child);
	/* A fork leaves the addresses as they were. */
	if (now->image == parent->image)
		return child.execs;
	child.execs++;
	sample_execed(&child);
	return child.execs;
}

/* --- looks -------------------------------------------------------------------------------------------- */

/*
 * For how many looks the next one stands; 0: it is left out. With all time it would be a sleeper's next place
 * that got what was left of its time at the last one, so none is left out.
 */
static unsigned int turn_of(struct rest *r)
{
	return sample_is_of_wall() ? 1 : rest_idle_next(r, &random_state);
}

/* From its first look on its CPU time is counted by the kernel's account. */
static void begin_account(struct looked_thread *t, const struct process *entry)
{
	if (!entry || !process_is_counted(entry->state) || t->accounted == entry->id)
		return;
	t->accounted = entry->id;
	sample_account(&t->s, 0);
}

static bool look_at_thread(struct looked *p, struct looked_thread *t, const struct process *entry,
			   unsigned int weight)
{
	struct thread_runs r;
	int outcome;

	if (thread_runs(t->s.hold.fd, &r)) {
		p->listed = 0; /* it has ended, and another one may have begun */
		return false;
	}
	if (r.ns == t->runs.ns && r.runs == t->runs.runs && !t->has_cpu) {
		if (sample_is_of_wall())
			wall_rests(t, &r, clock_ns());
		p->ids_asked |= t->stateless;
		return false;
	}
	if (sample_is_of_wall()) {
		wall_was_quiet(t, p->quiet);
		wall_pass(t, &r, clock_ns());
	}
	t->runs = r;
	t->s.cpu_ns = r.ns;
	t->s.execs = p->execs;
	begin_account(t, entry);
	t->has_cpu = thread_take(&t->s.hold, &r, p->pid, t->s.tid, t->s.comm) != THREAD_WITHOUT;
	if (!t->has_cpu) {
		if (sample_is_of_wall())
			wall_found_off(t, &r, weight);
		p->ids_asked |= t->stateless;
		return true;
	}
	outcome = sample_take(&t->s, weight);
	if (sample_is_of_wall())
		wall_found_on(t);
	p->ids_asked |= sample_is_without_state(outcome); /* it may be new */
	p->ran = true;
	return true;
}

static void look_at_threads(struct looked *p, const struct process *entry, unsigned int weight)
{
	for (unsigned int i = 0; i < p->count; i++) {
		struct looked_thread *t = &p->threads[i];
		const unsigned int turn = turn_of(&t->rest);

		memcpy(t->s.leader, p->comm, sizeof(p->comm));
		if (turn)
			rest_met(&t->rest, look_at_thread(p, t, entry, weight * turn));
	}
}

/* Whether it is still there, and the same program. */
static bool refresh(struct looked *p, struct process_now *now)
{
	if (process_now_kept(p->pid, &p->stat, now) || now->start_ns != p->start_ns || now->state == 'Z' ||
	    now->state == 'X')
		return false;
	memcpy(p->comm, now->comm, sizeof(p->comm));
	if (now->image && now->image != p->image) {
		if (p->image)
			exec(p, now);
		p->image = now->image;
	}
	return true;
}

/* One that is no Python, or may not be read: it may begin another program. Whether it is still there. */
static bool look_at_stranger(struct looked *p, const struct process *entry, __u64 clock, __u64 at)
{
	const bool idle = clock == p->clock;
	struct process_now now;
	struct sampled s;

	if (p->count)
		thread_list_drop(p);
	p->pause = !idle || !p->pause ? STRANGER_PAUSE :
		   p->pause < STRANGER_PAUSE_MAX ? 2 * p->pause : p->pause;
	p->due = at + p->pause;
	if (idle)
		return true;
	p->clock = clock;
	if (!refresh(p, &now))
		return false;
	s = thread_list_leader(p);
	entry = sample_known(p->pid); /* an exec has changed it */
	if (entry)
		sample_ask(&s, entry);
	else
		p->due = 0;
	return true;
}

/* Whether it is still there. */
static bool look_at(struct looked *p, unsigned int weight, __u64 at)
{
	const unsigned int turn = at < p->due ? 0 : turn_of(&p->rest);
	const struct process *entry;
	struct process_now now;
	__u64 clock;

	if (!turn)
		return true;
	clock = process_clock(p->pid);
	entry = sample_known(p->pid);
	if (clock && sample_is_stranger(entry))
		return look_at_stranger(p, entry, clock, at);
	/* It moves on only when the kernel counts, which may be after milliseconds for one that runs. */
	if (clock == p->clock && clock && !p->ran && !thread_list_asks(p, entry)) {
		rest_met(&p->rest, 0);
		p->quiet = at;
		return true;
	}
	rest_met(&p->rest, 1);
	if (!refresh(p, &now))
		return false;
	p->clock = clock;
	p->ran = false;
	thread_list_follow(p, now.threads);
	if (entry)
		thread_list_find_ids(p, entry);
	look_at_threads(p, entry, weight * turn);
	return true;
}

void looked_take(unsigned int weight)
{
	const __u64 at = clock_ns();

	for (unsigned int i = count; i-- > 0;)
		if (!look_at(list[i], weight, at))
			end(i);
}

void looked_account(void)
{
	for (unsigned int i = 0; i < count; i++)
		thread_list_account(list[i], 0);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/looked.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "hosted/area.h"
#include "hosted/hash.h"
#include "proc/thread.h"
#include "pyperf.skel.h"
#include "remote/thread_states.h"

/* Between two searches for whose the thread states are; it doubles as long as there is no new thread. */
#define IDS_PAUSE	  NS_PER_MS
#define IDS_PAUSE_DOUBLES 9

static struct looked *list[LOOKED_MAX];
static unsigned int count;
static const struct area *area;
static struct shared_hash *processes;
static const struct layout *layouts;
static __u32 *pids;		 /* of the table, for a moment */
static struct process *entries; /* ... */
static __u64 *seen;		 /* one bit for each pid that was met in /proc */
static __u64 seen_bits;

int looked_open(const struct area *a)
{
	const struct area_table *p = area_find(a, "processes"), *l = area_find(a, "layouts");

	if (!p || !l)
		return -EINVAL;
	area = a;
	processes = (void *)(a->base + p->offset);
	layouts = (void *)(a->base + l->offset);
	seen_bits = 1 << 22; /* PID_MAX_LIMIT */
	pids = calloc(p->entries, sizeof(*pids));
	entries = calloc(p->entries, sizeof(*entries));
	seen = calloc(seen_bits / 64, sizeof(*seen));
	return pids && entries && seen ? 0 : -ENOMEM;
}

static __u64 user_of(pid_t pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return USER_BY_UID | (stat(path, &st) ? 0 : st.st_uid);
}

/* --- processes ---------------------------------------------------------------------------------------- */

static struct looked *find(pid_t pid)
{
	for (unsigned int i = 0; i < count; i++)
		if (list[i]->pid == pid)
			return list[i];
	return NULL;
}

static struct sampled sampled_process(const struct looked *p)
{
	struct sampled s = {
		.pid = p->pid, .tid = p->pid, .start_ns = p->start_ns, .execs = p->execs, .user = p->user
	};

	memcpy(s.comm, p->comm, sizeof(s.comm));
	memcpy(s.leader, p->comm, sizeof(s.leader));
	return s;
}

static void add(pid_t pid, const struct process *entry)
{
	_cleanup_free_ struct looked *p = calloc(1, sizeof(*p));
	struct process_now now;

	if (!p || count == LOOKED_MAX || process_now(pid, &now) || now.start_ns != entry->start_time)
		return;
	p->threads = calloc(LOOKED_THREADS_MAX, sizeof(*p->threads));
	if (!p->threads)
		return;
	p->pid = pid;
	p->start_ns = now.start_ns;
	p->image = now.image;
	p->execs = entry->exec_id;
	p->user = user_of(pid);
	memcpy(p->comm, now.comm, sizeof(p->comm));
	list[count++] = TAKE_PTR(p);
}

static void drop_threads(struct looked *p)
{
	for (unsigned int i = 0; i < p->count; i++)
		close(p->threads[i].s.hold.fd);
	p->count = p->listed = 0;
}

static void drop(unsigned int i)
{
	drop_threads(list[i]);
	free(list[i]->threads);
	free(list[i]);
	list[i] = list[--count];
}

void looked_sync(void)
{
	const __u32 n = shared_hash_all(processes, pids, entries);

	for (__u32 i = 0; i < n; i++)
		if (!find(pids[i]))
			add(pids[i], &entries[i]);
	for (unsigned int i = count; i-- > 0;)
		if (!sample_known(list[i]->pid))
			drop(i);
}

static void end(unsigned int i)
{
	struct sampled s = sampled_process(list[i]);

	for (unsigned int t = 0; t < list[i]->count; t++)
		sample_account(&list[i]->threads[t].s, 1);
	sample_exited(&s);
	drop(i);
}

/* It has begun another program. */
static void exec(struct looked *p, const struct process_now *now)
{
	struct sampled s;

	for (unsigned int t = 0; t < p->count; t++)
		sample_account(&p->threads[t].s, 1);
	drop_threads(p);
	p->execs++;
	p->image = now->image;
	memcpy(p->comm, now->comm, sizeof(p->comm));
	s = sampled_process(p);
	sample_execed(&s);
}

static void take_child(pid_t pid)
{
	struct process_now now;
	const struct looked *parent;
	struct sampled from, child;

	if (process_now(pid, &now))
		return;
	parent = find(now.parent);
	if (!parent || find(pid))
		return;
	from = sampled_process(parent);
	child = from;
	child.pid = child.tid = pid;
	child.start_ns = now.start_ns;
	child.user = user_of(pid);
	memcpy(child.comm, now.comm, sizeof(child.comm));
	memcpy(child.leader, now.comm, sizeof(child.leader));
	sample_forked(&from, &child);
	/* A fork leaves the addresses as they were. */
	if (now.image == parent->image)
		return;
	child.execs++;
	sample_execed(&child);
}

void looked_find_children(void)
{
	DIR *folder = opendir("/proc");
	const struct dirent *e;

	while (folder && (e = readdir(folder))) {
		const unsigned long pid = strtoul(e->d_name, NULL, 10);
		const bool is_new = pid && pid < seen_bits && !(seen[pid / 64] >> pid % 64 & 1);

		if (!is_new)
			continue;
		seen[pid / 64] |= 1ULL << pid % 64;
		take_child(pid);
	}
	if (folder)
		closedir(folder);
}

/* --- threads ------------------------------------------------------------------------------------------ */

static struct looked_thread *find_thread(struct looked *p, pid_t tid)
{
	for (unsigned int i = 0; i < p->count; i++)
		if (p->threads[i].s.tid == tid)
			return &p->threads[i];
	return NULL;
}

static void add_thread(struct looked *p, pid_t tid)
{
	struct looked_thread *t = &p->threads[p->count];
	const int fd = p->count < LOOKED_THREADS_MAX ? thread_open(p->pid, tid) : -1;

	if (fd < 0)
		return;
	*t = (struct looked_thread){ .s = sampled_process(p), .met = true };
	t->s.tid = tid;
	t->s.hold.fd = fd;
	p->count++;
	p->ids_asked = true;
	p->ids_searches = 0;
}

static void list_threads(struct looked *p, unsigned int threads)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t n = 0;
	bool more;

	if (p->listed == threads || proc_threads(p->pid, LOOKED_THREADS_MAX, &tids, &n, &more))
		return;
	for (unsigned int i = 0; i < p->count; i++)
		p->threads[i].met = false;
	for (size_t i = 0; i < n; i++) {
		struct looked_thread *t = find_thread(p, tids[i]);

		if (t)
			t->met = true;
		else
			add_thread(p, tids[i]);
	}
	for (unsigned int i = p->count; i-- > 0;) {
		if (p->threads[i].met)
			continue;
		sample_account(&p->threads[i].s, 1);
		close(p->threads[i].s.hold.fd);
		p->threads[i] = p->threads[--p->count];
	}
	p->listed = threads;
}

static bool ids_are_due(const struct looked *p, const struct process *entry)
{
	if (p->process != entry->id)
		return true;
	return p->ids_asked && clock_ns() - p->ids_at > IDS_PAUSE << p->ids_searches;
}

/* Finds out which thread state is whose. */
static void find_ids(struct looked *p, const struct process *entry)
{
	static struct thread_states states;
	static struct proc_thread met[LOOKED_THREADS_MAX];

	if (entry->state != PROCESS_PYTHON || !entry->runtime || entry->layout >= LAYOUTS_MAX ||
	    !ids_are_due(p, entry))
		return;
	p->ids_at = clock_ns();
	p->process = entry->id;
	p->ids_asked = false;
	p->ids_searches += p->ids_searches < IDS_PAUSE_DOUBLES;
	for (unsigned int i = 0; i < p->count; i++)
		met[i] = (struct proc_thread){ .tid = p->threads[i].s.tid, .own_tid = p->threads[i].s.tid };
	if (thread_states_read(&states, p->pid, &layouts[entry->layout], entry->runtime))
		return;
	thread_states_match(&states, met, p->count);
	for (unsigned int i = 0; i < p->count; i++) {
		const struct thread_state *s = thread_states_of(&states, p->threads[i].s.tid);

		p->threads[i].s.thread_id = s ? s->id : 0;
	}
}

/* --- looks -------------------------------------------------------------------------------------------- */

static bool take_thread(struct looked *p, struct looked_thread *t)
{
	struct thread_runs r;
	int outcome;

	if (thread_runs(t->s.hold.fd, &r)) {
		p->listed = 0; /* it has ended, and another one may have begun */
		return false;
	}
	if (r.ns == t->runs.ns && r.runs == t->runs.runs && !t->has_cpu)
		return false;
	t->runs = r;
	t->s.cpu_ns = r.ns;
	t->s.execs = p->execs;
	t->has_cpu = thread_take(&t->s.hold, p->pid, t->s.tid, t->s.comm) != THREAD_WITHOUT;
	if (!t->has_cpu)
		return false;
	outcome = sample_take(&t->s);
	if (outcome == OUTCOME_NO_THREAD_STATE || outcome == OUTCOME_C_THREAD)
		p->ids_asked = true; /* its thread state may be new */
	return true;
}

/* Whether it is still there. */
static bool take_process(struct looked *p, unsigned int *taken)
{
	const __u64 clock = process_clock(p->pid);
	const struct process *entry = sample_known(p->pid);
	struct process_now now;

	/* It moves on only when the kernel counts, which may be after milliseconds for one that runs. */
	if (clock == p->clock && clock && !p->ran)
		return true;
	if (process_now(p->pid, &now) || now.start_ns != p->start_ns || now.state == 'Z' || now.state == 'X')
		return false;
	p->clock = clock;
	p->ran = false;
	memcpy(p->comm, now.comm, sizeof(p->comm));
	if (now.image && now.image != p->image) {
		if (p->image)
			exec(p, &now);
		p->image = now.image;
	}
	list_threads(p, now.threads);
	if (entry)
		find_ids(p, entry);
	for (unsigned int i = 0; i < p->count; i++) {
		memcpy(p->threads[i].s.leader, p->comm, sizeof(p->comm));
		if (take_thread(p, &p->threads[i])) {
			p->ran = true;
			++*taken;
		}
	}
	return true;
}

unsigned int looked_take(void)
{
	unsigned int taken = 0;

	for (unsigned int i = count; i-- > 0;)
		if (!take_process(list[i], &taken))
			end(i);
	return taken;
}

void looked_account(void)
{
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int t = 0; t < list[i]->count; t++) {
			struct looked_thread *at = &list[i]->threads[t];
			struct thread_runs r;

			if (!thread_runs(at->s.hold.fd, &r))
				at->s.cpu_ns = r.ns;
			sample_account(&at->s, 0);
		}
}

// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/thread_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "hosted/area.h"
#include "proc/thread.h"
#include "remote/thread_states.h"

/* Between two searches for whose the thread states are; it doubles as long as there is no new thread. */
#define IDS_PAUSE	  NS_PER_MS
#define IDS_PAUSE_DOUBLES 9

#define ROOM_MIN 8 /* threads */

static const struct layout *layouts;

/* Each thread has a descriptor. */
static int allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	kept_files_begin();
	return 0;
}

int thread_list_open(const struct area *a)
{
	const struct area_table *l = area_find(a, "layouts");

	if (!l)
		return -EINVAL;
	layouts = (void *)(a->base + l->offset);
	return allow_descriptors();
}

struct sampled thread_list_leader(const struct looked *p)
{
	struct sampled s = {
		.pid = p->pid,
		.tid = p->pid,
		.start_ns = p->start_ns,
		.began_ns = p->start_ns,
		.execs = p->execs,
		.user = p->user,
	};

	memcpy(s.comm, p->comm, sizeof(s.comm));
	memcpy(s.leader, p->comm, sizeof(s.leader));
	return s;
}

void thread_list_drop(struct looked *p)
{
	for (unsigned int i = 0; i < p->count; i++)
		thread_close(&p->threads[i].s.hold);
	free(p->threads);
	p->threads = NULL;
	p->count = p->room = p->listed = 0;
}

static void account(struct looked_thread *t)
{
	struct thread_runs r;

	if (thread_runs(t->s.hold.fd, &r))
		return;
	t->s.cpu_ns = r.ns;
	if (!sample_is_of_wall() || r.ns != t->runs.ns || r.runs != t->runs.runs || t->has_cpu)
		return; /* where it is now is for a look to find out */
	wall_rests(t, &r, clock_ns());
}

void thread_list_account(struct looked *p, int last)
{
	for (unsigned int i = 0; i < p->count; i++) {
		struct looked_thread *t = &p->threads[i];

		if (!last)
			account(t);
		else if (sample_is_of_wall())
			wall_end(t);
		sample_account(&t->s, last);
	}
}

static struct looked_thread *find_thread(struct looked *p, pid_t tid)
{
	for (unsigned int i = 0; i < p->count; i++)
		if (p->threads[i].s.tid == tid)
			return &p->threads[i];
	return NULL;
}

static bool has_room(struct looked *p)
{
	const unsigned int room = p->room ? 2 * p->room : ROOM_MIN;
	struct looked_thread *threads;

	if (p->count < p->room)
		return true;
	threads = room <= LOOKED_THREADS_MAX ? reallocarray(p->threads, room, sizeof(*threads)) : NULL;
	if (!threads)
		return false;
	p->threads = threads;
	p->room = room;
	return true;
}

static void add(struct looked *p, pid_t tid)
{
	const int fd = has_room(p) ? thread_open(p->pid, tid) : -1;
	struct looked_thread *t;

	if (fd < 0)
		return;
	t = &p->threads[p->count++];
	*t = (struct looked_thread){ .s = thread_list_leader(p), .met = true };
	t->s.tid = tid;
	t->s.began_ns = thread_began(p->pid, tid);
	t->s.hold.fd = fd;
	p->ids_asked = true;
	p->ids_searches = 0;
}

void thread_list_follow(struct looked *p, unsigned int threads)
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
			add(p, tids[i]);
	}
	for (unsigned int i = p->count; i-- > 0;) {
		if (p->threads[i].met)
			continue;
		if (sample_is_of_wall())
			wall_end(&p->threads[i]);
		sample_account(&p->threads[i].s, 1);
		thread_close(&p->threads[i].s.hold);
		p->threads[i] = p->threads[--p->count];
	}
	p->listed = threads;
}

static bool has_thread_states(const struct process *entry)
{
	return entry->state == PROCESS_PYTHON && entry->runtime && entry->layout < LAYOUTS_MAX;
}

static bool ids_are_due(const struct looked *p, const struct process *entry)
{
	if (p->process != entry->id)
		return true;
	return p->ids_asked && clock_ns() - p->ids_at > IDS_PAUSE << p->ids_searches;
}

bool thread_list_asks(const struct looked *p, const struct process *entry)
{
	return entry && p->ids_asked && has_thread_states(entry) && ids_are_due(p, entry);
}

void thread_list_find_ids(struct looked *p, const struct process *entry)
{
	static struct thread_states states;
	static struct proc_thread met[LOOKED_THREADS_MAX];
	__u64 none;

	if (!has_thread_states(entry) || !ids_are_due(p, entry))
		return;
	p->ids_at = clock_ns();
	p->process = entry->id;
	p->ids_asked = false;
	p->ids_searches += p->ids_searches < IDS_PAUSE_DOUBLES;
	for (unsigned int i = 0; i < p->count; i++)
		met[i] = (struct proc_thread){ .tid = p->threads[i].s.tid,
					       .own_tid = proc_thread_own_tid(p->pid, p->threads[i].s.tid) };
	if (thread_states_read(&states, p->pid, &layouts[entry->layout], entry->runtime)) {
		p->ids_asked = true;
		return;
	}
	thread_states_match(&states, met, p->count);
	none = thread_states_are_all(&states) ? THREAD_ID_OF_NONE : 0;
	for (unsigned int i = 0; i < p->count; i++) {
		const struct thread_state *s = thread_states_of(&states, met[i].own_tid);

		/* A thread keeps what it is called for life, though it may have no thread state now. */
		if (s || !p->threads[i].s.thread_id || p->threads[i].s.thread_id == THREAD_ID_OF_NONE)
			sample_set_state(&p->threads[i].s, s ? s->id : none, s);
	}
}

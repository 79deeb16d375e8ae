// SPDX-License-Identifier: GPL-2.0-only
#include "remote/look.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/socket_name.h"
#include "python/target_walk.h"
#include "remote/task_object.h"
#include "remote/thread_states.h"

#include "bpf/python/musl.h"

#define ATTEMPTS  8    /* to see a stack of one moment */
#define RUNTIME_GIL_BYTES 2048 /* of _PyRuntime, somewhere in which it is in 3.7 */
#define VERSION_3_7 0x03070000

/* The state of one look. */
struct process_look {
	pid_t pid;
	const struct layout *layout;
	__u64 runtime;
	struct proc_thread *met; /* the threads of the process */
	size_t met_count;
	struct thread_states states;
	struct task_reader reader; /* at.task_size is 0 where asyncio's tasks cannot be read */
	struct walk walk, last;	   /* last: the walk before */
	__u8 tstate[TARGET_TSTATE_BYTES];
	struct buf threads, frames, names;
	__u32 frame_count;
	bool more;
};

/* --- a stack -------------------------------------------------------------------------------------------- */

/* Walks once. Returns the enum look_end. */
static enum look_end walk_once(struct process_look *k, __u64 tstate)
{
	k->walk.max_depth = DEPTH_LIMIT - 1;
	switch (target_walk_thread(&k->walk, k->layout, tstate, k->tstate)) {
	case TARGET_WHOLE:
		return LOOK_WHOLE;
	case TARGET_NO_FRAMES:
		return LOOK_NO_FRAMES;
	case TARGET_DEEP:
		return LOOK_DEEP;
	case TARGET_BROKEN:
		break;
	}
	return LOOK_BROKEN;
}

/*
 * Keeps of the walk the callers, from the root on, that the one before found too. The first frame that has
 * only gone on to another instruction is one of them; what it calls now has another caller than before.
 */
static void keep_common(struct walk *w, const struct walk *last)
{
	bool went_on = false;
	__u32 same = 0;

	while (same < w->depth && same < last->depth && !went_on) {
		const struct frame *now = &w->frames[w->depth - 1 - same];
		const struct frame *then = &last->frames[last->depth - 1 - same];

		if (now->address != then->address || now->code != then->code)
			break;
		went_on = now->instr != then->instr;
		same++;
	}
	memmove(w->frames, w->frames + w->depth - same, same * sizeof(w->frames[0]));
	w->depth = same;
}

static void remember(struct process_look *k)
{
	k->last.depth = k->walk.depth;
	memcpy(k->last.frames, k->walk.frames, k->walk.depth * sizeof(k->walk.frames[0]));
}

static bool has_run(const struct proc_thread *a, const struct proc_thread *b)
{
	return a->state == 'R' || b->state == 'R' || !b->runs || a->runs != b->runs;
}

/* The thread that holds the GIL now; 0 = none, or it is not known. */
static pid_t find_gil_holder(const struct process_look *k, const struct thread_state *of)
{
	const __u64 holder = thread_states_gil_holder(of, k->layout, k->runtime);
	pid_t own_tid = 0;

	for (size_t i = 0; holder && i < k->states.count; i++)
		if (k->states.list[i].address == holder)
			own_tid = k->states.list[i].own_tid;
	for (size_t i = 0; own_tid && i < k->met_count; i++)
		if (k->met[i].own_tid == own_tid)
			return k->met[i].tid;
	return 0;
}

/* A task may end meanwhile: its name counts if the thread runs the same one before and after. */
static void name_task(struct process_look *k, struct look_thread *t, const struct thread_state *s)
{
	struct task_reader *r = &k->reader;
	__u64 task = 0, again = 0;

	t->task_address = 0;
	t->task[0] = '\0';
	r->reads = 0;
	if (!r->at.task_size || task_object_running(r, s->address, &task) || !task)
		return;
	if (task_object_name(r, task, t->task) || task_object_running(r, s->address, &again) || again != task)
		t->task[0] = '\0';
	else
		t->task_address = task;
}

/* Walks until the thread was seen not to run meanwhile. Else what two walks agree on is kept. */
static enum look_end walk_thread(struct process_look *k, struct look_thread *t, const struct thread_state *s)
{
	enum look_end end = LOOK_BROKEN, before = LOOK_BROKEN;
	struct proc_thread thread = t->thread;

	t->runs = 1;
	for (int i = 0; i < ATTEMPTS && t->runs; i++) {
		if (i)
			remember(k);
		before = end;
		end = walk_once(k, s->address);
		t->gil_holder = find_gil_holder(k, s);
		name_task(k, t, s);
		if (proc_thread_read(k->pid, thread.tid, &thread))
			return LOOK_NO_STATE;
		t->runs = has_run(&t->thread, &thread);
		t->thread = thread;
		if (t->runs && i && end == before && (end == LOOK_WHOLE || end == LOOK_NO_FRAMES))
			break;
	}
	if (t->runs && end == LOOK_WHOLE)
		keep_common(&k->walk, &k->last);
	return end;
}

static int add_walk(struct process_look *k, struct look_thread *t)
{
	struct walk *w = &k->walk;
	__u32 count = w->depth, room = LOOK_FRAMES_MAX - k->frame_count;
	int err = 0;

	k->more |= count > room;
	count = count < room ? count : room;
	t->first = k->frame_count;
	for (__u32 i = 0; i < count && !err; i++) {
		const struct frame *from = &w->frames[i];
		const struct look_frame f = { from->code, target_instruction(k->layout, from), 0 };

		err = buf_add(&k->frames, &f, sizeof(f));
	}
	t->count = count;
	k->frame_count += count;
	return err;
}

/* --- what a thread waits for ---------------------------------------------------------------------------- */

/* Whether it sleeps in a futex that is part of the GIL: of its condition or its mutex. */
static bool waits_for_gil(struct process_look *k, const struct proc_thread *t, const struct thread_state *s)
{
	__u64 words[GIL_BYTES / sizeof(__u64)];
	const struct layout *l = k->layout;
	__u64 begin = s->gil, bytes = GIL_BYTES;

	if (t->syscall != SYS_futex)
		return false;
	if (!begin && l->runtime_tstate && l->version >= VERSION_3_7) { /* 3.7: it is not known where */
		begin = k->runtime;
		bytes = RUNTIME_GIL_BYTES;
	}
	if (begin && t->arguments[0] - begin < bytes)
		return true;
	return s->gil && musl_lists(&k->walk, words, s->gil, t->arguments[0]);
}

/* The descriptor that a system call is about; -1 = none, or not known. */
static int descriptor_of(const struct proc_thread *t)
{
	static const int first_argument[] = {
		SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_recvfrom,
		SYS_sendto, SYS_recvmsg, SYS_sendmsg, SYS_accept, SYS_accept4, SYS_connect, SYS_ioctl,
		SYS_flock, SYS_fsync, SYS_fdatasync, SYS_fcntl, SYS_getdents64, SYS_ftruncate,
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
		SYS_epoll_pwait,
	};
	struct pollfd first = { .fd = -1 };

	for (size_t i = 0; i < ARRAY_SIZE(first_argument); i++)
		if (t->syscall == first_argument[i])
			return (int)t->arguments[0];
#ifdef SYS_poll
	if (t->syscall == SYS_poll && t->arguments[1])
		mem_read(&first, sizeof(first), t->arguments[0]);
#endif
	if (t->syscall == SYS_ppoll && t->arguments[1])
		mem_read(&first, sizeof(first), t->arguments[0]);
	return first.fd;
}

static void find_file(const struct process_look *k, struct look_thread *t)
{
	unsigned long long inode;
	char path[64];
	ssize_t n;

	t->fd = descriptor_of(&t->thread);
	if (t->fd < 0) {
		t->fd = -1;
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", k->pid, t->fd);
	n = readlinkat(AT_FDCWD, path, t->file, sizeof(t->file) - 1);
	t->file[n > 0 ? n : 0] = '\0';
	if (sscanf(t->file, "socket:[%llu]", &inode) == 1)
		socket_name(k->pid, inode, t->file, sizeof(t->file));
}

/* --- all threads ---------------------------------------------------------------------------------------- */

/* What the program calls it, if it has not told the kernel: called_shown() of names/called.h has the rule. */
static void find_name(const struct process_look *k, struct look_thread *t)
{
	const struct thread_name *names = (const void *)k->names.data;
	const char *of_process = t->thread.name;

	for (size_t i = 0; i < k->met_count; i++)
		if (k->met[i].tid == k->pid)
			of_process = k->met[i].name;
	if (t->thread.tid == k->pid || strcmp(t->thread.name, of_process))
		return;
	for (size_t i = 0; i < k->names.size / sizeof(*names); i++)
		if (names[i].tid == t->thread.tid)
			memcpy(t->called, names[i].name, sizeof(t->called));
}

static int look_at_thread(struct process_look *k, const struct proc_thread *thread)
{
	const struct thread_state *s = thread_states_of(&k->states, thread->own_tid);
	struct look_thread t = { .thread = *thread, .end = LOOK_NO_STATE, .fd = -1 };
	int err;

	k->walk.depth = 0;
	if (s)
		t.end = walk_thread(k, &t, s);
	else if (thread_states_are_all(&k->states))
		t.end = LOOK_C_THREAD;
	t.seen_ns = clock_ns();
	/* The frames of a thread that waits now, but ran in between, are of two moments. */
	if (t.runs && t.thread.state != 'R')
		t.gil_holder = 0;
	else if (t.gil_holder == thread->tid)
		t.gil = LOOK_GIL_HOLDS;
	else if (s && waits_for_gil(k, &t.thread, s))
		t.gil = LOOK_GIL_WAITS;
	find_file(k, &t);
	find_name(k, &t);
	err = add_walk(k, &t);
	return err ?: buf_add(&k->threads, &t, sizeof(t));
}

/* Threads that have ended meanwhile are left out. */
static int read_threads_met(struct process_look *k)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t count;
	int err = proc_threads(k->pid, LOOK_THREADS_MAX, &tids, &count, &k->more);

	if (err)
		return err;
	k->met = calloc(count, sizeof(*k->met));
	if (!k->met)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		k->met_count += !proc_thread_read(k->pid, tids[i], &k->met[k->met_count]);
	return k->met_count ? 0 : -ESRCH;
}

static int look_at_process(struct process_look *k, pid_t memory)
{
	int err = read_threads_met(k);

	target_memory_choose(memory);
	err = err ?: thread_states_read(&k->states, memory, k->layout, k->runtime);
	if (err)
		return err;
	thread_states_match(&k->states, k->met, k->met_count);
	/* Without names the threads are shown all the same. */
	thread_names_read(memory, k->layout, k->runtime, &k->states, k->met, k->met_count, &k->names);
	for (size_t i = 0; i < k->met_count && !err; i++)
		err = look_at_thread(k, &k->met[i]);
	return err;
}

static int put_look_together(const struct process_look *k, struct buf *out)
{
	const struct look head = {
		.threads = (__u32)k->met_count, .frames = k->frame_count, .more = k->more
	};
	int err = buf_reserve(out, sizeof(head) + k->threads.size + k->frames.size);

	err = err ?: buf_add(out, &head, sizeof(head));
	err = err ?: buf_add(out, k->threads.data, k->threads.size);
	return err ?: buf_add(out, k->frames.data, k->frames.size);
}

int look_at_threads(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
		    struct buf *out)
{
	struct process_look *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->pid = pid;
	k->layout = layout;
	k->runtime = runtime;
	if (asyncio && task_reader_begin(&k->reader, memory, layout, runtime, asyncio))
		k->reader.at.task_size = 0;
	err = look_at_process(k, memory) ?: put_look_together(k, out);
	buf_free(&k->threads);
	buf_free(&k->frames);
	buf_free(&k->names);
	free(k->met);
	free(k);
	return err;
}

static bool is_sane_look_thread(const struct look_thread *t, __u32 frames)
{
	return t->first <= frames && t->count <= frames - t->first && t->end < LOOK_ENDS &&
	       t->gil <= LOOK_GIL_WAITS && memchr(t->file, '\0', sizeof(t->file)) &&
	       memchr(t->thread.name, '\0', sizeof(t->thread.name)) &&
	       memchr(t->task, '\0', sizeof(t->task)) && memchr(t->called, '\0', sizeof(t->called));
}

int look_parse(void *bytes, size_t size, const struct look **ret, struct look_thread **ret_threads,
	       const struct look_frame **ret_frames)
{
	struct look *l = bytes;
	struct look_thread *threads = (void *)(l + 1);

	if (size < sizeof(*l) || l->threads > LOOK_THREADS_MAX || l->frames > LOOK_FRAMES_MAX ||
	    size != sizeof(*l) + l->threads * sizeof(*threads) + l->frames * sizeof(struct look_frame))
		return -EBADMSG;
	for (__u32 i = 0; i < l->threads; i++)
		if (!is_sane_look_thread(&threads[i], l->frames))
			return -EBADMSG;
	*ret = l;
	*ret_threads = threads;
	*ret_frames = (const void *)(threads + l->threads);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample.c - see sample.h. The sampler is what the kernel runs elsewhere, compiled for the host. Beside it
 * stands what the kernel's home has no need of: the proof that a stack is of one moment.
 *
 * A thread that runs changes its frames while they are read. So it is looked at while it has no CPU, because
 * we have taken that (threads.h), and afterwards the kernel is asked whether it was given one meanwhile. If
 * it was, nothing that was read counts: what the sample has found out is forgotten, and it ends as [moved].
 */
#include "hosted/sample.h"

#include "hosted/area.h"
#include "hosted/memory.h"
#include "remote/thread_states.h"

static int mem_read(void *dst, unsigned int size, unsigned long long address)
{
	return memory_read(dst, size, address);
}

#include "hosted/host.h"

struct scratch;
struct thread;
struct layout;
struct cpu_stats;
static void know_state(struct thread *t, __u64 now);
static int settle_outcome(struct scratch *s, struct cpu_stats *count, enum event_kind kind, struct thread *t,
			  const struct layout *l, int outcome);

#define IN_VAIN_MAX 16 /* looks at a sleeper, until what is not whole is taken for all that there is */
#define thread_state_hint(t, now) know_state(t, now)
#define sample_of_one_moment(s, count, kind, t, l, outcome) (settle_outcome(s, count, kind, t, l, outcome))

/* The kernel side is compiled with fewer warnings: a parameter may have the name of a map, or no use. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/abi.h"
#include "bpf/data/maps.h"
#include "bpf/events/account.h"
#include "bpf/sample/lifecycle.h"
#include "bpf/sample/sampler.h"
#pragma GCC diagnostic pop

_Static_assert(sizeof(struct account) == sizeof(((struct sampled *)0)->account), "there is room for it");

/* --- one moment --------------------------------------------------------------------------------------- */

static const struct sampled *sampled;
static __u64 mismatches; /* cpu_stats.cache_mismatch before the sample */

/* A sample of this thread begins. */
static void begin(struct sampled *t, const struct cpu_stats *count)
{
	memory_begin(t->tid, &t->places);
	sampled = t;
	mismatches = count->cache_mismatch;
	host_hold_records();
}

/*
 * A thread that is looked at for the first time: a search of its own would read as many thread states as
 * there are threads, for each of them, and what it reads costs more than in the kernel.
 */
static void know_state(struct thread *t, __u64 now)
{
	if (t->tstate || t->misses || !sampled->tstate)
		return;
	t->tstate = sampled->tstate;
	t->interp = sampled->interp;
	t->searched = now;
}

/* What the sample was the first to send is sent again by the next one that meets it. */
static void forget_codes(struct thread *t)
{
	for (unsigned int i = 0; i < host_held.count; i++) {
		const __u32 index = host_held.codes[i];
		struct code *c = bpf_map_lookup_elem(&codes, &index);

		if (c)
			c->state = 0;
	}
	memset(t->known, 0, sizeof(t->known));
}

/* It has been read before, and may not be any more: the profiler is to find out why. */
static void ask_again(void)
{
	const __u32 key = host_task->tgid;
	struct process *p = bpf_map_lookup_elem(&processes, &key);

	if (!p)
		return;
	p->state = PROCESS_WANTED;
	p->check_after = 0;
	__sync_fetch_and_add(&processes_stamp, 1);
}

static int settle_outcome(struct scratch *s, struct cpu_stats *count, enum event_kind kind, struct thread *t,
			  const struct layout *l, int outcome)
{
	const bool refused = memory_refused();

	if (refused)
		ask_again();
	else if (outcome == OUTCOME_NO_LAYOUT || thread_is_held(&sampled->hold))
		return outcome;
	host_drop_records();
	forget_codes(t);
	t->cache.depth = 0;
	s->walk.depth = s->walk.python = 0;
	if (s->who.learned)
		s->who.known.self_below = 0;
	count->cache_mismatch = mismatches; /* with --cache check: two walks, and it ran between them */
	s->code.unsettled = s->code.no_epoch = s->who.learned = 0;
	attributes_begin(s);
	if (refused)
		return OUTCOME_FORBIDDEN;
	return count_plain(s, count, kind, t, l, t->roots[kind].node, OUTCOME_MOVED);
}

/* --- tasks -------------------------------------------------------------------------------------------- */

static bool area_of_wall;
static struct task_struct leader, task;
static struct host_mm mm;

/* The task of a thread; that of its main thread stands beside it. */
static struct task_struct *make(struct sampled *t, struct task_struct *of, struct task_struct *main)
{
	*main = (struct task_struct){
		.pid = t->pid,
		.tgid = t->pid,
		.start_boottime = t->start_ns,
		.self_exec_id = t->execs,
		.group_leader = main,
		.mm = &mm,
		.user = t->user,
	};
	memcpy(main->comm, t->leader, sizeof(main->comm));
	*of = *main;
	of->pid = t->tid;
	of->start_boottime = t->began_ns;
	of->thread_pointer = t->thread_id;
	of->se.sum_exec_runtime = t->cpu_ns;
	of->account = (struct account *)t->account;
	memcpy(of->comm, t->comm, sizeof(of->comm));
	host_task = of;
	return of;
}

const struct process *sample_known(pid_t pid)
{
	const __u32 key = pid;

	return bpf_map_lookup_elem(&processes, &key);
}

bool sample_is_of_all(void)
{
	return opt_all;
}

bool sample_is_stranger(const struct process *p)
{
	return opt_all && p && (process_is_other(p->state) || p->state == PROCESS_EXCLUDED);
}

void sample_ask(struct sampled *t, const struct process *p)
{
	__u32 zero = 0;
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &zero);

	make(t, &task, &leader);
	process_ask(count, &task, p);
}

void sample_thinned(unsigned int looks)
{
	__u32 zero = 0;
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &zero);

	count->ticks_thinned += looks;
}

void sample_no_room(void)
{
	count_here(__builtin_offsetof(struct cpu_stats, processes_full));
}

bool sample_is_without_state(int outcome)
{
	return outcome == OUTCOME_NO_THREAD_STATE || outcome == OUTCOME_C_THREAD;
}

/* After searches that found nothing there is a pause (bpf/python/thread.h). */
static void end_pause(const struct sampled *t, enum event_kind kind)
{
	const __u32 first = thread_first(t->tid | (__u32)kind << 24);

	for (__u32 i = 0; i < THREAD_WAYS; i++) {
		const __u32 index = first + i;
		struct thread *of = bpf_map_lookup_elem(&threads, &index);

		if (of && of->tid == (t->tid | (__u32)kind << 24) && of->start_time == t->began_ns)
			of->misses = 0;
	}
}

void sample_set_state(struct sampled *t, __u64 thread_id, const struct thread_state *state)
{
	t->tstate = state ? state->address : 0;
	t->interp = state ? state->interp : 0;
	if (t->thread_id == thread_id)
		return;
	t->thread_id = thread_id;
	t->place = (struct sampled_place){ 0 };
	t->in_vain = 0;
	end_pause(t, EVENT_CPU);
	end_pause(t, EVENT_OFFCPU);
}

int sample_take(struct sampled *t, unsigned int weight)
{
	__u32 zero = 0;
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &zero);
	__u64 before[OUTCOME_COUNT];

	make(t, &task, &leader);
	begin(t, count);
	memcpy(before, count->outcome[EVENT_CPU], sizeof(before));
	sample(EVENT_CPU, weight);
	host_send_records();
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (count->outcome[EVENT_CPU][i] != before[i])
			return i;
	return OUTCOME_COUNT;
}

/* --- time off the CPU --------------------------------------------------------------------------------- */

bool sample_is_of_wall(void)
{
	return area_of_wall;
}

static __u32 generation_now(void)
{
	return *(volatile __u32 *)&tree_generation;
}

/* Its stack, below the roots of waits. Returns an enum outcome. */
static int take_wait(struct sampled *t, struct scratch *s, struct cpu_stats *count)
{
	int outcome;

	make(t, &task, &leader);
	begin(t, count);
	outcome = sample_task(s, count, EVENT_OFFCPU);
	host_send_records();
	count->waits_seen++;
	return outcome;
}

static bool is_of_waits(int outcome)
{
	return outcome < OUTCOME_COUNT && outcome_rows[outcome].group & event_rows[EVENT_OFFCPU].books;
}

bool sample_asleep_again(struct sampled *t, __u64 ns)
{
	const struct process *p = sample_known(t->pid);
	__u32 zero = 0;

	if (!t->place.node || t->place.generation != generation_now() || !p || p->id != t->place.process)
		return false;
	sample_end(bpf_map_lookup_elem(&stats, &zero), EVENT_OFFCPU, t->place.node, t->place.outcome, ns);
	return true;
}

bool sample_asleep(struct sampled *t, int syscall, __u64 ns)
{
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &zero);
	const int outcome = take_wait(t, s, count);

	t->place = (struct sampled_place){ 0 };
	if (!is_of_waits(outcome))
		return false;
	if (outcome_is_in_profile(outcome) && outcome != OUTCOME_TABLE_FULL && outcome != OUTCOME_MOVED) {
		if (syscall >= 0)
			native_intern(s, count, TEXT_SYSCALLS + (syscall < TEXT_SYSCALLS_MAX ? syscall :
								 TEXT_SYSCALLS_MAX - 1));
		/* What is not whole may be so the next time, though the thread has not run: more is known. */
		t->in_vain = outcome == OUTCOME_WHOLE ? 0 : t->in_vain + 1;
		if (!t->in_vain || t->in_vain > IN_VAIN_MAX)
			t->place = (struct sampled_place){
				s->tree.node, s->tree.generation, s->who.process, outcome
			};
	}
	sample_end(count, EVENT_OFFCPU, s->tree.node, outcome, ns);
	return !t->place.node && sample_is_without_state(outcome);
}

void sample_queued(struct sampled *t, __u64 ns)
{
	__u32 zero = 0, node;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &zero);
	int outcome = take_wait(t, s, count);

	if (!is_of_waits(outcome))
		return;
	node = outcome_is_in_profile(outcome) ?
		       wait_cause(count, s->tree.bank, s->tree.node, WAIT_PREEMPTED) : 0;
	if (outcome_is_in_profile(outcome) && !node) {
		outcome = OUTCOME_TABLE_FULL;
		node = EVENT_RUNQUEUE;
	}
	sample_end(count, EVENT_RUNQUEUE, node, outcome, ns);
}

void sample_unseen(struct sampled *t, __u64 asleep_ns, __u64 queued_ns)
{
	const struct process *p = sample_known(t->pid);
	struct wait w = { .began = t->began_ns, .tid = t->tid };
	__u32 zero = 0;
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &zero);

	if (!p || !process_is_counted(p->state))
		return;
	w.process = p->id;
	memcpy(w.comm, opt_by_thread ? t->comm : t->leader, sizeof(w.comm));
	if (asleep_ns)
		wait_mark(count, &w, WAIT_ASLEEP, OUTCOME_UNSEEN, asleep_ns);
	if (queued_ns)
		wait_mark(count, &w, WAIT_QUEUED, OUTCOME_UNSEEN, queued_ns);
}

/* --- accounts ----------------------------------------------------------------------------------------- */

void sample_account(struct sampled *t, int last)
{
	make(t, &task, &leader);
	if (last)
		account_end(&task, 0);
	else
		account_list(&task);
}

void sample_forked(struct sampled *parent, struct sampled *child)
{
	static struct task_struct parent_task, parent_leader;

	make(parent, &parent_task, &parent_leader);
	make(child, &task, &leader);
	on_fork(&parent_task, &task);
}

void sample_execed(struct sampled *t)
{
	on_exec(make(t, &task, &leader));
}

void sample_exited(struct sampled *t)
{
	static __typeof__(*task.signal) nobody;

	make(t, &task, &leader);
	task.signal = &nobody;
	on_exit(&task);
}

/* --- tables ------------------------------------------------------------------------------------------- */

#define BIND(name)                                                                                    \
	do {                                                                                          \
		const struct area_table *t_ = area_find(a, #name);                                    \
		name.type = t_ && t_->is_hash ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_ARRAY;               \
		name.value = t_ ? (void *)(a->base + t_->offset) : NULL;                              \
		name.max_entries = t_ ? (int)t_->entries : 0;                                         \
	} while (0)

static void bind_tables(const struct area *a)
{
	BIND(nodes);
	BIND(codes);
	BIND(owners);
	BIND(stats);
	BIND(processes);
	BIND(known_programs);
	BIND(shares);
	BIND(layouts);
	BIND(task_layouts);
	BIND(contexts);
	BIND(threads);
	BIND(native_caches);
	BIND(scratches);
	BIND(notices);
	BIND(journals);
	BIND(texts);
	BIND(native_asked);
	BIND(spans_told);
}

void sample_open(const struct area *a)
{
	host_area = *a;
	area_of_wall = a->control->wall;
	host_bind_variables(a->bss);
#define OPTION(type, name, begin, from, help) opt_##name = a->rodata->opt_##name;
#include "bpf/data/options.def"
#undef OPTION
	bind_tables(a);
}

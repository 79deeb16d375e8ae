// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample.c - see sample.h. The sampler is what the kernel runs elsewhere, compiled for the host. Beside it
 * stands what the kernel's home has no need of: the proof that a stack is of one moment.
 *
 * A thread that runs changes its frames while they are read. So all of a stack is read three times, each time
 * by one call, once a first walk has found out what that is. A frame that had the same address, code object
 * and instruction in two walks was there at the moment between them, unless it had gone and an equal one was
 * called in both gaps. Three walks make that rare. Of the leaf the
 * instruction need not agree. Where the walks go on to differ, what the last two have in common from the root
 * on is kept, below [moved].
 */
#include "hosted/sample.h"

#include "hosted/area.h"
#include "hosted/memory.h"

static int mem_read(void *dst, unsigned int size, unsigned long long address)
{
	return memory_read(dst, size, address);
}

#include "hosted/host.h"

struct scratch;
struct layout;
static int settle(struct scratch *s, const struct layout *l, int outcome);

#define stack_of_one_moment(s, l, outcome) (settle(s, l, outcome))

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

/* --- two walks ---------------------------------------------------------------------------------------- */

#define WALKS	6 /* of one look, at most: the first one only says what is to be read */
#define AGREE	3 /* so many in a row are to be alike */

static struct frame first[DEPTH_LIMIT];

static bool is_same(const struct frame *a, const struct frame *b, bool is_leaf)
{
	return a->address == b->address && a->code == b->code && (is_leaf || a->instr == b->instr);
}

/* How many frames both walks have in common from the root on; the second one is in s->walk. */
static __u32 common(const struct scratch *s, __u32 depth)
{
	const __u32 other = s->walk.depth, most = depth < other ? depth : other;
	__u32 n = 0;

	while (n < most && is_same(&first[depth - 1 - n], &s->walk.frames[other - 1 - n],
				   n + 1 == depth && n + 1 == other))
		n++;
	return n;
}

/* Between the walks: code objects that both will have found. */
static void keep_codes(const struct scratch *s, const struct layout *l)
{
	static __u64 met[MEMORY_KEPT];
	unsigned int count = 0;

	for (__u32 i = 0; i < s->walk.depth && count < MEMORY_KEPT; i++) {
		const __u64 code = s->walk.frames[i].code;
		bool have = !code;

		for (unsigned int j = count; !have && j-- > 0 && j + 8 > count;)
			have = met[j] == code;
		if (!have)
			met[count++] = code;
	}
	memory_keep(met, count, l->code_size);
}

/* Keeps the frames nearest to the root. */
static void cut(struct walk *w, __u32 depth)
{
	memmove(w->frames, w->frames + (w->depth - depth), depth * sizeof(w->frames[0]));
	w->depth = w->python = depth;
}

static int settle(struct scratch *s, const struct layout *l, int outcome)
{
	int alike = 0;

	for (int walk = 2; s->walk.depth && walk <= WALKS; walk++) {
		const __u32 depth = s->walk.depth;
		const int before = outcome;
		__u32 same;

		memcpy(first, s->walk.frames, depth * sizeof(first[0]));
		keep_codes(s, l);
		memory_fetch();
		if (tstate_read(s, l, s->tstate_at))
			return OUTCOME_NO_THREAD_STATE;
		outcome = walk_thread(s, l);
		same = common(s, depth);
		if (walk > 2 && outcome == before && same == depth && same == s->walk.depth)
			alike++;
		else
			alike = 0;
		if (alike == AGREE - 1)
			break;
		if (walk < WALKS)
			continue;
		if (before == OUTCOME_WHOLE && outcome == OUTCOME_WHOLE) /* both reach the root */
			cut(&s->walk, same);
		else
			s->walk.depth = s->walk.python = 0;
		outcome = OUTCOME_MOVED;
	}
	memory_serve();
	return outcome;
}

/* --- tasks -------------------------------------------------------------------------------------------- */

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

int sample_take(struct sampled *t)
{
	__u32 zero = 0;
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &zero);
	__u64 before[OUTCOME_COUNT];

	make(t, &task, &leader);
	memory_begin(t->tid);
	memcpy(before, count->outcome[EVENT_CPU], sizeof(before));
	sample_tick();
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (count->outcome[EVENT_CPU][i] != before[i])
			return i;
	return OUTCOME_COUNT;
}

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
	host_bind_variables(a->bss);
#define OPTION(type, name, begin, from, help) opt_##name = a->rodata->opt_##name;
#include "bpf/data/options.def"
#undef OPTION
	bind_tables(a);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "kern/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/log.h"
#include "bpf/base/ids.h"
#include "bpf/data/budget.h"
#include "kern/asleep.h"
#include "kern/attach.h"
#include "kern/cpu_ticks.h"
#include "kern/grace.h"
#include "kern/libbpf_log.h"
#include "kern/lockdown.h"
#include "kern/memory.h"
#include "kern/processes.h"
#include "kern/run_time.h"
#include "kern/dead_cpus.h"
#include "kern/tables.h"
#include "kern/task_layouts.h"
#include "kern/texts.h"
#include "kern/waits.h"
#include "pyperf.skel.h"

struct kernel {
	struct pyperf *skel;
	struct ring_buffer *ring;
	struct trigger trigger;
	struct grace grace;
	struct texts texts;
	struct asleep_programs asleep;
	struct task_layouts task_layouts;
	struct dead_cpus *dead_cpus;
	struct cpu_ticks *cpu_ticks;
	struct kernel_options options;
	struct kernel_tables tables;
	const struct cpu_stats *stats;
	int cpus;
	int stats_fd; /* keeps run-time statistics on */
	int (*on_record)(void *context, void *record, size_t size);
	void *on_record_context;
	__u32 layouts;
	__u64 processes_full; /* as in cpu_stats, found by us */
	__u64 no_room_until;  /* as processes_set() has it */
	__u64 nodes_before, codes_before; /* counted before this generation of the tree */
	char reason[256];
};

const char *kernel_reason(const struct kernel *k)
{
	if (!k)
		return "out of memory";
	return k->reason[0] ? k->reason : "no reason is known";
}

__attribute__((format(printf, 3, 4))) static int fail(struct kernel *k, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->reason, sizeof(k->reason), format, args);
	va_end(args);
	return err;
}

static void set_options(struct kernel *k)
{
	const __u32 patience = PATIENCE_FRAME_NS * k->options.max_depth;
	struct pyperf *s = k->skel;

	s->rodata->opt_node_mask = k->tables.node_count / BANKS - 1;
	s->rodata->opt_code_mask = k->tables.code_count / BANKS - 1;
	s->rodata->opt_owner_mask = k->tables.owner_count / BANKS - 1;
	s->rodata->opt_thread_sets_mask = tables_thread_sets(&k->options) - 1;
	s->rodata->opt_wait_sets_mask = tables_wait_sets(&k->options) - 1;
	s->rodata->opt_cache_depth = k->options.cache_depth;
	s->rodata->opt_measure = k->options.measure;
	s->rodata->opt_max_depth = k->options.max_depth;
	s->rodata->opt_kernel = k->options.kernel;
	s->rodata->opt_kernel_nameless = k->options.kernel_nameless;
	s->rodata->opt_native_loop = k->options.native_loop;
	s->rodata->opt_patience = patience < PATIENCE_MIN_NS ? PATIENCE_MIN_NS : patience;
	s->rodata->opt_single_reads = k->options.single_reads;
	s->rodata->opt_cache = k->options.cache;
	s->rodata->opt_by_thread = k->options.by_thread;
	s->rodata->opt_threads = k->options.threads;
	s->rodata->opt_states = k->options.states;
	s->rodata->opt_all = k->options.all;
	s->rodata->opt_programs = k->options.programs;
	s->rodata->opt_follow = k->options.follow;
	s->rodata->opt_self = getpid();
	s->rodata->opt_secret = hash_bytes("codes", 5); /* of a random key */
}

static int forward_record(void *context, void *record, size_t size)
{
	struct kernel *k = context;

	return k->on_record ? k->on_record(k->on_record_context, record, size) : 0;
}

static int load(struct kernel *k)
{
	char reason[128];
	int err;

	k->skel = pyperf__open();
	if (!k->skel) {
		err = -errno;
		/* libbpf has errors of its own, for which strerror() needs memory: there may be none. */
		libbpf_strerror(err, reason, sizeof(reason));
		return fail(k, err, "the BPF object cannot be opened: %s", reason);
	}
	if (tables_size(k->skel, &k->options, k->cpus, &k->tables) ||
	    texts_size(k->skel, &k->options))
		return fail(k, -EINVAL, "the BPF tables cannot be sized");
	set_options(k);
	trigger_prepare(&k->trigger, k->skel, k->cpus);
	waits_prepare(k->skel, k->options.waits, k->options.gil, k->options.min_wait_ns);
	asleep_prepare(k->skel, k->options.waits, k->options.tasks);
	task_layouts_prepare(&k->task_layouts, k->skel, k->options.async);
	memory_prepare(k->skel, k->options.memory, k->options.rss_step);
	err = pyperf__load(k->skel);
	if (err && lockdown_is_confidential())
		return fail(k, err,
			    "the kernel is locked down so that BPF programs may not read its memory "
			    "(lockdown=confidentiality); with lockdown=integrity they may");
	if (err == -EPERM || err == -EACCES)
		return fail(k, err,
			    "the kernel refuses to load BPF programs: run as root, or with CAP_BPF and "
			    "CAP_PERFMON");
	if (err == -ENOMEM)
		return fail(k, err, "there is no memory for the BPF programs and their tables");
	if (err && trigger_rejected(&k->trigger))
		return fail(k, err, "%s", trigger_rejected(&k->trigger));
	if (err)
		return fail(k, err,
			    "the kernel rejects the BPF programs (%s); -v shows why. Linux 6.1 or later is "
			    "needed",
			    strerror(-err));
	/* libbpf tries whether arrays can be mapped, and does without when that fails for whatever reason. */
	err = k->skel->bss ? tables_map(k->skel, &k->tables, &k->stats) : -ENOMEM;
	err = err ?: texts_open(&k->texts, k->skel);
	if (err)
		return fail(k, err, "the BPF tables cannot be mapped: %s", strerror(-err));
	err = grace_open(&k->grace);
	if (err)
		return fail(
			k, err,
			"running BPF programs cannot be waited for, by membarrier(2) or a map of maps: %s",
			strerror(-err));
	k->ring = ring_buffer__new(bpf_map__fd(k->skel->maps.records), forward_record, k, NULL);
	if (!k->ring)
		return fail(k, -errno, "the ring buffer cannot be opened: %s", strerror(errno));
	return 0;
}

int kernel_open(struct kernel **ret, struct kernel_options *o)
{
	struct kernel *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	*ret = k;
	k->stats_fd = -1;
	k->grace = (struct grace){ -1, -1 };
	libbpf_log();
	k->cpus = libbpf_num_possible_cpus();
	if (k->cpus <= 0)
		return fail(k, -EIO, "the number of CPUs is unknown: is /sys mounted?");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return fail(k, -ENOTSUP,
			    "this kernel has no type information (/sys/kernel/btf/vmlinux): one built with "
			    "CONFIG_DEBUG_INFO_BTF is needed");
	err = dead_cpus_new(&k->dead_cpus, k->cpus) ?: cpu_ticks_new(&k->cpu_ticks, k->cpus);
	if (err)
		return fail(k, err, "out of memory");
	k->trigger.wanted = o->trigger;
	k->trigger.frequency = o->frequency;
	k->trigger.use_cycles = o->use_cycles;
	k->trigger.off = o->no_ticks;
	err = trigger_choose(&k->trigger);
	if (err)
		return fail(k, err, "%s", k->trigger.reason);
	o->trigger = k->trigger.kind;
	o->frequency = k->trigger.frequency;
	k->options = *o;
	return load(k);
}

void kernel_close(struct kernel *k)
{
	if (!k)
		return;
	kernel_stop(k);
	asleep_close(&k->asleep);
	ring_buffer__free(k->ring);
	tables_unmap(k->skel, &k->tables, k->stats);
	texts_close(&k->texts);
	pyperf__destroy(k->skel);
	grace_close(&k->grace);
	dead_cpus_free(k->dead_cpus);
	cpu_ticks_free(k->cpu_ticks);
	if (k->stats_fd >= 0)
		close(k->stats_fd);
	free(k);
}

#define STAT_LINE 256 /* more than the bytes of a CPU's line */

/* Whether there is a CPU that should have ticked and has not. */
static bool look_at_cpus(struct kernel *k)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	size_t size = STAT_LINE * (k->cpus + 2);
	_cleanup_free_ char *text = calloc(1, size);

	if (!f || !text || k->options.use_cycles || !k->trigger.running || !fread(text, 1, size - 1, f))
		return false;
	cpu_ticks_look(k->cpu_ticks, text, k->stats, k->trigger.kind == TRIGGER_TIMER);
	return dead_cpus_check(k->dead_cpus, text, k->stats, k->options.frequency);
}

/* The ticks have started anew. */
static void begin_to_look(struct kernel *k)
{
	dead_cpus_begin(k->dead_cpus);
	cpu_ticks_begin(k->cpu_ticks);
	look_at_cpus(k);
}

int kernel_start(struct kernel *k, int *ret_cpus)
{
	struct pyperf *s = k->skel;
	int err;

	if (k->options.statistics && k->stats_fd < 0)
		k->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	/* These stay attached when the ticks stop. */
	err = attach(s->progs.on_process_fork, &s->links.on_process_fork) ?:
	      attach(s->progs.on_process_exec, &s->links.on_process_exec) ?:
	      attach(s->progs.on_process_exit, &s->links.on_process_exit);
	if (err)
		return fail(k, err, "the process tracepoints cannot be attached: %s", strerror(-err));
	err = waits_start(s) ?: asleep_open(&k->asleep, s, k->options.max_depth);
	if (err)
		return fail(k, err, "the scheduler's tracepoints cannot be attached: %s", strerror(-err));
	err = memory_start(s);
	if (err)
		return fail(k, err, "the tracepoint rss_stat cannot be attached: %s", strerror(-err));
	err = trigger_start(&k->trigger, s);
	if (err)
		return fail(k, err, "%s", k->trigger.reason);
	begin_to_look(k);
	*ret_cpus = k->trigger.cpus;
	return 0;
}

int kernel_follow_cpus(struct kernel *k, int *ret_cpus)
{
	int err = trigger_follow_cpus(&k->trigger, k->skel, look_at_cpus(k));

	if (err)
		begin_to_look(k);
	if (err < 0)
		return fail(k, err, "%s", k->trigger.reason);
	if (err)
		*ret_cpus = k->trigger.cpus;
	return err;
}

void kernel_stop(struct kernel *k)
{
	trigger_stop(&k->trigger);
	waits_stop(k->skel);
	memory_stop(k->skel);
}

void kernel_settle(struct kernel *k)
{
	waits_settle(k->skel);
}

const struct asleep_programs *kernel_asleep(const struct kernel *k)
{
	return &k->asleep;
}

bool kernel_sees_gil(const struct kernel *k)
{
	return k->options.gil;
}

int kernel_list_processes(struct kernel *k, int (*fn)(void *, const struct record_process *), void *context)
{
	return processes_iterate(k->skel->progs.list_processes, fn, context);
}

__u32 kernel_new_process_id(struct kernel *k)
{
	return new_id(k->skel->bss->held_ids, &k->skel->bss->last_process_id);
}

void kernel_hold_process_id(struct kernel *k, __u32 id, bool hold)
{
	__u64 *word = &k->skel->bss->held_ids[id % PROCESS_IDS / 64], bit = 1ULL << id % 64;

	if (hold)
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
}

int kernel_set_process(struct kernel *k, __u32 pid, const struct process *p)
{
	int err = processes_set(k->skel->maps.processes, pid, p, &k->no_room_until);

	k->processes_full += err == -E2BIG;
	__atomic_add_fetch(&k->skel->bss->processes_stamp, 1, __ATOMIC_SEQ_CST);
	return err;
}

int kernel_get_process(struct kernel *k, __u32 pid, struct process *ret)
{
	return bpf_map__lookup_elem(k->skel->maps.processes, &pid, sizeof(pid), ret, sizeof(*ret), 0);
}

int kernel_remove_process(struct kernel *k, __u32 pid)
{
	int err = bpf_map__delete_elem(k->skel->maps.processes, &pid, sizeof(pid), 0);

	__atomic_add_fetch(&k->skel->bss->processes_stamp, 1, __ATOMIC_SEQ_CST);
	return err;
}

int kernel_get_layout(const struct kernel *k, __u32 index, struct layout *ret)
{
	return bpf_map__lookup_elem(k->skel->maps.layouts, &index, sizeof(index), ret, sizeof(*ret), 0);
}

int kernel_add_layout(struct kernel *k, const struct layout *l)
{
	struct layout have;
	int i, err;

	for (i = 0; i < (int)k->layouts; i++) {
		err = kernel_get_layout(k, i, &have);
		if (!err && !memcmp(&have, l, sizeof(have)))
			return i;
	}
	if (k->layouts == LAYOUTS_MAX)
		i = processes_free_layout(k->skel->maps.processes);
	if (i < 0)
		return i;
	err = bpf_map__update_elem(k->skel->maps.layouts, &i, sizeof(i), l, sizeof(*l), BPF_ANY);
	if (err)
		return err;
	k->layouts += i == (int)k->layouts;
	return i;
}

int kernel_processes(const struct kernel *k, struct process_list *ret)
{
	return processes_list(k->skel->maps.processes, ret);
}

int kernel_records_fd(const struct kernel *k)
{
	return ring_buffer__epoll_fd(k->ring);
}

int kernel_read_records(struct kernel *k)
{
	return ring_buffer__consume(k->ring);
}

void kernel_on_record(struct kernel *k, int (*fn)(void *, void *, size_t), void *context)
{
	k->on_record = fn;
	k->on_record_context = context;
}

struct task_layouts *kernel_task_layouts(struct kernel *k)
{
	return &k->task_layouts;
}

struct texts *kernel_texts(struct kernel *k)
{
	return &k->texts;
}

const struct kernel_tables *kernel_tables(const struct kernel *k)
{
	return &k->tables;
}

enum trigger_kind kernel_trigger(const struct kernel *k)
{
	return k->trigger.kind;
}

__u64 kernel_expected(const struct kernel *k)
{
	return trigger_expected(&k->trigger);
}

const struct cpu_ticks *kernel_cpu_ticks(const struct kernel *k)
{
	return k->cpu_ticks;
}

void kernel_stats(const struct kernel *k, struct kernel_stats *ret)
{
	const struct pyperf *s = k->skel;

	memset(ret, 0, sizeof(*ret));
	tables_sum_stats(k->stats, k->cpus + 1, &ret->sum);
	ret->sum.processes_full += k->processes_full;
	tables_add_wall(&ret->sum, &k->options);
	/* The sampler must not count these itself. */
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		*event_total(&ret->sum, kind) += ret->sum.outcome[kind][OUTCOME_NESTED];
	if (k->trigger.kind == TRIGGER_PERF && k->stats_fd >= 0) {
		run_time_add(s->progs.on_tick, &ret->runs, &ret->run_time_ns);
	} else if (k->options.measure) { /* nor does the kernel with timers, or without CAP_SYS_ADMIN */
		ret->runs = ret->sum.ticks;
		ret->run_time_ns = ret->sum.time_sum;
	}
	run_time_add(s->progs.on_process_fork, &ret->other_runs, &ret->other_time_ns);
	run_time_add(s->progs.on_process_exec, &ret->other_runs, &ret->other_time_ns);
	run_time_add(s->progs.on_process_exit, &ret->other_runs, &ret->other_time_ns);
	waits_run_time(s, &ret->wait_runs, &ret->wait_time_ns);
	memory_run_time(s, &ret->memory_runs, &ret->memory_time_ns);
}

int kernel_wait(const struct kernel *k)
{
	return grace_wait(&k->grace);
}

void kernel_flip(struct kernel *k)
{
	struct kernel_stats s;

	kernel_settle(k);
	kernel_stats(k, &s);
	k->nodes_before = s.sum.nodes_new;
	k->codes_before = s.sum.codes_new;
	__atomic_add_fetch(&k->skel->bss->tree_generation, 1, __ATOMIC_SEQ_CST);
}

/* The bank that the ticks of this generation of the tree use. */
static unsigned int used_bank(const struct kernel *k)
{
	return k->skel->bss->tree_generation & 1;
}

struct kernel_bank kernel_other_bank(const struct kernel *k)
{
	return tables_bank(&k->tables, !used_bank(k));
}

int kernel_clear(struct kernel *k)
{
	return tables_clear(k->skel, &k->tables, !used_bank(k));
}

double kernel_fullness(const struct kernel *k)
{
	const unsigned int bank = used_bank(k);
	const struct kernel_bank b = tables_bank(&k->tables, bank);
	struct kernel_stats s;
	double nodes, codes, owners;

	kernel_stats(k, &s);
	nodes = (double)(s.sum.nodes_new - k->nodes_before) / (b.nodes.end - b.nodes.first);
	codes = (double)(s.sum.codes_new - k->codes_before) / (b.codes.end - b.codes.first);
	owners = (double)k->skel->bss->banks_used[bank].owners / (b.owners.end - b.owners.first);
	if (codes > nodes)
		nodes = codes;
	return owners > nodes ? owners : nodes;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * home_kernel.c - the sampler as BPF programs: loads them, and asks of libbpf and of the kernel what home.h
 * asks.
 */
#include "kern/home.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/lacking.h"
#include "base/lsm.h"
#include "base/namespaces.h"
#include "base/privileges.h"
#include "kern/budget.h"
#include "kern/cpu_ticks.h"
#include "kern/dead_cpus.h"
#include "kern/kernel.h"
#include "kern/object.h"
#include "kern/processes.h"
#include "kern/stats.h"
#include "kern/tables.h"
#include "kern/tracepoints.h"
#include "kern/waits.h"
#include "pyperf.skel.h"

void side_of_object(struct pyperf *s, struct side *ret)
{
	*ret = (struct side){
		.rodata = s->rodata,
		.bss = s->bss,
		.nodes = table_of_map(s->maps.nodes),
		.codes = table_of_map(s->maps.codes),
		.owners = table_of_map(s->maps.owners),
		.stats = table_of_map(s->maps.stats),
		.processes = table_of_map(s->maps.processes),
		.known_programs = table_of_map(s->maps.known_programs),
		.layouts = table_of_map(s->maps.layouts),
		.task_layouts = table_of_map(s->maps.task_layouts),
		.contexts = table_of_map(s->maps.contexts),
		.journals = table_of_map(s->maps.journals),
		.outside_stacks = table_of_map(s->maps.outside_stacks),
		.texts = table_of_map(s->maps.texts),
	};
}

static int choose(struct kernel *k, struct kernel_options *o)
{
	int err;

	if (!namespaces_has_first_pids())
		return kernel_fail(k, -ENOTSUP,
				   "this is a pid namespace of its own, from which other processes cannot be "
				   "named: run it in the machine's (docker run --pid=host; in Kubernetes "
				   "hostPID: true)");
	if (access(KERNEL_BTF_FILE, R_OK))
		return kernel_fail(k, -ENOTSUP,
				   "this kernel has no type information (" KERNEL_BTF_FILE "): one built "
				   "with CONFIG_DEBUG_INFO_BTF is needed");
	err = dead_cpus_new(&k->dead_cpus, k->cpus) ?: cpu_ticks_new(&k->cpu_ticks, k->cpus);
	if (err)
		return kernel_fail(k, err, "out of memory");
	k->trigger.wanted = o->trigger;
	k->trigger.use_cycles = o->use_cycles;
	err = trigger_choose(&k->trigger);
	if (err)
		return kernel_fail(k, err, "%s", k->trigger.reason);
	o->trigger = k->trigger.kind;
	o->frequency = k->trigger.frequency;
	return 0;
}

/* One of the two pages in front of the ring, each with a position; libbpf shows them from 1.3 on. */
static int map_position(const struct kernel *k, int page, const unsigned long **ret)
{
	const long size = sysconf(_SC_PAGESIZE);
	const unsigned long *at =
		mmap(NULL, size, PROT_READ, MAP_SHARED, bpf_map__fd(k->skel->maps.records), page * size);

	if (at == MAP_FAILED)
		return -errno;
	*ret = at;
	return 0;
}

static void unmap_position(const unsigned long *at)
{
	if (at)
		munmap((void *)at, sysconf(_SC_PAGESIZE));
}

static int open_records(struct kernel *k)
{
	struct records *r = &k->records;

	r->ring_bytes = bpf_map__max_entries(k->skel->maps.records);
	k->ring = ring_buffer__new(bpf_map__fd(k->skel->maps.records), kernel_forward_record, k, NULL);
	return k->ring ? map_position(k, 0, &r->read) ?: map_position(k, 1, &r->made) : -errno;
}

static int read_records(struct kernel *k)
{
	return ring_buffer__consume(k->ring);
}

static int records_fd(const struct kernel *k)
{
	return ring_buffer__epoll_fd(k->ring);
}

static int load(struct kernel *k)
{
	char advice[LACKING_SIZE];
	int err = pyperf__load(k->skel);

	if (err && lsm_is_confidential())
		return kernel_fail(k, err,
			    "the kernel is locked down so that BPF programs may not read its memory "
			    "(lockdown=confidentiality); with lockdown=integrity they may");
	if (err == -EPERM || err == -EACCES)
		return kernel_fail(k, err, "the kernel refuses to load BPF programs: %s",
				   lacking_advice(PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON), advice));
	if (err == -ENOMEM)
		return kernel_fail(k, err,
			    "there is no memory for the BPF tables, which take %zu MiB: with these options a "
			    "limit of memory (cgroup) has to be %zu MiB or more",
			    tables_bytes(k->skel) >> 20, kernel_limit_of(tables_bytes(k->skel)) >> 20);
	if (err && trigger_rejected(&k->trigger))
		return kernel_fail(k, err, "%s", trigger_rejected(&k->trigger));
	if (err)
		return kernel_fail(k, err,
			    "the kernel rejects the BPF programs (%s); -v shows why. Linux 6.1 or later is "
			    "needed",
			    strerror(-err));
	/* libbpf tries whether arrays can be mapped, and does without when that fails for whatever reason. */
	side_of_object(k->skel, &k->side);
	k->tables.map_bytes = tables_bytes(k->skel);
	err = k->skel->bss ? tables_map(&k->side, &k->tables, &k->stats) : -ENOMEM;
	err = err ?: texts_open(&k->texts, k) ?: journal_rings_open(&k->journal, &k->side, k->cpus);
	if (err)
		return kernel_fail(k, err, "the BPF tables cannot be mapped: %s", strerror(-err));
	err = grace_open(&k->grace);
	if (err)
		return kernel_fail(
			k, err,
			"running BPF programs cannot be waited for, by membarrier(2) or a map of maps: %s",
			strerror(-err));
	err = open_records(k);
	if (err)
		return kernel_fail(k, err, "the ring buffer cannot be opened: %s", strerror(-err));
	err = trigger_try(&k->trigger, k->skel);
	return err ? kernel_fail(k, err, "%s", k->trigger.reason) : 0;
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
	cpu_ticks_look(k->cpu_ticks, text, k->stats, k->trigger.kind == TRIGGER_TIMER, k->options.frequency);
	return dead_cpus_check(k->dead_cpus, text, k->stats, k->options.frequency);
}

/* The ticks have started anew. */
static void begin_to_look(struct kernel *k)
{
	dead_cpus_begin(k->dead_cpus);
	cpu_ticks_begin(k->cpu_ticks);
	look_at_cpus(k);
}

static int attach(struct kernel *k)
{
	const char *name = NULL;
	int err;

	if (k->options.statistics && k->stats_fd < 0)
		k->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	err = tracepoints_start(k->skel, &name);
	if (err)
		return kernel_fail(k, err, "the tracepoint %s cannot be attached: %s", name, strerror(-err));
	err = asleep_open(&k->asleep, k->skel, k->options.max_depth);
	if (err)
		return kernel_fail(k, err, "threads that sleep cannot be listed: %s", strerror(-err));
	err = accounts_open(k->skel);
	if (err)
		return kernel_fail(k, err, "threads cannot be listed for their CPU time: %s", strerror(-err));
	return 0;
}

static int start(struct kernel *k, int *ret_cpus)
{
	int err = attach(k);

	if (err)
		return err;
	accounts_settle(k);
	err = trigger_start(&k->trigger, k->skel);
	if (err)
		return kernel_fail(k, err, "%s", k->trigger.reason);
	begin_to_look(k);
	*ret_cpus = k->trigger.cpus;
	return 0;
}

static int follow(struct kernel *k, int *ret_cpus)
{
	int err = trigger_follow_cpus(&k->trigger, k->skel, look_at_cpus(k));

	if (err)
		begin_to_look(k);
	if (err < 0)
		return kernel_fail(k, err, "%s", k->trigger.reason);
	if (err)
		*ret_cpus = k->trigger.cpus;
	return err;
}

static int set_rate(struct kernel *k, __u32 frequency, double budget)
{
	int err;

	look_at_cpus(k);
	err = trigger_set_frequency(&k->trigger, k->skel, frequency);
	k->options.frequency = k->trigger.frequency;
	k->options.budget = budget;
	budget_change(&k->skel->bss->rates, budget, k->options.frequency);
	begin_to_look(k);
	return err ? kernel_fail(k, err, "%s", k->trigger.reason) : 0;
}

static void settle(struct kernel *k)
{
	waits_settle(k->skel);
	accounts_settle(k);
}

static void stop(struct kernel *k)
{
	trigger_stop(&k->trigger);
	settle(k);
	tracepoints_stop(k->skel);
}

static int wait_for_programs(const struct kernel *k)
{
	return grace_wait(&k->grace);
}

static int list_known_processes(struct kernel *k, int (*fn)(void *, const struct record_process *),
				void *context)
{
	return processes_iterate(k->skel->progs.list_processes, fn, context);
}

static int set_number(struct kernel *k, const struct number_request *r)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = r, .ctx_size_in = sizeof(*r));

	if (bpf_prog_test_run_opts(bpf_program__fd(k->skel->progs.set_number), &opts))
		return -errno;
	return opts.retval ? -ESRCH : 0;
}

static __u64 expected(const struct kernel *k)
{
	return trigger_expected(&k->trigger);
}

static void add_costs(const struct kernel *k, struct kernel_stats *ret)
{
	const struct pyperf *s = k->skel;

	if (k->trigger.kind == TRIGGER_PERF && k->stats_fd >= 0) {
		kernel_add_run_time(s->progs.on_tick, &ret->runs, &ret->run_time_ns);
	} else if (k->options.measure) { /* nor does the kernel with timers, or without CAP_SYS_ADMIN */
		ret->runs = ret->sum.ticks;
		ret->run_time_ns = ret->sum.time_sum;
	}
#define TRACEPOINT(program, needs, cost) \
	kernel_add_run_time(s->progs.program, &ret->cost##_runs, &ret->cost##_time_ns);
#include "kern/tracepoints.def"
#undef TRACEPOINT
}

static void close_home(struct kernel *k)
{
	ring_buffer__free(k->ring);
	unmap_position(k->records.read);
	unmap_position(k->records.made);
	grace_close(&k->grace);
	dead_cpus_free(k->dead_cpus);
	cpu_ticks_free(k->cpu_ticks);
	if (k->stats_fd >= 0)
		close(k->stats_fd);
}

const struct home home_kernel = {
	.name = "kernel",
	.choose = choose,
	.load = load,
	.start = start,
	.follow = follow,
	.set_rate = set_rate,
	.settle = settle,
	.stop = stop,
	.wait = wait_for_programs,
	.list = list_known_processes,
	.set_number = set_number,
	.read_records = read_records,
	.records_fd = records_fd,
	.expected = expected,
	.add_costs = add_costs,
	.close = close_home,
};

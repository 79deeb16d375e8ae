/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hot_load.h - loads tests/bench/hot.bpf.c with the tables and options of the product (user/kern/kernel.c),
 * and makes one process its target. Trusts nobody but the harness: any failure ends the program with a
 * reason.
 */
#ifndef PYPERF_TESTS_HOT_LOAD_H
#define PYPERF_TESTS_HOT_LOAD_H

#include <errno.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "proc/procfs.h"
#include "python/identify.h"
#include "tests/bench/bench.h"
#include "hot.skel.h" /* uses the structs of bench.h */

/* As in user/kern/kernel.c. */
#define HOT_NODES	(1U << 19)
#define HOT_CODES	(1U << 17)
#define HOT_OWNERS	(1U << 14)
#define HOT_THREAD_SETS (1U << 7)
#define HOT_PROCESSES	(1U << 13)
#define HOT_RING	(1U << 21)

struct hot_options {
	pid_t pid;
	pid_t beside[8]; /* programs of the same interpreter that are sampled, too, and not timed */
	__u32 beside_count;
	enum cache_mode cache;
	bool single, states;
	enum bench_work work;
	__u32 repeats[4]; /* stacks for each system call, one after the other */
	__u32 repeat_count;
	double seconds; /* of a round */
	double warm_up; /* seconds before the first */
	__u32 rounds;
	__u32 frequency; /* Hz; 0 = driven by the system call */
	int cpu;	 /* of the perf event */
	bool wait;	 /* one round, until the end of standard input */
	bool reads;	 /* time reads of this program's own memory instead */
	const char *folded;
};

static struct {
	struct hot *skel;
	struct hot_options o;
	const struct node *nodes;
	const struct cpu_stats *stats;
	const __u64 *times;
	struct ring_buffer *ring;
	struct identity identity;
	int cpus, counting; /* open: the kernel counts the time of programs */
} hot;

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("hot: ", stderr);
	vfprintf(stderr, format, args);
	fputs("\n", stderr);
	exit(1);
}

static void hot_size_tables(void)
{
	struct hot *s = hot.skel;
	int err = 0;

	err |= bpf_map__set_max_entries(s->maps.nodes, HOT_NODES);
	err |= bpf_map__set_max_entries(s->maps.codes, HOT_CODES);
	err |= bpf_map__set_max_entries(s->maps.owners, HOT_OWNERS);
	err |= bpf_map__set_max_entries(s->maps.threads, HOT_THREAD_SETS * 4);
	err |= bpf_map__set_max_entries(s->maps.processes, HOT_PROCESSES);
	err |= bpf_map__set_max_entries(s->maps.records, HOT_RING);
	err |= bpf_map__set_max_entries(s->maps.stats, hot.cpus);
	err |= bpf_map__set_max_entries(s->maps.scratches, hot.cpus);
	if (err)
		die("the tables cannot be sized");
}

static void hot_set_options(void)
{
	struct hot *s = hot.skel;

	s->rodata->opt_node_mask = HOT_NODES / BANKS - 1;
	s->rodata->opt_code_mask = HOT_CODES / BANKS - 1;
	s->rodata->opt_owner_mask = HOT_OWNERS / BANKS - 1;
	s->rodata->opt_thread_sets_mask = HOT_THREAD_SETS - 1;
	s->rodata->opt_max_depth = 1024;
	s->rodata->opt_single_reads = hot.o.single;
	s->rodata->opt_states = hot.o.states;
	s->rodata->opt_cache = hot.o.cache;
	s->rodata->opt_by_thread = 1;
	s->rodata->opt_all = 0;
	s->rodata->opt_self = getpid();
	s->rodata->target = hot.o.pid;
	s->rodata->driving_syscall = SYS_getppid;
}

static const void *hot_map(const struct bpf_map *map)
{
	size_t size = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map),
	       page = sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, (size + page - 1) / page * page, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	if (p == MAP_FAILED)
		die("a table cannot be mapped: %s", strerror(errno));
	return p;
}

static void hot_reserve_entries(void)
{
	struct node node = { .key = KEY_RESERVED };
	struct code code;
	__u32 i = 0;
	int err = bpf_map__update_elem(hot.skel->maps.nodes, &i, sizeof(i), &node, sizeof(node), BPF_ANY);

	memset(&code, 0xff, sizeof(code)); /* KEY_RESERVED, whichever word the product looks at */
	for (; !err && i < CODE_FIRST; i++)
		err = bpf_map__update_elem(hot.skel->maps.codes, &i, sizeof(i), &code, sizeof(code), BPF_ANY);
	if (err)
		die("the tables cannot be written: %s", strerror(-err));
}

static void hot_load(int (*on_record)(void *, void *, size_t))
{
	int err;

	hot.cpus = libbpf_num_possible_cpus();
	hot.skel = hot__open();
	if (hot.cpus <= 0 || !hot.skel)
		die("the BPF object cannot be opened");
	hot_size_tables();
	hot_set_options();
	err = hot__load(hot.skel);
	if (err)
		die("the kernel refuses the BPF programs: %s", strerror(-err));
	hot_reserve_entries();
	hot.nodes = hot_map(hot.skel->maps.nodes);
	hot.stats = hot_map(hot.skel->maps.stats);
	hot.times = hot_map(hot.skel->maps.times);
	hot.ring = ring_buffer__new(bpf_map__fd(hot.skel->maps.records), on_record, NULL, NULL);
	if (!hot.ring)
		die("the ring buffer cannot be opened: %s", strerror(errno));
}

/* Start time and exec count as the kernel has them, which /proc does not tell in full. */
static void hot_find(pid_t pid, struct process *ret)
{
	struct bpf_link *link = bpf_program__attach_iter(hot.skel->progs.find_process, NULL);
	char byte;
	int fd;

	if (!link)
		die("the task iterator cannot be attached: %s", strerror(errno));
	hot.skel->bss->sought = pid;
	hot.skel->bss->found_start = 0;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0)
		die("the task iterator cannot be run: %s", strerror(errno));
	while (read(fd, &byte, 1) > 0)
		;
	close(fd);
	bpf_link__destroy(link);
	if (!hot.skel->bss->found_start)
		die("there is no process %d", pid);
	ret->start_time = hot.skel->bss->found_start;
	ret->exec_id = hot.skel->bss->found_exec;
}

/* The process gets this id. All are of one interpreter, so there is one layout. */
static void hot_announce(pid_t pid, __u32 id)
{
	struct process p = { .id = id, .state = PROCESS_PYTHON };
	__u32 key = pid, index = 0;
	__u64 ticks;

	if (procfs_start_ticks(pid, &ticks) || identify(pid, ticks, &hot.identity))
		die("process %d cannot be read", pid);
	if (hot.identity.verdict != VERDICT_PYTHON)
		die("process %d: %s", pid,
		    hot.identity.verdict == VERDICT_NO_LAYOUT ? hot.identity.reason : "not CPython");
	hot_find(pid, &p);
	p.runtime = hot.identity.runtime;
	if (bpf_map__update_elem(hot.skel->maps.layouts, &index, 4, &hot.identity.layout,
				 sizeof(struct layout), 0) ||
	    bpf_map__update_elem(hot.skel->maps.processes, &key, 4, &p, sizeof(p), 0))
		die("process %d cannot be announced", pid);
}

static void hot_set_target(void)
{
	for (__u32 i = 0; i < hot.o.beside_count; i++)
		hot_announce(hot.o.beside[i], 2 + i);
	hot_announce(hot.o.pid, 1);
}

static struct bpf_link *hot_attach_event(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hot.o.frequency,
		.exclude_idle = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, hot.o.cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open is refused: %s", strerror(errno));
	return bpf_program__attach_perf_event(hot.skel->progs.on_tick, fd);
}

static void hot_attach(void)
{
	struct bpf_link *link =
		hot.o.frequency ? hot_attach_event() : bpf_program__attach(hot.skel->progs.on_syscall);

	if (!link)
		die("the sampler cannot be attached: %s", strerror(errno));
}

/* A counter, summed over the CPUs. offset: in struct cpu_stats. */
static __u64 hot_counter(size_t offset)
{
	__u64 sum = 0;

	for (int cpu = 0; cpu < hot.cpus; cpu++)
		sum += __atomic_load_n((const __u64 *)((const char *)&hot.stats[cpu] + offset),
				       __ATOMIC_RELAXED);
	return sum;
}

#endif

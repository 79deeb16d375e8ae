/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosted.h - the whole sampler (bpf/sample/sampler.h), compiled for the host, with --cache check: the maps
 * are tables in memory, the kernel's helpers are functions. The includer says whose tick it is (hosted_task)
 * and how its memory is read (mem_read(), bpf/base/mem.h).
 */
#ifndef PYPERF_TESTS_HOSTED_H
#define PYPERF_TESTS_HOSTED_H

#include <errno.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#undef __noinline
#define __noinline __attribute__((noinline))
#define SEC(name)
#define __uint(name, value) int name
#define __type(name, type) type *name
#define barrier() __asm__ volatile("" ::: "memory")

struct mm_struct {
	unsigned long exec_vm;
};

/* What the sampler looks at of a task. */
struct task_struct {
	int pid;
	int tgid;
	__u64 start_boottime;
	__u64 self_exec_id;
	struct task_struct *group_leader;
	struct mm_struct *mm;
	char comm[16];
	__u64 thread_pointer;
};

static struct mm_struct hosted_mm;
static struct task_struct hosted_task = { .group_leader = &hosted_task, .mm = &hosted_mm };

struct pt_regs {
	__u64 pc;
	__s64 syscall;
	__u64 sp, bp;
	__u64 dwarf[32];
};

/* Where the thread is. */
static struct pt_regs hosted_regs = { .syscall = -1 };

#define bpf_task_pt_regs(task) (&hosted_regs)
#define regs_pc(regs)	       ((regs)->pc)
#define regs_syscall(regs)     ((regs)->syscall)
#define regs_sp(regs)	       ((regs)->sp)
#define regs_bp(regs)	       ((regs)->bp)
#define regs_dwarf(regs, number) ((number) < 32 ? (regs)->dwarf[number] : 0)

#define task_thread_pointer(task) ((task)->thread_pointer)
#define bpf_get_current_task_btf() (&hosted_task)
#define task_user(task) ((__u64)(task)->tgid)
#define HOSTED_READ_1(from, a) ((from)->a)
#define HOSTED_READ_2(from, a, b) ((from)->a->b)
#define HOSTED_READ_OF(a, b, which, ...) which
#define BPF_CORE_READ(from, ...) \
	HOSTED_READ_OF(__VA_ARGS__, HOSTED_READ_2, HOSTED_READ_1, )(from, __VA_ARGS__)
#define program_file_of(task, ret) memset(ret, 0, sizeof(*(ret)))

static void *bpf_map_lookup_elem(void *map, const void *key);

static inline __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static inline __u64 bpf_get_current_pid_tgid(void)
{
	return (__u64)hosted_task.tgid << 32 | (__u32)hosted_task.pid;
}

/* The same numbers in each run. */
static inline __u32 bpf_get_prandom_u32(void)
{
	static __u64 state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

static inline long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size);
	return size;
}

/* Nobody reads the records: of what was sent only the last one is kept, as far as there is room. */
static __u64 hosted_record[8];
static __u32 hosted_records;

static inline __u64 bpf_ringbuf_query(void *ring, __u64 what)
{
	(void)ring;
	(void)what;
	return 0;
}

static inline long bpf_ringbuf_output(void *ring, void *record, __u64 size, __u64 flags)
{
	(void)ring;
	(void)flags;
	memcpy(hosted_record, record, size < sizeof(hosted_record) ? size : sizeof(hosted_record));
	hosted_records++;
	return 0;
}

static inline long bpf_strncmp(const char *text, __u32 size, const char *other)
{
	return strncmp(text, other, size);
}

/* With one number. */
#define bpf_snprintf(to, size, format, numbers, bytes) \
	(1 + snprintf(to, size, format, (unsigned long long)*(numbers)))

/*
 * The kernel side is compiled with fewer warnings: a parameter may have the name of a map, or be of no use.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#ifdef __x86_64__
#define __TARGET_ARCH_x86
#endif
#include "bpf/abi.h"
#include "bpf/data/maps.h"

#ifndef HOSTED_NODES /* powers of two */
#define HOSTED_NODES	   (1U << NODE_BITS)
#define HOSTED_CODES	   (1U << 14)
#endif
#define HOSTED_OWNERS	   64
#define HOSTED_THREAD_SETS 4

/* In C a variable may be declared once more, with its value. There is one bank: the generation stays 0. */
const volatile __u32 opt_node_mask = HOSTED_NODES - 1;
const volatile __u32 opt_code_mask = HOSTED_CODES - 1;
const volatile __u32 opt_owner_mask = HOSTED_OWNERS - 1;
const volatile __u32 opt_thread_sets_mask = HOSTED_THREAD_SETS - 1;

static struct {
	struct node *nodes;
	struct code *codes;
	struct owner *owners;
	struct thread *threads;
	struct native_cache *native_caches;
	struct scratch *scratch;
	struct cpu_stats stats;
	struct process process;	       /* the only one */
	struct layout layout;	       /* the only one */
	struct context_vars *contexts; /* the only ones; the includer's */
	__u64 notices[NOTICES];
	union text_block *texts; /* the includer's */
	__u32 text_count;
	__u64 native_asked[NATIVE_ASKED];
	__u64 spans_told[SPANS_TOLD];
	__u64 jiffies;
	__u8 single; /* --reads single */
} hosted;

#define opt_cache CACHE_CHECK
#define opt_single_reads hosted.single
#ifdef HOSTED_NATIVE /* the includer says which mode, while it runs */
#define opt_native HOSTED_NATIVE
#endif
#ifdef HOSTED_BUDGET /* the same for --budget */
#define opt_budget HOSTED_BUDGET
#endif
#define bpf_jiffies64() (hosted.jiffies)

#include "bpf/sample/sampler.h"
#pragma GCC diagnostic pop

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	const __u32 index = *(const __u32 *)key;

	if (map == &nodes)
		return index < HOSTED_NODES ? &hosted.nodes[index] : NULL;
	if (map == &codes)
		return index < HOSTED_CODES ? &hosted.codes[index] : NULL;
	if (map == &owners)
		return index < HOSTED_OWNERS ? &hosted.owners[index] : NULL;
	if (map == &threads)
		return index < HOSTED_THREAD_SETS * THREAD_WAYS ? &hosted.threads[index] : NULL;
	if (map == &native_caches)
		return index < HOSTED_THREAD_SETS * THREAD_WAYS ? &hosted.native_caches[index] : NULL;
	if (map == &notices)
		return index < NOTICES ? &hosted.notices[index] : NULL;
	if (map == &processes)
		return index == (__u32)hosted_task.tgid ? &hosted.process : NULL;
	if (map == &contexts)
		return index ? NULL : hosted.contexts;
	if (map == &shares)
		return NULL;
	if (map == &layouts)
		return index ? NULL : &hosted.layout;
	if (map == &texts)
		return index < hosted.text_count ? &hosted.texts[index] : NULL;
	if (map == &native_asked)
		return index < NATIVE_ASKED ? &hosted.native_asked[index] : NULL;
	if (map == &spans_told)
		return index < SPANS_TOLD ? &hosted.spans_told[index] : NULL;
	if (map == &scratches)
		return index ? NULL : hosted.scratch;
	return index ? NULL : &hosted.stats;
}

/* The tables as they are before the first tick. */
static inline void hosted_clear(void)
{
	memset(hosted.nodes, 0, HOSTED_NODES * sizeof(*hosted.nodes));
	memset(hosted.codes, 0, HOSTED_CODES * sizeof(*hosted.codes));
	memset(hosted.owners, 0, HOSTED_OWNERS * sizeof(*hosted.owners));
	memset(hosted.threads, 0, HOSTED_THREAD_SETS * THREAD_WAYS * sizeof(*hosted.threads));
	memset(hosted.native_caches, 0, HOSTED_THREAD_SETS * THREAD_WAYS * sizeof(*hosted.native_caches));
	memset(hosted.scratch, 0, sizeof(*hosted.scratch));
	memset(&hosted.stats, 0, sizeof(hosted.stats));
	memset(hosted.spans_told, 0, sizeof(hosted.spans_told));
	memset(banks_used, 0, sizeof(banks_used));
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		hosted.nodes[kind].key = KEY_RESERVED;
	for (__u32 i = 0; i < CODE_FIRST; i++)
		hosted.codes[i].identity = KEY_RESERVED;
}

static inline int hosted_begin(void)
{
	hosted.nodes = calloc(HOSTED_NODES, sizeof(*hosted.nodes));
	hosted.codes = calloc(HOSTED_CODES, sizeof(*hosted.codes));
	hosted.owners = calloc(HOSTED_OWNERS, sizeof(*hosted.owners));
	hosted.threads = calloc(HOSTED_THREAD_SETS * THREAD_WAYS, sizeof(*hosted.threads));
	hosted.native_caches = calloc(HOSTED_THREAD_SETS * THREAD_WAYS, sizeof(*hosted.native_caches));
	hosted.scratch = calloc(1, sizeof(*hosted.scratch));
	if (!hosted.nodes || !hosted.codes || !hosted.owners || !hosted.threads || !hosted.native_caches ||
	    !hosted.scratch)
		return -ENOMEM;
	hosted_clear();
	return 0;
}

static inline void hosted_end(void)
{
	free(hosted.nodes);
	free(hosted.codes);
	free(hosted.owners);
	free(hosted.threads);
	free(hosted.native_caches);
	free(hosted.scratch);
}

/* hosted_end() as cmocka calls it. */
static inline int hosted_teardown(void **state)
{
	(void)state;
	hosted_end();
	return 0;
}

/* What the sampler remembers of hosted_task. */
static inline const struct thread *hosted_thread(void)
{
	for (__u32 i = 0; i < HOSTED_THREAD_SETS * THREAD_WAYS; i++)
		if (hosted.threads[i].tid == (__u32)hosted_task.pid)
			return &hosted.threads[i];
	return NULL;
}

/* One tick of hosted_task. Returns its outcome; the full walk's frames are in hosted.scratch->walk. */
static inline enum outcome hosted_sample(void)
{
	__u64 before[OUTCOME_COUNT];

	memcpy(before, hosted.stats.outcome[EVENT_CPU], sizeof(before));
	hosted.jiffies++;
	sample_tick();
	for (__u32 i = 0; i < OUTCOME_COUNT; i++)
		if (hosted.stats.outcome[EVENT_CPU][i] != before[i])
			return i;
	return OUTCOME_COUNT;
}

#endif

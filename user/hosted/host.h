/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.h - what the sampler of bpf/ wants of the kernel, for the host: tasks, helpers, tables. It is to be
 * included once, before the sampler, by a file that has mem_read().
 */
#ifndef PYPERF_HOSTED_HOST_H
#define PYPERF_HOSTED_HOST_H

#include <errno.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bpf/base/loop.h"
#include "hosted/area.h"
#include "hosted/hash.h"
#include "hosted/ring.h"
#include "hosted/sample.h"
#include "bpf/abi.h"
#include "pyperf.skel.h"

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#undef __noinline
#define __noinline __attribute__((noinline))
#define SEC(name)
#define __uint(name, value) int name
#define __type(name, type)  type *name
#define barrier()	    __asm__ volatile("" ::: "memory")
#ifdef __x86_64__
#define __TARGET_ARCH_x86
#endif

/* A task, as far as the sampler looks at it. */
struct task_struct {
	int pid, tgid;
	__u64 start_boottime;
	__u64 self_exec_id;
	struct task_struct *group_leader;
	struct host_mm {
		unsigned long exec_vm;
		unsigned long start_code;
	} *mm;
	struct {
		struct {
			int counter;
		} live;
	} *signal;
	struct {
		__u64 sum_exec_runtime;
	} se;
	char comm[16];
	__u64 thread_pointer;
	__u64 user;
	struct account *account;
};

static struct task_struct *host_task;
static struct area host_area;

/* Registers of a thread that runs cannot be had. */
struct pt_regs {
	__u64 none;
};
static struct pt_regs host_regs;

#define bpf_task_pt_regs(task)	   (&host_regs)
#define self_is_address(self)	   mem_plausible(self)
#define regs_pc(regs)		   ((regs)->none)
#define regs_syscall(regs)	   ((__s64)-1)
#define regs_sp(regs)		   ((regs)->none)
#define regs_bp(regs)		   ((regs)->none)
#define regs_dwarf(regs, number)   ((regs)->none)
#define task_thread_pointer(task)  ((task)->thread_pointer)
#define task_user(task)		   ((task)->user)
#define program_file_of(task, ret) memset(ret, 0, sizeof(*(ret)))
#define bpf_get_current_task_btf() (host_task)
#define HOST_READ_1(from, a)	   ((from)->a)
#define HOST_READ_2(from, a, b)	   ((from)->a->b)
#define HOST_READ_OF(a, b, which, ...) which
#define BPF_CORE_READ(from, ...) \
	HOST_READ_OF(__VA_ARGS__, HOST_READ_2, HOST_READ_1, )(from, __VA_ARGS__)
#define bpf_jiffies64()		   (clock_ns() / (NS_PER_SECOND / opt_hz))
#define bpf_ktime_get_boot_ns()	   clock_boot_ns()
#define bpf_strncmp(text, size, other) strncmp(text, other, size)
#define bpf_snprintf(to, size, format, numbers, bytes) \
	(1 + snprintf(to, size, format, (unsigned long long)*(numbers)))
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define bpf_task_storage_get(map, task, value, flags) ((void)&(map)->key, (task)->account)

static inline __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static inline __u64 bpf_get_current_pid_tgid(void)
{
	return (__u64)host_task->tgid << 32 | (__u32)host_task->pid;
}

static inline __u32 bpf_get_prandom_u32(void)
{
	static __u64 state;

	if (!state)
		state = clock_ns() | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 32;
}

static inline long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size);
	return size;
}

static inline __u64 bpf_ringbuf_query(const void *ring, __u64 what)
{
	(void)ring;
	(void)what;
	return shared_ring_waits(host_area.ring);
}

/* Records of a sample are sent when it is known to be of one moment. */
#define HOST_CODES 64 /* CAPTURES_MAX */
static struct {
	bool holds, wakes;
	unsigned long made; /* shared_ring_put() */
	unsigned int count;
	__u32 codes[HOST_CODES]; /* those of which there is a record */
} host_held;

static inline void host_hold_records(void)
{
	host_held.holds = true;
	host_held.wakes = false;
	host_held.count = 0;
	host_held.made = host_area.ring->made;
}

static inline void host_send_records(void)
{
	shared_ring_publish(host_area.ring, host_held.made);
	if (host_held.wakes)
		sample_wake();
	host_held.holds = false;
}

static inline void host_drop_records(void)
{
	host_held.made = host_area.ring->made;
}

/* Not inline: the compiler would look at a record of another type, which is shorter. */
__noinline static long bpf_ringbuf_output(const void *ring, const void *record, __u64 size, __u64 flags)
{
	const struct record_code *code = record;
	const bool holds = host_held.holds;
	int err;

	(void)ring;
	if (!holds)
		host_hold_records();
	err = shared_ring_put(host_area.ring, &host_held.made, record, size);
	if (!err && code->type == RECORD_CODE && host_held.count < HOST_CODES)
		host_held.codes[host_held.count++] = code->code;
	host_held.wakes |= !err && flags & BPF_RB_FORCE_WAKEUP;
	if (!holds)
		host_send_records();
	return err;
}

/* host_bind() has put into a map's variable where its values are. */
static inline void *host_find(int type, void *values, size_t size, __u32 entries, const void *key)
{
	const __u32 i = *(const __u32 *)key;

	if (type == BPF_MAP_TYPE_HASH)
		return shared_hash_find(values, key);
	return i < entries ? (__u8 *)values + i * size : NULL;
}

#define bpf_map_lookup_elem(map, at)                                                                  \
	((__typeof__((map)->value))host_find((map)->type, (map)->value, sizeof(*(map)->value),        \
					     (map)->max_entries, at))
#define bpf_map_update_elem(map, at, from, flags) shared_hash_set((void *)(map)->value, at, from)
#define bpf_map_delete_elem(map, at)		  shared_hash_remove((void *)(map)->value, at)

/* Variables of the sampler that the profiler shares: struct pyperf__bss has them, too. */
static struct {
	__u64 *stamp;
	__u32 *generation, *edition, *last_id;
	struct bank_used *banks;
	__u64 *held;
} host_variables;

static inline void host_bind_variables(struct pyperf__bss *b)
{
	host_variables.stamp = &b->processes_stamp;
	host_variables.generation = &b->tree_generation;
	host_variables.edition = &b->texts_edition;
	host_variables.last_id = &b->last_process_id;
	host_variables.banks = b->banks_used;
	host_variables.held = b->held_ids;
}

/* Of BPF programs alone: ticks of a timer, and thinning in the sampler itself (here child.c thins). */
static const struct rates host_rates;

#define VARIABLES_ELSEWHERE
#define rates		host_rates
#define processes_stamp (*host_variables.stamp)
#define tree_generation (*host_variables.generation)
#define texts_edition	(*host_variables.edition)
#define banks_used	(host_variables.banks)
#define last_process_id (*host_variables.last_id)
#define held_ids	(host_variables.held)

/* The C library has one of its own. */
#define on_exit on_task_exit

#define OPTION_KIND static

#endif

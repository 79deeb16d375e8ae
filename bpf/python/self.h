/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * self.h - what pthread_self() returns in the current thread, by which its PyThreadState is known.
 *
 * On x86-64 that is the thread pointer. On arm64 the thread pointer (TPIDR_EL0) is at the end of the C
 * library's record of the thread, struct pthread, and pthread_self() is its start: below it by the size of
 * the record, which each version of a C library has its own of. The size is found for each process, by the
 * first thread state whose id lies so near below the thread pointer and is the address of a record that holds
 * the number of this very thread. It is the same for all threads of a process, so from then on ids are
 * compared exactly.
 */
#ifndef PYPERF_BPF_PYTHON_SELF_H
#define PYPERF_BPF_PYTHON_SELF_H

#include "bpf/base/mem.h"
#include "bpf/data/maps.h"

#if defined(__TARGET_ARCH_arm64)
#include <bpf/bpf_core_read.h>

#define SELF_BELOW_MAX 4096 /* glibc's record has 1,776 bytes and more, musl's about 200 */

/* Where a record holds the thread's number: glibc 2.31 to 2.41; musl since 1.1.21; musl before. */
#define SELF_TID_GLIBC	  208
#define SELF_TID_MUSL	  32
#define SELF_TID_MUSL_OLD 56

/* The thread's number as its own process sees it, in its PID namespace. */
static __always_inline __u32 self_number(struct task_struct *task)
{
	__u64 pid = 0; /* no pointer, since the verifier allows no arithmetic on those */
	__u32 number = 0, level = 0;

	bpf_probe_read_kernel(&pid, sizeof(pid), &task->thread_pid);
	bpf_probe_read_kernel(&level, sizeof(level),
			      (void *)(pid + bpf_core_field_offset(struct pid, level)));
	pid += bpf_core_field_offset(struct pid, numbers) + level * bpf_core_type_size(struct upid);
	bpf_probe_read_kernel(&number, sizeof(number),
			      (void *)(pid + bpf_core_field_offset(struct upid, nr)));
	return number;
}

static __always_inline int self_holds(__u64 record, __u32 offset, __u32 number)
{
	__u32 tid = 0;

	return !mem_read(&tid, sizeof(tid), record + offset) && tid && tid == number;
}

/* Whether id is the current thread's, of which so far only the thread pointer is known. */
static __noinline int self_find(struct scratch *s, __u64 id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 below = task_thread_pointer(task) - id;
	__u32 number;

	if (!s || !mem_plausible(id) || below - 1 >= SELF_BELOW_MAX)
		return 0;
	number = self_number(task);
	if (!self_holds(id, SELF_TID_GLIBC, number) && !self_holds(id, SELF_TID_MUSL, number) &&
	    !self_holds(id, SELF_TID_MUSL_OLD, number))
		return 0;
	s->who.known.self_below = below;
	s->who.learned = 1;
	s->who.self = id;
	return 1;
}
#else
static __always_inline int self_find(struct scratch *s, __u64 id)
{
	return 0;
}
#endif

/* From outside it may be known of a thread only that it is none of those that have a thread state. */
#ifndef self_is_address
#define self_is_address(self) ((self) != 0)
#endif

/* Whether id is what pthread_self() returns in the current thread. */
static __always_inline int self_is(struct scratch *s, __u64 id)
{
	return s->who.self ? id == s->who.self : self_find(s, id);
}

#define MAIN_STACK (8ULL << 20) /* of the main thread, by default; no other mapping is so near above it */
#define STACK_MOST (1ULL << 30) /* a stack of another thread is smaller, or the thread uses one of its own */

/*
 * Where the current thread's C stack is, from its stack pointer to its end. The C library puts its record of
 * a thread, at which the thread pointer points, there. Where a program has made a stack by itself, and goes
 * to that, the two are far from each other.
 */
static __always_inline void self_stack(struct scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 sp = regs_sp((struct pt_regs *)bpf_task_pt_regs(task));
	const __u64 size = task->pid == task->tgid ? MAIN_STACK : task_thread_pointer(task) - sp;

	s->who.sp = sp;
	s->who.stack = size < STACK_MOST ? size : 0;
}

/* At the start of a sample of the process in s->who.known. */
static __always_inline void self_begin(struct scratch *s, struct task_struct *task)
{
	s->who.learned = 0;
	s->who.self = task_thread_pointer(task);
#if defined(__TARGET_ARCH_arm64)
	s->who.self = s->who.known.self_below ? s->who.self - s->who.known.self_below : 0;
#endif
}

#endif

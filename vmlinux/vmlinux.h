/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmlinux.h - the kernel's structs, trimmed to the fields the BPF programs touch. libbpf relocates every
 * access at load time against the running kernel's BTF (CO-RE), so neither order nor size matters here.
 * What differs between architectures is in <arch>/vmlinux.h.
 */
#ifndef PYPERF_VMLINUX_H
#define PYPERF_VMLINUX_H

#include <linux/types.h>
#include <linux/bpf.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
#include "x86/vmlinux.h"
#elif defined(__TARGET_ARCH_arm64)
#include "arm64/vmlinux.h"
#else
#error "no trimmed vmlinux.h for this architecture"
#endif

typedef struct {
	int counter;
} atomic_t;

struct percpu_counter {
	__s64 count; /* without what the CPUs have not handed on */
};

struct file;

struct mm_struct {
	struct file *exe_file;	  /* the program */
	unsigned long start_code; /* the first byte of its code, where it is loaded */
	unsigned long exec_vm; /* pages of mappings that are executable and not writable */
	atomic_t mm_users;     /* tasks that have it; 0 while it is being taken down */
	struct percpu_counter rss_stat[4]; /* since 6.2; pages, by what they are */
};

struct mm_rss_stat { /* before 6.2; pages, by what they are */
	__s64 count[4];
};

struct mm_struct___before_6_2 {
	struct mm_rss_stat rss_stat;
};

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
};

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid; /* in the initial user namespace */
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	int level; /* 0 = the root of the hierarchy */
	struct kernfs_node *kn;
	struct cgroup *ancestors[2]; /* by level, and it is its own; there are more */
};

struct css_set {
	struct cgroup *dfl_cgrp; /* in the hierarchy of cgroup v2 */
};

struct rq {
	__u64 clock; /* of the scheduler, ns, when it was last asked */
	int cpu;
};

struct cfs_rq {
	struct rq *rq; /* with CONFIG_FAIR_GROUP_SCHED, as is the pointer to it */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	__u64 sum_exec_runtime; /* ns on a CPU, up to the last tick or switch */
};

struct sched_info {
	unsigned long long last_arrival; /* on a CPU, by the clock of its run queue; with CONFIG_SCHED_INFO */
};

struct list_head {
	struct list_head *next;
};

struct eventpoll {
	struct list_head rdllist; /* descriptors that are ready, by their epitem */
};

struct super_block {
	unsigned int s_dev; /* major << 20 | minor */
};

struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	long long i_size;
	unsigned int i_generation;
	__s64 i_ctime_sec;   /* since 6.11, as is ... */
	__u32 i_ctime_nsec;
};

struct inode___before_6_11 {
	struct timespec64 __i_ctime;
};

struct inode___before_6_6 {
	struct timespec64 i_ctime;
};

struct file {
	struct inode *f_inode;
	void *private_data; /* of an epoll descriptor: its struct eventpoll */
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct {
	int pid;  /* the thread, in the initial PID namespace */
	int tgid; /* the process */
	unsigned int __state; /* 0 = it can run */
	unsigned int flags;
	void *stack; /* the kernel's own, of this task */
	unsigned in_iowait : 1;
	unsigned on_cpu; /* an int before 7.2, and a byte since: unsigned, so that CO-RE loads either */
	unsigned long nvcsw, nivcsw; /* how often it gave its CPU away, and had it taken */
	int exit_state; /* not 0 from the end of the thread on */
	__u64 start_boottime;
	__u64 self_exec_id; /* a u32 on older kernels: CO-RE adjusts the width of the load */
	struct task_struct *group_leader;
	struct mm_struct *mm;
	struct files_struct *files;
	struct signal_struct *signal;
	struct pid *thread_pid;
	const struct cred *cred;
	struct css_set *cgroups;
	char comm[16];
	struct sched_entity se;
	struct sched_info sched_info;
	struct thread_struct thread;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

struct bpf_raw_tracepoint_args;
struct bpf_perf_event_data;

#endif

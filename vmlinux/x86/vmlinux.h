/* SPDX-License-Identifier: GPL-2.0-only */
struct thread_struct {
	unsigned long fsbase;
};

/*
 * The thread pointer, which is pthread_self() in glibc and musl. Saved when the thread was last switched
 * in; exact unless a program moves it by WRFSBASE, which neither C library does.
 */
#define task_thread_pointer(task) ((__u64)(task)->thread.fsbase)

struct pt_regs {
	unsigned long ip;
	unsigned long orig_ax; /* the system call's number, or -1 if an interrupt entered the kernel */
};

#define regs_pc(regs)	   ((__u64)(regs)->ip)
#define regs_syscall(regs) ((__s64)(regs)->orig_ax)

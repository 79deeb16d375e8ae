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
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax; /* the system call's number, or -1 if an interrupt entered the kernel */
	unsigned long ip;
	unsigned long sp;
};

/*
 * Whether a perf event has interrupted the kernel, and no program. What its program is given begins with the
 * registers; their order is part of the kernel's interface (asm/ptrace.h), so nothing is to be relocated.
 */
#define PERF_REGS_CS	    17
#define perf_in_kernel(ctx) (!(((const unsigned long *)(ctx))[PERF_REGS_CS] & 3))

#define regs_pc(regs)	   ((__u64)(regs)->ip)
#define regs_syscall(regs) ((__s64)(regs)->orig_ax)
#define regs_argument(regs) ((__u64)(regs)->di) /* the system call's first */
#define regs_argument_kept(regs) ((__u64)(regs)->di) /* ... also once it is over */
#define regs_sp(regs)	   ((__u64)(regs)->sp)
#define regs_bp(regs)	   ((__u64)(regs)->bp)

/* A register by its DWARF number (System V ABI, AMD64 supplement, figure 3.36); 0 for one that has none. */
#define regs_dwarf(regs, number)                  \
	((number) == 0 ? (__u64)(regs)->ax :      \
	 (number) == 1 ? (__u64)(regs)->dx :      \
	 (number) == 2 ? (__u64)(regs)->cx :      \
	 (number) == 3 ? (__u64)(regs)->bx :      \
	 (number) == 4 ? (__u64)(regs)->si :      \
	 (number) == 5 ? (__u64)(regs)->di :      \
	 (number) == 6 ? (__u64)(regs)->bp :      \
	 (number) == 7 ? (__u64)(regs)->sp :      \
	 (number) == 8 ? (__u64)(regs)->r8 :      \
	 (number) == 9 ? (__u64)(regs)->r9 :      \
	 (number) == 10 ? (__u64)(regs)->r10 :    \
	 (number) == 11 ? (__u64)(regs)->r11 :    \
	 (number) == 12 ? (__u64)(regs)->r12 :    \
	 (number) == 13 ? (__u64)(regs)->r13 :    \
	 (number) == 14 ? (__u64)(regs)->r14 :    \
	 (number) == 15 ? (__u64)(regs)->r15 : 0)

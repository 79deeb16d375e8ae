/* SPDX-License-Identifier: GPL-2.0-only */
struct thread_struct {
	struct {
		unsigned long tp_value;
	} uw;
};

/*
 * TPIDR_EL0, as it was when the thread was last switched in or out. The C library sets that of the main
 * thread when a program starts, and never again. pthread_self() is below it (bpf/python/self.h).
 */
#define task_thread_pointer(task) ((__u64)(task)->thread.uw.tp_value)

struct pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__s32 syscallno; /* -1 if an interrupt entered the kernel */
};

/* The kernel's functions are found on x86-64 only. */
#define perf_in_kernel(ctx) ((void)(ctx), 0)

#define regs_pc(regs)	   ((__u64)(regs)->pc)
#define regs_syscall(regs) ((__s64)(regs)->syscallno)
#define regs_argument(regs) ((__u64)(regs)->regs[0]) /* the first one of the system call */
#define regs_sp(regs)	    ((__u64)(regs)->sp)
#define regs_bp(regs)	    ((__u64)(regs)->regs[29])

/* A register by its DWARF number (DWARF for the Arm 64-bit Architecture), which is a constant. */
#define regs_dwarf(regs, number) ((__u64)(regs)->regs[number])

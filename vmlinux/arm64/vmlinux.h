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
	__u64 orig_x0;
	__s32 syscallno; /* -1 if an interrupt entered the kernel */
};

/*
 * Since 6.13 the record of two zeros that an exception leaves on its stack says what it is. The field is
 * asked for, and not the type: to say that a type is nowhere libbpf looks in all modules, which takes
 * CAP_SYS_ADMIN.
 */
struct frame_record_meta {
	__u64 type;
};

struct pt_regs___6_13 {
	struct frame_record_meta stackframe;
};

/* Of that record in the registers that it is kept with; 0 before 6.13. */
#define kernel_kinds_offset()                                    \
	(bpf_core_field_exists(struct pt_regs___6_13, stackframe.type) ? \
	 (__u32)bpf_core_field_offset(struct pt_regs___6_13, stackframe) : 0)

/*
 * Whether a perf event has interrupted the kernel, and no program. What its program is given begins with the
 * registers; their order is part of the kernel's interface (asm/ptrace.h), so nothing is to be relocated.
 */
#define PERF_REGS_X29	 29
#define PERF_REGS_PC	 32
#define PERF_REGS_PSTATE 33
#define PERF_MODE_MASK	 0xf /* of pstate; 0 = EL0t */
#define perf_in_kernel(ctx) (((const __u64 *)(ctx))[PERF_REGS_PSTATE] & PERF_MODE_MASK)
#define perf_pc(ctx)	    (((const __u64 *)(ctx))[PERF_REGS_PC])
#define perf_x29(ctx)	    (((const __u64 *)(ctx))[PERF_REGS_X29])

#define regs_pc(regs)	   ((__u64)(regs)->pc)
#define regs_syscall(regs) ((__s64)(regs)->syscallno)
#define regs_argument(regs) ((__u64)(regs)->regs[0]) /* the first one of the system call */
#define regs_argument_kept(regs) ((__u64)(regs)->orig_x0) /* ... also once it is over */
#define regs_sp(regs)	    ((__u64)(regs)->sp)
#define regs_bp(regs)	    ((__u64)(regs)->regs[29])

/* A register by its DWARF number (DWARF for the Arm 64-bit Architecture), which is a constant. */
#define regs_dwarf(regs, number) ((__u64)(regs)->regs[number])

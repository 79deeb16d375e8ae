/* SPDX-License-Identifier: GPL-2.0-only */
struct thread_struct_uw {
	unsigned long tp_value;
};

struct thread_struct {
	struct {
		unsigned long tp_value;
	} uw;
};

/* TPIDR_EL0. glibc's pthread_self() is below it by a constant: see docs/design.md, AArch64. */
#define task_thread_pointer(task) ((__u64)(task)->thread.uw.tp_value)

/* SPDX-License-Identifier: GPL-2.0-only */
struct thread_struct {
	unsigned long fsbase;
};

/*
 * The thread pointer, which is pthread_self() in glibc and musl. Saved when the thread was last switched
 * in; exact unless a program moves it by WRFSBASE, which neither C library does.
 */
#define task_thread_pointer(task) ((__u64)(task)->thread.fsbase)

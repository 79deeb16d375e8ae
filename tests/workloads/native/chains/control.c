// SPDX-License-Identifier: GPL-2.0-only
/* Control that does not go by calls and returns alone: signals, jumps, threads, code made at run time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "chains.h"

static uint64_t how_long;

/* --- the kernel's page of code ---------------------------------------------------------------------- */

FUNCTION reads_clock(uint64_t n)
{
	struct timespec now = { 0 };

	for (uint64_t i = 0; i < n / 64; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* --- jumps ------------------------------------------------------------------------------------------ */

static jmp_buf jump;

static ALONE __attribute__((noreturn)) void jumps(uint64_t n)
{
	how_long = spin(n);
	longjmp(jump, 1);
}

/* Its last instruction is a call, so the return address is of the function behind it. */
static ALONE __attribute__((noreturn)) void ends_with_call(uint64_t n)
{
	__asm__ volatile("" : "+r"(n));
	jumps(n + 1);
}

FUNCTION long_jump(uint64_t n)
{
	if (!setjmp(jump))
		ends_with_call(n);
	return 1;
}

/* --- signals ---------------------------------------------------------------------------------------- */

static ALONE void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	spin(how_long);
}

/* Sends itself a signal without a function of the C library between. */
static FUNCTION raises(uint64_t n)
{
	const long process = getpid(), thread = syscall(SYS_gettid);
	long result = SYS_tgkill;

	how_long = n;
#ifdef __aarch64__
	register long x8 __asm__("x8") = result;
	register long x0 __asm__("x0") = process;
	register long x1 __asm__("x1") = thread;
	register long x2 __asm__("x2") = SIGUSR2;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	result = x0;
#else
	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(process), "S"(thread), "d"(SIGUSR2)
			 : "rcx", "r11", "memory");
#endif
	return result;
}

static FUNCTION with_handler(uint64_t n, int flags)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags };

	sigaction(SIGUSR2, &action, 0);
	return raises(n);
}

FUNCTION signal_handler(uint64_t n)
{
	return with_handler(n, 0);
}

FUNCTION signal_stack(uint64_t n)
{
	static char memory[64 << 10];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	sigaltstack(&stack, 0);
	return with_handler(n, SA_ONSTACK);
}

/* --- threads ---------------------------------------------------------------------------------------- */

static FUNCTION works(uint64_t n)
{
	return spin(n);
}

static void *thread(void *unused)
{
	(void)unused;
	for (;;)
		works(how_long);
	return 0;
}

/* A thread that Python knows nothing of. */
int start_thread_of_c(uint64_t n)
{
	pthread_t id;

	how_long = n;
	return pthread_create(&id, 0, thread, 0);
}

/* --- code of no file -------------------------------------------------------------------------------- */

/*
 * Calls its second argument with its first, or, at CODE_OUTER, the first function:
 *   push %rbp; mov %rsp, %rbp; call *%rsi; pop %rbp; ret
 *   push %rbp; mov %rsp, %rbp; call CODE_INNER; pop %rbp; ret
 */
#ifdef __aarch64__
/*   stp x29, x30, [sp, #-16]!; mov x29, sp; blr x1 or bl CODE_INNER; ldp x29, x30, [sp], #16; ret */
static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0020, 0xa8c17bfd, 0xd65f03c0,
				 0xa9bf7bfd, 0x910003fd, 0x97fffff9, 0xa8c17bfd, 0xd65f03c0 };
#define CODE_OUTER 20
#else
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3,
				      0x55, 0x48, 0x89, 0xe5, 0xe8, 0xef, 0xff, 0xff, 0xff, 0x5d, 0xc3 };
#define CODE_OUTER 8
#endif

FUNCTION made_code(uint64_t n)
{
	static char *memory;
	uint64_t (*outer)(uint64_t, uint64_t (*)(uint64_t));

	if (!memory) {
		memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(memory, code, sizeof(code));
		__builtin___clear_cache(memory, memory + sizeof(code));
		mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	}
	outer = (uint64_t (*)(uint64_t, uint64_t (*)(uint64_t)))(memory + CODE_OUTER);
	return outer(n, spin);
}

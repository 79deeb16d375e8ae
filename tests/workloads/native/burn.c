// SPDX-License-Identifier: GPL-2.0-only
/*
 * burn.c - a library of functions that burn CPU time, for native.py. PREFIX goes before each name, and PAD
 * bytes of code that is never run make it larger.
 */
#include <pthread.h>
#include <stdint.h>

#define PASTE(a, b) a##b
#define NAME(a, b)  PASTE(a, b)

static inline __attribute__((always_inline)) uint64_t loop(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(x) : "r"(i));
	return x;
}

__attribute__((noinline)) uint64_t NAME(PREFIX, heavy)(uint64_t n)
{
	return loop(3 * n);
}

__attribute__((noinline)) uint64_t NAME(PREFIX, light)(uint64_t n)
{
	return loop(n);
}

static void *thread(void *unused)
{
	(void)unused;
	for (;;)
		NAME(PREFIX, heavy)(1000000);
	return 0;
}

/* A thread that Python knows nothing of. */
int NAME(PREFIX, start)(void)
{
	pthread_t id;

	return pthread_create(&id, 0, thread, 0);
}

#ifdef PAD
__asm__(".text\n.skip " PAD ", 0x90\n");
#endif

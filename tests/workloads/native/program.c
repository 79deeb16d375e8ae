// SPDX-License-Identifier: GPL-2.0-only
/*
 * program.c - burns CPU time in C alone: heavy() takes three times what light() takes, each called by
 * middle(). With an argument a second thread does the same, called by threads().
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define FUNCTION __attribute__((noinline)) void

static inline __attribute__((always_inline)) void loop(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("");
}

FUNCTION heavy(uint64_t n)
{
	loop(3 * n);
}

FUNCTION light(uint64_t n)
{
	loop(n);
}

FUNCTION middle(uint64_t n)
{
	heavy(n);
	light(n);
	__asm__ volatile(""); /* so that the call before is none at the function's end */
}

static void *threads(void *unused)
{
	for (;;)
		middle(100000);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t id;

	(void)argv;
	puts("{}");
	fflush(stdout);
	if (argc > 1 && pthread_create(&id, NULL, threads, NULL))
		return 1;
	for (;;)
		middle(100000);
}

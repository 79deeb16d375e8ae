// SPDX-License-Identifier: GPL-2.0-only
/*
 * passes.c - two processes that do nothing but pass one byte to and fro: passes PROGRESS, a file whose first
 * 16 bytes get the passes so far and the CPU time of both, in ns. Ends with its parent.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 64 /* between two notes */

static void answer(int from, int to)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

static unsigned long long cpu_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		abort();
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int there[2], back[2], fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	volatile unsigned long long *page;
	clockid_t clock;
	char byte = 0;
	pid_t child;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	page = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || pipe(there) || pipe(back))
		return 2;
	child = fork();
	if (!child)
		answer(there[0], back[1]);
	if (child < 0 || clock_getcpuclockid(child, &clock))
		return 2;
	printf("{\"pid\": %d}\n", getpid());
	fflush(stdout);
	for (;;) {
		for (int i = 0; i < ROUNDS; i++)
			if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
				return 1;
		page[0] += 2 * ROUNDS;
		page[1] = cpu_of(clock) + cpu_of(CLOCK_PROCESS_CPUTIME_ID);
	}
}

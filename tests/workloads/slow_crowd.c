// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow_crowd.c COUNT UID PATH - starts so many processes of that user, which burn with the lowest priority
 * and end with it. PATH is "", or each of them has a file of its own mapped: PATH and its number. They are
 * executed: one that is only forked is taken for what its parent is, and nobody asks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static int burn(const char *path, const char *number)
{
	const int rights = PROT_READ | PROT_EXEC;
	char file[4096];

	prctl(PR_SET_PDEATHSIG, 9);
	snprintf(file, sizeof(file), "%s%s", path, number);
	if (*path && mmap(NULL, 4096, rights, MAP_PRIVATE, open(file, O_RDONLY), 0) == MAP_FAILED)
		return 1;
	if (write(1, "", 1) != 1 || nice(19) < 0)
		return 1;
	for (;;)
		;
}

int main(int argc, char **argv)
{
	const int count = atoi(argv[1]), uid = atoi(argv[2]);
	char number[16], byte;
	int both[2];

	if (argc > 4)
		return burn(argv[3], argv[4]);
	if (pipe(both) || setgid(uid) || setuid(uid))
		return 1;
	for (int i = 0; i < count; i++) {
		if (fork())
			continue;
		snprintf(number, sizeof(number), "%d", i);
		dup2(both[1], 1);
		execl("/proc/self/exe", "crowd", argv[1], argv[2], argv[3], number, NULL);
		_exit(1);
	}
	for (int i = 0; i < count; i++)
		if (read(both[0], &byte, 1) != 1)
			return 1;
	puts("{}");
	fflush(stdout);
	pause();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * refuse.c - runs a command to which the kernel refuses system calls: refuse [perf] [timers] [filters]
 * [clock] -- COMMAND [ARG...]
 */
#include "tests/forge/refuse.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int i, err = 0;

	for (i = 1; i < argc && strcmp(argv[i], "--") && !err; i++) {
		if (!strcmp(argv[i], "perf"))
			err = refuse_perf_events();
		else if (!strcmp(argv[i], "timers"))
			err = refuse_timers();
		else if (!strcmp(argv[i], "filters"))
			err = refuse_filters();
		else if (!strcmp(argv[i], "clock"))
			err = refuse_clock();
		else
			err = -EINVAL;
	}
	if (err || i + 1 >= argc) {
		fprintf(stderr, "refuse: %s; usage: refuse [perf] [timers] [filters] [clock] -- COMMAND...\n",
			strerror(-err));
		return 125;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 126;
}

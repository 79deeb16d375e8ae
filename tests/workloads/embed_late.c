// SPDX-License-Identifier: GPL-2.0-only
/*
 * embed_late.c - a program that is not Python, until it loads LIBRARY after SECONDS of CPU time and runs
 * FILE.
 *	embed_late SECONDS LIBRARY FILE
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void burn_in_c(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		;
}

int main(int argc, char **argv)
{
	int (*run_file)(FILE *, const char *);
	void (*initialize)(int);
	void *library;
	FILE *file;

	if (argc != 4)
		return 2;
	printf("{}\n");
	fflush(stdout);
	burn_in_c(atof(argv[1]));
	library = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		return 1;
	initialize = (void (*)(int))dlsym(library, "Py_InitializeEx");
	run_file = (int (*)(FILE *, const char *))dlsym(library, "PyRun_SimpleFile");
	file = fopen(argv[3], "r");
	if (!initialize || !run_file || !file)
		return 1;
	initialize(0);
	return run_file(file, argv[3]);
}

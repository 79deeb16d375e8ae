// SPDX-License-Identifier: GPL-2.0-only
/*
 * embed.c - Python inside a program that links it.
 *	embed FILE			runs FILE in the main thread
 *	embed --thread FILE		in a thread that C made, by PyGILState_Ensure()
 *	embed --idle SECONDS FILE	after that much CPU time with an interpreter that runs nothing
 */
#include <Python.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void burn_in_c(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		;
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file || PyRun_SimpleFile(file, path))
		exit(1);
	fclose(file);
}

static void *run_in_thread(void *path)
{
	PyGILState_STATE state = PyGILState_Ensure();

	run_file(path);
	PyGILState_Release(state);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	Py_InitializeEx(0);
	if (!strcmp(argv[1], "--idle")) {
		printf("{}\n");
		fflush(stdout);
		burn_in_c(atof(argv[2]));
	}
	if (strcmp(argv[1], "--thread")) {
		run_file(argv[argc - 1]);
		return 0;
	}
	PyEval_SaveThread();
	if (pthread_create(&thread, NULL, run_in_thread, argv[2]))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}

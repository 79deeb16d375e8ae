// SPDX-License-Identifier: GPL-2.0-only
/*
 * run_tests.c - main() of the programs of unit tests: runs what TEST() has listed (test.h), each file in a
 * child, so that one that dies fails alone.
 *
 *	all			all
 *	all tree		those of a folder
 *	all test_window		those of a file; tree/test_window, if there are several of that name
 *	all mark_moves		one test
 *	all --list		the names of the files
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forge/test.h"

#define FOLDER "tests/unit/"

extern const struct unit_test *__start_unit_tests[], *__stop_unit_tests[];

static size_t count(void)
{
	return (size_t)(__stop_unit_tests - __start_unit_tests);
}

/* A compiler may have put variables in another order than they are in the file. */
static int by_place(const void *left, const void *right)
{
	const struct unit_test *a = *(const struct unit_test *const *)left;
	const struct unit_test *b = *(const struct unit_test *const *)right;

	return strcmp(a->file, b->file) ?: a->line - b->line;
}

/* "tree/test_window" */
static const char *path_of(const struct unit_test *row, char path[static 256])
{
	const char *folder = strstr(row->file, FOLDER);

	snprintf(path, 256, "%s", folder ? folder + strlen(FOLDER) : row->file);
	path[strcspn(path, ".")] = '\0';
	return path;
}

static bool is_chosen(const struct unit_test *row, char **chosen)
{
	char path[256];
	const char *slash = strrchr(path_of(row, path), '/'), *base = slash ? slash + 1 : path;

	for (char **one = chosen; *one; one++) {
		size_t length = strlen(*one);

		if (!strcmp(*one, row->name) || !strcmp(*one, path) || !strcmp(*one, base))
			return true;
		if (!strncmp(path, *one, length) && path[length] == '/')
			return true;
	}
	return !*chosen;
}

/* Runs those that are chosen of the rows of one file; returns how many have failed, at most 100. */
static int run_rows(const struct unit_test *const *rows, size_t n, char **chosen)
{
	const struct unit_test none = { 0 }, *all = &none, *each = &none;
	struct CMUnitTest tests[n];
	size_t number = 0;
	char path[256];
	int failed;

	for (size_t i = 0; i < n; i++)
		if (!rows[i]->name)
			*(rows[i]->each ? &each : &all) = rows[i];
	for (size_t i = 0; i < n; i++) {
		bool has_own = rows[i]->bare || rows[i]->setup || rows[i]->teardown;
		const struct unit_test *around = has_own ? rows[i] : each;

		if (rows[i]->name && is_chosen(rows[i], chosen))
			tests[number++] = (struct CMUnitTest){ rows[i]->name, rows[i]->test, around->setup,
							       around->teardown, NULL };
	}
	if (!number)
		return 0;
	failed = _cmocka_run_group_tests(path_of(rows[0], path), tests, number, all->setup, all->teardown);
	return failed > 0 && failed < 100 ? failed : failed ? 100 : 0;
}

static bool has_chosen(const struct unit_test *const *rows, size_t n, char **chosen)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i]->name && is_chosen(rows[i], chosen))
			return true;
	return false;
}

/* Whether they pass, in a child. */
static bool passes(const struct unit_test *const *rows, size_t n, char **chosen)
{
	char path[256];
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		exit(run_rows(rows, n, chosen));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	if (WIFSIGNALED(status))
		fprintf(stderr, "FAILED: %s: %s\n", path_of(rows[0], path), strsignal(WTERMSIG(status)));
	return !status;
}

int main(int argc, char **argv)
{
	const struct unit_test **rows = __start_unit_tests;
	bool lists = argc > 1 && !strcmp(argv[1], "--list"), ran = false, failed = false;
	char path[256];

	qsort(rows, count(), sizeof(*rows), by_place);
	for (size_t i = 0, n; i < count(); i += n) {
		for (n = 1; i + n < count() && !strcmp(rows[i]->file, rows[i + n]->file); n++)
			;
		if (lists) {
			puts(path_of(rows[i], path));
		} else if (has_chosen(rows + i, n, argv + 1)) {
			ran = true;
			failed |= !passes(rows + i, n, argv + 1);
		}
	}
	if (!lists && !ran)
		fprintf(stderr, "%s: there is no such test\n", argv[0]);
	return failed || (!lists && !ran);
}

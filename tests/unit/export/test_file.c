// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_file.c - a file is replaced whole or not at all, and what must not be replaced is not.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "export/file.h"
#include "tests/forge/test.h"

#define UNPRIVILEGED 65534 /* nobody */

/* Each test has the current folder for itself. */
static int setup(void **state)
{
	char folder[] = "/tmp/test_file.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	*state = strdup(folder);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	DIR *d = opendir(*state);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (unlinkat(dirfd(d), e->d_name, 0) < 0)
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	if (d)
		closedir(d);
	rmdir(*state);
	free(*state);
	return chdir("/");
}

static int count_entries(void)
{
	DIR *d = opendir(".");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void assert_content(const char *path, const char *expected)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char text[64] = "";

	assert_non_null(f);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, f), strlen(expected));
	assert_string_equal(text, expected);
}

TEST(creates_and_replaces)
{
	mode_t mask = umask(027);
	struct stat first, second;

	assert_int_equal(file_write_atomic("out", "one", 3), 0);
	assert_int_equal(stat("out", &first), 0);
	assert_int_equal(first.st_mode & 07777, 0640);
	umask(mask);
	assert_content("out", "one");
	assert_int_equal(file_write_atomic("./out", "two", 3), 0);
	assert_content("out", "two");
	assert_int_equal(stat("out", &second), 0);
	assert_true(first.st_ino != second.st_ino);
	assert_int_equal(file_write_atomic("out", NULL, 0), 0);
	assert_content("out", "");
	assert_int_equal(count_entries(), 1);
}

/* It can still be entered, and a file that is made in it is in no folder. */
TEST(a_working_folder_that_was_removed)
{
	assert_int_equal(mkdir("gone", 0700), 0);
	assert_int_equal(chdir("gone"), 0);
	assert_int_equal(rmdir("../gone"), 0);
	assert_int_equal(file_check_writable("x"), -ENOENT);
	assert_int_equal(file_write_atomic("x", "x", 1), -ENOENT);
	assert_string_equal(file_why("x", -ENOENT), "the working folder was removed");
	assert_string_equal(file_why("x", -EACCES), strerror(EACCES));
	assert_string_equal(file_why("/nonexistent/x", -ENOENT), strerror(ENOENT));
}

TEST(names_may_be_as_long_as_the_system_allows)
{
	char name[257];

	memset(name, 'n', sizeof(name));
	name[255] = 0;
	assert_int_equal(file_check_writable(name), 0);
	assert_int_equal(file_write_atomic(name, "x", 1), 0);
	assert_content(name, "x");
	name[255] = 'n';
	name[256] = 0;
	assert_int_equal(file_check_writable(name), -ENAMETOOLONG);
	assert_int_equal(file_write_atomic(name, "x", 1), -ENAMETOOLONG);
	assert_int_equal(count_entries(), 1);
}

TEST(a_failed_write_leaves_the_old_file_alone)
{
	struct rlimit limit, small;
	static char big[65536];
	int err;

	assert_int_equal(file_write_atomic("out", "old", 3), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	err = file_write_atomic("out", big, sizeof(big));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(err, -EFBIG);
	assert_content("out", "old");
	assert_int_equal(count_entries(), 1);
}

TEST(what_is_not_a_regular_file_is_written_to)
{
	struct stat st;

	assert_int_equal(file_check_writable("/dev/null"), 0);
	assert_int_equal(file_write_atomic("/dev/null", "x", 1), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(file_write_atomic("/dev/full", "x", 1), -ENOSPC);
	assert_int_equal(file_write_atomic("target", "a longer text", 13), 0);
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(file_check_writable("link"), 0);
	assert_int_equal(file_write_atomic("link", "x", 1), 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_content("target", "x");
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(file_check_writable("dangling"), -ENOENT);
	assert_int_equal(file_write_atomic("dangling", "x", 1), -ENOENT);
	assert_int_equal(count_entries(), 3);
}

/* Far more than a pipe holds, so that the writer has to wait for the reader. */
TEST(a_fifo_needs_a_reader_and_gets_everything)
{
	static char sent[300000], received[sizeof(sent) + 1];
	struct stat st;
	size_t n = 0;
	ssize_t got;
	int fd, status;
	pid_t child;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(file_write_atomic("fifo", "x", 1), -ENXIO);
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)(i * 7 % 251);
	fd = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(file_write_atomic("fifo", sent, sizeof(sent)) ? 1 : 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	usleep(20000); /* without O_NONBLOCK a read before the writer came would be the end */
	while ((got = read(fd, received + n, sizeof(received) - n)) > 0 ||
	       (!n && !waitpid(child, &status, WNOHANG)))
		n += got;
	close(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(n, sizeof(sent));
	assert_memory_equal(sent, received, n);
	assert_int_equal(stat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

TEST(impossible_places_are_named)
{
	int (*const check)(const char *) = file_check_writable;

	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(symlink("folder", "to_folder"), 0);
	assert_int_equal(file_write_atomic("file", "x", 1), 0);
	assert_int_equal(check("file"), 0);
	assert_int_equal(check("new"), 0);
	assert_int_equal(check("folder/new"), 0);
	assert_int_equal(check(""), -ENOENT);
	assert_int_equal(check("folder"), -EISDIR);
	assert_int_equal(check("folder/"), -EISDIR);
	assert_int_equal(check("to_folder"), -EISDIR);
	assert_int_equal(check("."), -EISDIR);
	assert_int_equal(check("/"), -EISDIR);
	assert_int_equal(check("missing/new"), -ENOENT);
	assert_int_equal(check("file/new"), -ENOTDIR);
	assert_int_equal(file_write_atomic("", "x", 1), -ENOENT);
	assert_int_equal(file_write_atomic("folder", "x", 1), -EISDIR);
	assert_int_equal(file_write_atomic("folder/", "x", 1), -EISDIR);
	assert_int_equal(file_write_atomic("missing/new", "x", 1), -ENOENT);
	assert_int_equal(file_write_atomic("file/new", "x", 1), -ENOTDIR);
	assert_int_equal(count_entries(), 3);
}

/* Root may write everywhere, so this happens in a child that is nobody. */
TEST(a_folder_of_others_is_refused)
{
	pid_t child;
	int status;

	assert_int_equal(chmod(".", 0755), 0);
	if (geteuid() != 0)
		assert_int_equal(chmod(".", 0555), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (geteuid() == 0 && setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED) < 0)
			_exit(1);
		if (file_check_writable("new") != -EACCES)
			_exit(2);
		_exit(file_write_atomic("new", "x", 1) == -EACCES ? 0 : 3);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(chmod(".", 0755), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(count_entries(), 0);
}

/* Two contents alternate; whoever reads sees one of them, whole. */
TEST(a_reader_never_sees_half_a_file)
{
	static char content[2][40000], seen[sizeof(content[0]) + 1];
	int status, reads = 0, fd;
	pid_t child;

	memset(content[0], 'a', sizeof(content[0]));
	memset(content[1], 'b', sizeof(content[1]) / 2);
	assert_int_equal(file_write_atomic("out", content[0], sizeof(content[0])), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		for (int i = 1; i <= 200; i++)
			if (file_write_atomic("out", content[i % 2], sizeof(content[0]) / (1 + i % 2)))
				_exit(1);
		_exit(0);
	}
	while (!waitpid(child, &status, WNOHANG)) {
		fd = open("out", O_RDONLY);
		assert_true(fd >= 0);
		size_t n = read(fd, seen, sizeof(seen));
		close(fd);
		assert_int_equal(n, seen[0] == 'a' ? sizeof(content[0]) : sizeof(content[0]) / 2);
		assert_memory_equal(seen, content[seen[0] != 'a'], n);
		reads++;
	}
	assert_int_equal(status, 0);
	assert_true(reads > 0);
	assert_int_equal(count_entries(), 1);
}

TEST(errors_of_a_descriptor_come_through, .bare = true)
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fd_write_all(ends[1], "x", 1), 0);
	assert_int_equal(fd_write_all(ends[1], NULL, 0), 0);
	close(ends[0]);
	assert_int_equal(fd_write_all(ends[1], "x", 1), -EPIPE);
	close(ends[1]);
	assert_int_equal(fd_write_all(-1, "x", 1), -EBADF);
}

AROUND_EACH(setup, teardown);

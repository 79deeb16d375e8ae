// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_viewer_files.c - a folder with the files of a page: which are read, which are not, and by which paths
 * they are found.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "http/viewer_files.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static char folder[] = "/tmp/pyperf-viewer.XXXXXX";
static struct viewer_files *files;

static int setup(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return !mkdtemp(folder);
}

static int remove_it(const char *path, const struct stat *stat, int type, struct FTW *where)
{
	(void)stat;
	(void)type;
	(void)where;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	viewer_files_free(files);
	files = NULL;
	return nftw(folder, remove_it, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *path_of(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	_cleanup_close_ int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void expect(const char *path, const char *type, const char *text)
{
	const struct viewer_file *f = viewer_files_find(files, path);

	assert_non_null(f);
	assert_string_equal(f->type, type);
	assert_int_equal(f->size, strlen(text));
	assert_memory_equal(f->data, text, f->size);
}

TEST(files_of_a_page)
{
	write_file("index.html", "<html>");
	write_file("speedscope-1.js", "run()");
	write_file("speedscope-1.css", "");
	write_file("a.ttf-X.woff2", "font");
	assert_int_equal(viewer_files_load(folder, &files), 0);
	expect("/speedscope/", "text/html; charset=utf-8", "<html>");
	expect("/speedscope/index.html", "text/html; charset=utf-8", "<html>");
	expect("/speedscope/speedscope-1.js", "text/javascript; charset=utf-8", "run()");
	expect("/speedscope/speedscope-1.css", "text/css; charset=utf-8", "");
	expect("/speedscope/a.ttf-X.woff2", "font/woff2", "font");
	write_file("index.html", "it is read once");
	expect("/speedscope/", "text/html; charset=utf-8", "<html>");
}

TEST(what_is_left_out)
{
	static const char *const paths[] = {
		"/speedscope/notes.txt", "/speedscope/.hidden.js", "/speedscope/a b.js", "/speedscope/.js",
		"/speedscope/link.js", "/speedscope/fifo.js", "/speedscope/folder.js", "/speedscope/none.js",
		"/speedscope", "/index.html", "/speedscope//index.html",
		"/speedscope/../speedscope/index.html", "", "/",
	};
	static const char *const names[] = { "index.html", "notes.txt", ".hidden.js", "a b.js", ".js" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		write_file(names[i], "x");
	assert_int_equal(symlink("/etc/passwd", path_of("link.js")), 0);
	assert_int_equal(mkfifo(path_of("fifo.js"), 0600), 0);
	assert_int_equal(mkdir(path_of("folder.js"), 0700), 0);
	assert_int_equal(viewer_files_load(folder, &files), 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (viewer_files_find(files, paths[i]))
			fail_msg("%s is there", paths[i]);
	assert_null(viewer_files_find(NULL, "/speedscope/"));
}

TEST(folders_that_are_none)
{
	char name[32];

	assert_int_equal(viewer_files_load("/nonexistent", &files), -ENOENT);
	assert_int_equal(viewer_files_load("/dev/null", &files), -ENOTDIR);
	assert_int_equal(viewer_files_load(folder, &files), -ENOENT);
	write_file("index.html", "");
	assert_int_equal(truncate(path_of("index.html"), VIEWER_BYTES_MAX + 1), 0);
	assert_int_equal(viewer_files_load(folder, &files), -E2BIG);
	write_file("index.html", "");
	for (int i = 0; i < VIEWER_FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%d.js", i);
		write_file(name, "");
	}
	assert_int_equal(viewer_files_load(folder, &files), -E2BIG);
	assert_null(files);
}

TEST(without_memory)
{
	int err = -ENOMEM, failed = 0;

	write_file("index.html", "x");
	for (long n = 0; fail_malloc_works() && err; n++) {
		allocations_left = n;
		err = viewer_files_load(folder, &files);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		failed += err != 0;
	}
	assert_true(failed >= 2 || !fail_malloc_works());
}

AROUND_EACH(setup, teardown);

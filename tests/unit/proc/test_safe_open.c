// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_safe_open.c - the mapped file is opened, whatever now has its name; nothing else is, and nothing
 * blocks.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include "base/cleanup.h"
#include "proc/safe_open.h"
#include "tests/forge/test.h"

#define PAGE 4096
#define BOTH (SAFE_OPEN_OWN | SAFE_OPEN_PUBLIC)

struct mapped {
	char directory[64];
	char path[96];
	void *memory;
	struct procfs_map map;
	bool privileged; /* map_files can be followed */
};

static int copy_map(const struct procfs_map *map, void *context)
{
	struct mapped *mapped = context;

	if (map->start != (uintptr_t)mapped->memory)
		return 0;
	mapped->map = *map;
	return 1;
}

static int setup(void **state)
{
	struct mapped *mapped = calloc(1, sizeof(*mapped));
	_cleanup_close_ int fd = -1;

	strcpy(mapped->directory, "/tmp/pyperf-open.XXXXXX");
	assert_non_null(mkdtemp(mapped->directory));
	snprintf(mapped->path, sizeof(mapped->path), "%s/a file", mapped->directory);
	fd = open(mapped->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, PAGE), 0);
	assert_int_equal(pwrite(fd, "true", 4, 0), 4);
	mapped->memory = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(mapped->memory, MAP_FAILED);
	assert_int_equal(procfs_maps(getpid(), copy_map, mapped), 1);
	mapped->privileged = geteuid() == 0;
	*state = mapped;
	return 0;
}

static int teardown(void **state)
{
	struct mapped *mapped = *state;

	munmap(mapped->memory, PAGE);
	unlink(mapped->path);
	rmdir(mapped->directory);
	free(mapped);
	return 0;
}

/* Another range: map_files has no such entry, and only the name is left. */
static struct procfs_map by_name(const struct mapped *mapped)
{
	struct procfs_map map = mapped->map;

	map.end += PAGE;
	return map;
}

static int check_true(const struct procfs_map *map)
{
	struct stat stat;
	_cleanup_close_ int path_fd = safe_open_mapping(getpid(), map, &stat), fd = -1;
	char text[4];

	if (path_fd < 0)
		return path_fd;
	assert_int_equal(stat.st_ino, map->inode);
	fd = safe_open_reopen(path_fd);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, 4), 4);
	assert_memory_equal(text, "true", 4);
	return 0;
}

TEST(plain)
{
	struct mapped *mapped = *state;
	struct procfs_map map = by_name(mapped);
	struct stat stat;

	assert_int_equal(check_true(&mapped->map), 0);
	assert_int_equal(check_true(&map), 0);
	map.inode = 0;
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ENOENT);
}

TEST(deleted_and_replaced)
{
	struct mapped *mapped = *state;
	struct procfs_map map = by_name(mapped);
	_cleanup_close_ int fd = -1;
	struct stat stat;

	unlink(mapped->path);
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ENOENT);
	fd = open(mapped->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "fake", 4), 4);
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ESTALE);
	if (mapped->privileged)
		assert_int_equal(check_true(&mapped->map), 0);
	else
		print_message("SKIP map_files: needs root\n");
}

TEST(fifo_device_link)
{
	struct mapped *mapped = *state;
	struct procfs_map map = by_name(mapped);
	struct stat stat;

	unlink(mapped->path);
	assert_int_equal(mkfifo(mapped->path, 0600), 0);
	alarm(60); /* a blocking open would never return */
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -EMEDIUMTYPE);
	unlink(mapped->path);
	assert_int_equal(symlink("/dev/zero", mapped->path), 0);
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -EMEDIUMTYPE);
	strcpy(map.path, "/dev/zero");
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -EMEDIUMTYPE);
	strcpy(map.path, "relative");
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ENOENT);
	alarm(0);
}

/* The same file, inode and device, by a path that maps never show. */
TEST(link_on_the_way)
{
	struct mapped *mapped = *state;
	struct procfs_map map = by_name(mapped);
	char link[80];
	struct stat stat;

	snprintf(link, sizeof(link), "%s.link", mapped->directory);
	assert_int_equal(symlink(mapped->directory, link), 0);
	snprintf(map.path, sizeof(map.path), "%s/a file", link);
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ENOTDIR);
	unlink(link);
	snprintf(map.path, sizeof(map.path), "/tmp/..%s", mapped->path);
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ENOENT);
	strcpy(map.path, "/");
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ENOENT);
	memset(map.path, 'x', sizeof(map.path) - 1);
	map.path[0] = '/';
	assert_int_equal(safe_open_mapping(getpid(), &map, &stat), -ENAMETOOLONG);
}

/* A directory that is taken for the root, with links of every kind, and a file beside it. */
TEST(links_stay_below)
{
	static const struct {
		const char *path;
		int result; /* 0: the file "true" */
	} rows[] = {
		{ "/lib/file", 0 },	    { "lib/file", 0 },	      { "/absolute", 0 },
		{ "/relative", 0 },	    { "/folder/file", 0 },    { "/lib/up", 0 },
		{ "/folder/up", 0 },	    { "/above", 0 },	      { "/chain", 0 },
		{ "/outside", -ENOENT },    { "/loop", -ELOOP },      { "/nothing", -ENOENT },
		{ "/lib/file/x", -ENOTDIR }, { "/dangling", -ENOENT }, { "", -ENOENT },
		{ "/lib/../lib/file", -ENOENT }, /* nobody asks so */
	};
	static const struct {
		const char *target, *path;
	} links[] = {
		{ "/lib/file", "absolute" }, { "lib/./file", "relative" },	    { "lib", "folder" },
		{ "../relative", "lib/up" }, { "../../../../../lib/file", "above" }, { "folder/up", "chain" },
		{ "../a file", "outside" },  { "loop", "loop" },		    { "nowhere", "dangling" },
	};
	struct mapped *mapped = *state;
	char path[160], root[96], command[128];
	_cleanup_close_ int directory = -1;

	snprintf(root, sizeof(root), "%s/root", mapped->directory);
	assert_int_equal(mkdir(root, 0700), 0);
	directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(directory, "lib", 0700), 0);
	snprintf(path, sizeof(path), "%s/lib/file", root);
	assert_int_equal(link(mapped->path, path), 0);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		assert_int_equal(symlinkat(links[i].target, directory, links[i].path), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_close_ int fd = safe_open_below(directory, rows[i].path);
		struct stat stat;

		if (fd < 0 && fd == rows[i].result)
			continue;
		if (fd < 0 || rows[i].result || fstat(fd, &stat) || stat.st_ino != mapped->map.inode)
			fail_msg("%s: %d", rows[i].path, fd);
	}
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	assert_int_equal(system(command), 0);
}

/* A link's text and what comes behind it may be longer together than a path can be. */
TEST(long_links)
{
	struct mapped *mapped = *state;
	_cleanup_close_ int directory = open(mapped->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char target[4090], path[4090];

	for (size_t i = 0; i < sizeof(target); i++)
		target[i] = path[i] = i % 200 ? 'x' : '/';
	target[sizeof(target) - 1] = path[sizeof(path) - 1] = '\0';
	memcpy(path, "/long/", 6);
	assert_int_equal(symlinkat(target, directory, "long"), 0);
	assert_int_equal(safe_open_below(directory, path), -ENAMETOOLONG);
	assert_int_equal(safe_open_below(directory, "/long"), -ENOENT);
	assert_int_equal(unlinkat(directory, "long", 0), 0);
}

/* What thread 0 - this process - sees under the path: 0 for the file "true", or an error. */
static int check_named(const char *path, unsigned int whose)
{
	struct stat stat;
	_cleanup_close_ int fd = safe_open_named(0, path, whose, &stat);
	char text[4];

	if (fd < 0)
		return fd;
	assert_int_equal(stat.st_size, PAGE);
	assert_int_equal(read(fd, text, 4), 4);
	assert_memory_equal(text, "true", 4);
	assert_true(write(fd, text, 4) < 0);
	return 0;
}

/* A name that the target may give to anything: its own file is read, a public one where that is asked for. */
TEST(named)
{
	struct mapped *mapped = *state;
	char link_path[96], folder[96], below[128];

	snprintf(link_path, sizeof(link_path), "%s/link", mapped->directory);
	snprintf(folder, sizeof(folder), "%s.link", mapped->directory);
	snprintf(below, sizeof(below), "%s/a file", folder);
	assert_int_equal(symlink(mapped->path, link_path), 0);
	assert_int_equal(symlink(mapped->directory, folder), 0);
	assert_int_equal(check_named(mapped->path, SAFE_OPEN_OWN), 0);
	assert_int_equal(check_named(mapped->path, SAFE_OPEN_PUBLIC), -EACCES);
	assert_int_equal(check_named(below, SAFE_OPEN_OWN), 0); /* a folder may be a link */
	assert_int_equal(check_named(link_path, SAFE_OPEN_OWN), -EACCES);
	assert_int_equal(check_named(link_path, BOTH), -EACCES); /* the folder is closed */
	assert_int_equal(chmod(mapped->directory, 0711), 0);
	assert_int_equal(check_named(link_path, BOTH), -EACCES); /* the file is */
	assert_int_equal(chmod(mapped->path, 0644), 0);
	assert_int_equal(check_named(link_path, BOTH), 0);
	assert_int_equal(check_named(mapped->path, SAFE_OPEN_PUBLIC), 0);
	assert_int_equal(check_named(link_path, SAFE_OPEN_OWN), -EACCES);
	assert_int_equal(check_named("/proc/self/stat", BOTH), -EACCES);
	assert_int_equal(check_named("a file", BOTH), -ENOENT);
	unlink(link_path);
	unlink(folder);
}

static int mount_overlay(const char *directory)
{
	char path[128], options[512];

	snprintf(path, sizeof(path), "%s/merged", directory);
	snprintf(options, sizeof(options), "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", directory,
		 directory, directory);
	return mount("overlay", path, "overlay", 0, options) ? -errno : 0;
}

/* A program in a container: maps may show the device below the overlay, but never another inode. */
TEST(overlay)
{
	static const char *const names[] = { "lower", "upper", "work", "merged" };
	char directory[] = "/mnt/pyperf-overlay.XXXXXX", path[128];
	struct mapped *mapped = *state;
	struct procfs_map map;
	struct stat stat;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "tmpfs", 0, NULL)) {
		print_message("SKIP overlay: needs root\n");
		return;
	}
	assert_non_null(mkdtemp(directory));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	if (mount_overlay(directory)) {
		print_message("SKIP overlay: cannot be mounted here\n");
		return;
	}
	snprintf(path, sizeof(path), "%s/merged/file", directory);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "true", 4), 4);
	assert_int_equal(fstat(fd, &stat), 0);
	map = by_name(mapped);
	strcpy(map.path, path);
	map.inode = stat.st_ino;
	map.device = stat.st_dev + 1;
	assert_int_equal(check_true(&map), 0);
	map.inode++;
	assert_int_equal(check_true(&map), -ESTALE);
}

AROUND_EACH(setup, teardown);

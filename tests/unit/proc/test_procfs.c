// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_procfs.c - parsers of /proc on forged text and on live processes, one of them without its main thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "proc/procfs.h"
#include "tests/forge/test.h"

#define STAT_TAIL " R 7 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456789 4096 10 1844674407370955\n"

TEST(stat_names)
{
	static const char *const names[] = { "cat", "",		  "a b", ") R 1",
					     "((",  "a) S 1 1 1", "\n",	 "0123456789abcde" };
	struct procfs_stat stat;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(text, sizeof(text), "42 (%s)" STAT_TAIL, names[i]);
		assert_int_equal(procfs_parse_stat(text, &stat), 0);
		assert_string_equal(stat.name, names[i]);
		assert_int_equal(stat.state, 'R');
		assert_int_equal(stat.parent, 7);
		assert_int_equal(stat.start_ticks, 123456789);
	}
}

/* It has begun to end, but is no zombie yet. */
TEST(stat_exiting)
{
	struct procfs_stat stat = { 0 };

	assert_int_equal(
		procfs_parse_stat("42 (cat) R 7 1 1 0 -1 4194564 0 0 0 0 1 2 0 0 20 0 1 0 5 0", &stat), 0);
	assert_true(stat.exiting);
	assert_int_equal(
		procfs_parse_stat("42 (cat) R 7 1 1 0 -1 4194560 0 0 0 0 1 2 0 0 20 0 1 0 5 0", &stat), 0);
	assert_false(stat.exiting);
	assert_int_equal(stat.start_ticks, 5);
}

TEST(stat_of_the_kernel)
{
	struct procfs_stat stat = { 0 };

	assert_int_equal(
		procfs_parse_stat("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 1 2 0 0 0 0 1 0 5 0", &stat), 0);
	assert_true(stat.of_the_kernel);
	assert_int_equal(
		procfs_parse_stat("42 (cat) R 7 1 1 0 -1 4194560 0 0 0 0 1 2 0 0 20 0 1 0 5 0", &stat), 0);
	assert_false(stat.of_the_kernel);
}

TEST(stat_cpu)
{
	/* Field 38 is the signal that the parent gets, 39 the CPU. */
	static const char before[] = "42 (cat) R 7 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 5 0 0 0 "
				     "0 0 0 0 0 0 0 0 0 0 0 0 17";
	struct procfs_stat stat;
	char text[256];

	snprintf(text, sizeof(text), "%s 3 0 0\n", before);
	assert_int_equal(procfs_parse_stat(text, &stat), 0);
	assert_int_equal(stat.cpu, 3);
	assert_int_equal(procfs_parse_stat(before, &stat), 0);
	assert_int_equal(stat.cpu, -1);
}

TEST(users)
{
	struct procfs_users found = { 7, 8 };

	assert_int_equal(procfs_parse_users("Name:\tUid:\t5\t6\n", &found), -EBADMSG);
	assert_int_equal(procfs_parse_users("Name:\tcat\nUid:\t1\n", &found), -EBADMSG);
	assert_int_equal(procfs_parse_users("", &found), -EBADMSG);
	assert_true(found.real == 7 && found.effective == 8);
	assert_int_equal(procfs_parse_users("Name:\tcat\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\n", &found), 0);
	assert_true(found.real == 1 && found.effective == 2);
}

static void *tell_tid(void *tids)
{
	pid_t *ret = tids;

	ret[0] = gettid();
	ret[1] = procfs_read_process(gettid(), &ret[2]);
	return NULL;
}

TEST(process_of_a_thread)
{
	pid_t of = 0, tids[3] = { 0 };
	pthread_t thread;

	assert_int_equal(procfs_read_process(getpid(), &of), 0);
	assert_int_equal(of, getpid());
	assert_int_equal(pthread_create(&thread, NULL, tell_tid, tids), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_not_equal(tids[0], getpid());
	assert_int_equal(tids[1], 0);
	assert_int_equal(tids[2], getpid());
	of = 7;
	assert_int_equal(procfs_read_process(0x7ffffff0, &of), -ENOENT);
	assert_int_equal(of, 7);
}

TEST(own_ids)
{
	static const char status[] =
		"Name:\tcat\nTgid:\t70\nNStgid:\t70\t12\t3\nNSpid:\t71\t13\t4\nNSpgid:\t9\n";

	assert_int_equal(procfs_parse_own_id(status, "NStgid"), 3);
	assert_int_equal(procfs_parse_own_id(status, "NSpid"), 4);
	assert_int_equal(procfs_parse_own_id("Name:\tcat\nNSpid:\t5", "NSpid"), 5);
	assert_int_equal(procfs_parse_own_id("Name:\tNSpid:\n", "NSpid"), 0);
	assert_int_equal(procfs_parse_own_id("", "NSpid"), 0);
}

TEST(stat_malformed)
{
	static const char whole[] = "42 (cat)" STAT_TAIL;
	static const char *const texts[] = {
		"",
		")(",
		"42 cat R 1",
		"42 (cat)",
		"42 (cat) ",
		"42 (cat) R",
		"42 (cat) R x",
		"1 (a) R 99999999999 1",
		"42 (cat) R 1 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 18446744073709551616 4096 10",
		"42 (cat) R 1 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 -5 4096 10",
	};
	struct procfs_stat stat = { .parent = 77 };
	char text[sizeof(whole)];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(procfs_parse_stat(texts[i], &stat), -EBADMSG);
	/* Cut anywhere before the end of field 22. */
	for (size_t n = 0; n < (size_t)(strstr(whole, "123456789") - whole) + 9; n++) {
		memcpy(text, whole, n);
		text[n] = '\0';
		assert_int_equal(procfs_parse_stat(text, &stat), -EBADMSG);
	}
	assert_int_equal(stat.parent, 77);
}

TEST(map_lines)
{
	struct procfs_map map;

	assert_int_equal(
		procfs_parse_map(
			"55d0c000-55d0d000 r-xp 00001000 fd:01 1234                       /usr/bin/a b",
			&map),
		0);
	assert_int_equal(map.start, 0x55d0c000);
	assert_int_equal(map.end, 0x55d0d000);
	assert_int_equal(map.offset, 0x1000);
	assert_int_equal(map.inode, 1234);
	assert_int_equal(map.device, makedev(0xfd, 1));
	assert_true(map.read && map.execute && !map.write && !map.deleted);
	assert_string_equal(map.path, "/usr/bin/a b");

	assert_int_equal(procfs_parse_map("1000-2000 rw-s 00000000 00:01 5 /memfd:x (deleted)", &map), 0);
	assert_true(map.deleted && map.write && !map.execute);
	assert_string_equal(map.path, "/memfd:x");

	assert_int_equal(procfs_parse_map("1000-2000 ---p 0 00:00 0", &map), 0);
	assert_string_equal(map.path, "");
	assert_int_equal(procfs_parse_map("1000-2000 ---p 0 00:00 0 ", &map), 0);
	assert_string_equal(map.path, "");

	/* A name that looks like another line, and one that is only the suffix. */
	assert_int_equal(
		procfs_parse_map("1000-2000 r--p 0 00:00 9 /a\\0122000-3000 r-xp 0 00:00 9 /b", &map), 0);
	assert_string_equal(map.path, "/a\n2000-3000 r-xp 0 00:00 9 /b");
	assert_int_equal(procfs_parse_map("1000-2000 r--p 0 00:00 9 / (deleted) (deleted)", &map), 0);
	assert_string_equal(map.path, "/ (deleted)");
	assert_int_equal(procfs_parse_map("1000-2000 r--p 0 00:00 9 /\xff\x80\x1b[2J\\01", &map), 0);
	assert_string_equal(map.path, "/\xff\x80\x1b[2J\\01");
	assert_int_equal(
		procfs_parse_map("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]", &map),
		0);
}

TEST(map_malformed)
{
	static const char *const lines[] = {
		"",
		"-",
		"1000",
		"1000-",
		"1000-2000",
		"2000-1000 r--p 0 00:00 0",
		"1000-1000 r--p 0 00:00 0",
		"1000-2000 r--p",
		"1000-2000 r--  0 00:00 0",
		"1000-2000 rwxq 0 00:00 0",
		"1000-2000 xxxx 0 00:00 0",
		"1000-2000 r--p 0 00:00",
		"1000-2000 r--p 0 0000 0",
		"1000-2000 r--p 0 00:00 0x",
		"10000000000000000-2000 r--p 0 00:00 0",
		"1000-2000 r--p 0 00:00 99999999999999999999",
		"1000-2000 r--p 0 100000000:00 1",
		"+1000-2000 r--p 0 00:00 0",
		" 1000-2000 r--p 0 00:00 0",
	};
	struct procfs_map map;
	char line[PATH_MAX + 100];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(procfs_parse_map(lines[i], &map), -EBADMSG);
	/* A path of PATH_MAX bytes does not fit with its NUL; one less does. */
	snprintf(line, sizeof(line), "1000-2000 r--p 0 00:00 1 %0*d", PATH_MAX, 0);
	assert_int_equal(procfs_parse_map(line, &map), -EBADMSG);
	line[strlen(line) - 1] = '\0';
	assert_int_equal(procfs_parse_map(line, &map), 0);
}

struct count {
	int lines, stop_at, stop_with;
	__u64 last_start;
};

static int count_map(const struct procfs_map *map, void *context)
{
	struct count *count = context;

	count->last_start = map->start;
	return ++count->lines == count->stop_at ? count->stop_with : 0;
}

static int file_of(const char *text, size_t size)
{
	int fd = memfd_create("maps", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

TEST(maps_bounds)
{
	enum { LINES = PROCFS_MAPS_MAX + 1 };
	static const char line[] = "1000-2000 r--p 0 00:00 0\n";
	_cleanup_free_ char *text = malloc(LINES * (sizeof(line) - 1) + 1);
	size_t size = sizeof(line) - 1;
	struct count count = { 0 };
	int fd;

	assert_non_null(text);
	for (int i = 0; i < LINES; i++)
		memcpy(text + i * size, line, size + 1);
	fd = file_of(text, (LINES - 1) * size);
	assert_int_equal(procfs_maps_fd(fd, count_map, &count), 0);
	assert_int_equal(count.lines, PROCFS_MAPS_MAX);
	close(fd);

	fd = file_of(text, LINES * size);
	assert_int_equal(procfs_maps_fd(fd, count_map, &count), -E2BIG);
	close(fd);

	count = (struct count){ .stop_at = 3, .stop_with = -EDOM };
	fd = file_of(text, 9 * size);
	assert_int_equal(procfs_maps_fd(fd, count_map, &count), -EDOM);
	assert_int_equal(count.lines, 3);
	close(fd);
}

/* Garbage between two good lines: none of it is taken, both of them are. */
TEST(maps_overlong_line)
{
	static const size_t lengths[] = { 1, 4096, 65535, 65536, 65537, 200000 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		size_t size = lengths[i] + 200;
		_cleanup_free_ char *text = malloc(size);
		struct count count = { 0 };
		int n, fd;

		n = sprintf(text, "1000-2000 r--p 0 00:00 0\n");
		memset(text + n, 'a', lengths[i]);
		n += lengths[i];
		n += sprintf(text + n, "\n3000-4000 r--p 0 00:00 0\n5000-6000 r--p 0 00:00 0");
		fd = file_of(text, n);
		assert_int_equal(procfs_maps_fd(fd, count_map, &count), 0);
		assert_int_equal(count.lines, 2); /* the last one has no newline: it is cut */
		assert_int_equal(count.last_start, 0x3000);
		close(fd);
	}
}

static int find_here(const struct procfs_map *map, void *context)
{
	__u64 here = (uintptr_t)context;

	return here >= map->start && here < map->end && map->execute;
}

TEST(live_self)
{
	__u64 ticks, again;
	pid_t tid;

	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	assert_int_equal(procfs_start_ticks(getpid(), &again), 0);
	assert_true(ticks > 0 && ticks == again);
	assert_int_equal(procfs_maps(getpid(), find_here, (void *)(uintptr_t)live_self), 1);
	assert_int_equal(procfs_memory_tid(getpid(), &tid), 0);
	assert_int_equal(tid, getpid());
	prctl(PR_SET_NAME, ") R 1\n 2 3 4");
	assert_int_equal(procfs_start_ticks(getpid(), &again), 0);
	assert_int_equal(ticks, again);
	assert_int_equal(procfs_check_start(getpid(), ticks), 0);
	assert_int_equal(procfs_check_start(getpid(), ticks + 1), -ESRCH);
	assert_int_equal(procfs_check_start(getpid(), ticks - 1), -ESRCH);
}

TEST(gone)
{
	struct count count = { 0 };
	__u64 ticks = 5;
	pid_t tid;

	assert_int_equal(procfs_start_ticks(INT_MAX, &ticks), -ESRCH);
	assert_int_equal(procfs_start_ticks(0, &ticks), -ESRCH);
	assert_int_equal(procfs_start_ticks(-1, &ticks), -ESRCH);
	assert_int_equal(procfs_check_start(INT_MAX, 5), -ESRCH);
	assert_int_equal(procfs_memory_tid(INT_MAX, &tid), -ESRCH);
	assert_int_equal(procfs_maps(INT_MAX, count_map, &count), -ESRCH);
	assert_int_equal(ticks, 5);
}

static void *sleep_on(void *unused)
{
	pause();
	return unused;
}

TEST(main_thread_exited)
{
	struct procfs_stat stat = { 0 };
	struct count count = { 0 };
	pid_t child, tid = 0;

	child = fork();
	if (!child) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, sleep_on, NULL);
		pthread_exit(NULL);
	}
	for (int i = 0; i < 500 && stat.state != 'Z'; i++) {
		usleep(10000);
		assert_int_equal(procfs_stat(child, &stat), 0);
	}
	assert_int_equal(stat.state, 'Z');
	assert_int_equal(procfs_memory_tid(child, &tid), 0);
	assert_int_not_equal(tid, child);
	assert_int_equal(procfs_maps(tid, count_map, &count), 0);
	assert_true(count.lines > 3);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(procfs_memory_tid(child, &tid), -ESRCH);
}

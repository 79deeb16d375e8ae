// SPDX-License-Identifier: GPL-2.0-only
/*
 * procfs.c - readers of /proc/PID/{stat,maps}. Files are read whole into bounded buffers and
 * parsed by hand: the stdio scanners neither report overflow nor stop at a name full of blanks.
 */
#include "proc/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/small_file.h"

#define STATUS_MAX 16384 /* bytes of /proc/PID/status; it has 1,500 */
#define THREADS_MAX 65536
/* include/linux/sched.h; part of what /proc shows, so they do not change. */
#define PF_EXITING 4
#define PF_KTHREAD 0x200000

/* Opens a file below /proc/PID. A process that is gone is always -ESRCH. */
static int open_proc(pid_t pid, const char *name)
{
	char path[64];
	int fd;

	if (pid <= 0)
		return -ESRCH;
	if (snprintf(path, sizeof(path), "/proc/%d/%s", pid, name) >= (int)sizeof(path))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	return fd;
}

/* Reads up to size - 1 bytes and ends them with NUL. */
static int read_proc(pid_t pid, const char *name, char *buffer, size_t size)
{
	_cleanup_close_ int fd = open_proc(pid, name);
	size_t length = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	while (length < size - 1) {
		n = read(fd, buffer + length, size - 1 - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += n;
	}
	buffer[length] = '\0';
	return length ? 0 : -ESRCH;
}

/* Unsigned number in the given base at *at, which moves behind it. No sign, no blanks, no overflow. */
static int parse_number(const char **at, unsigned int base, __u64 *ret)
{
	const char *p = *at;
	__u64 value = 0;
	unsigned int digit;

	for (;; p++) {
		if (*p >= '0' && *p <= '9')
			digit = *p - '0';
		else if (base == 16 && *p >= 'a' && *p <= 'f')
			digit = *p - 'a' + 10;
		else
			break;
		if (value > (UINT64_MAX - digit) / base)
			return -EBADMSG;
		value = value * base + digit;
	}
	if (p == *at)
		return -EBADMSG;
	*at = p;
	*ret = value;
	return 0;
}

/* Moves *at behind count fields, each followed by one blank. */
static int skip_fields(const char **at, int count)
{
	while (count--) {
		const char *blank = strchr(*at, ' ');

		if (!blank)
			return -EBADMSG;
		*at = blank + 1;
	}
	return 0;
}

int procfs_parse_stat(const char *text, struct procfs_stat *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *p;
	struct procfs_stat stat = { 0 };
	size_t length;
	__u64 parent, flags, cpu;

	/* The name may itself hold ')' and blanks; nothing behind it can, so the last ')' ends it. */
	if (!open || !close || close < open || close[1] != ' ' || !close[2] || close[3] != ' ')
		return -EBADMSG;
	length = close - open - 1;
	if (length >= sizeof(stat.name))
		length = sizeof(stat.name) - 1;
	memcpy(stat.name, open + 1, length);
	stat.state = close[2];
	p = close + 4; /* field 4 */
	if (parse_number(&p, 10, &parent) || parent > INT_MAX || *p != ' ')
		return -EBADMSG;
	stat.parent = parent;
	p++;
	if (skip_fields(&p, 9 - 5) || parse_number(&p, 10, &flags))
		return -EBADMSG;
	stat.exiting = flags & PF_EXITING;
	stat.of_the_kernel = flags & PF_KTHREAD;
	if (skip_fields(&p, 22 - 9) || parse_number(&p, 10, &stat.start_ticks) || *p != ' ')
		return -EBADMSG;
	stat.cpu = !skip_fields(&p, 39 - 22) && !parse_number(&p, 10, &cpu) && cpu <= INT_MAX ? (int)cpu : -1;
	*ret = stat;
	return 0;
}

int procfs_stat(pid_t pid, struct procfs_stat *ret)
{
	char text[1024];
	int err = read_proc(pid, "stat", text, sizeof(text));

	return err ?: procfs_parse_stat(text, ret);
}

int procfs_start_ticks(pid_t pid, __u64 *ret)
{
	struct procfs_stat stat;
	int err = procfs_stat(pid, &stat);

	if (err)
		return err;
	*ret = stat.start_ticks;
	return 0;
}

int procfs_check_start(pid_t pid, __u64 start_ticks)
{
	__u64 now;
	int err = procfs_start_ticks(pid, &now);

	if (err)
		return err;
	return now == start_ticks ? 0 : -ESRCH;
}

/* Memory goes before the thread is a zombie. */
static bool is_dead(const struct procfs_stat *stat)
{
	return stat->exiting || stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
}

static bool is_thread_dead(pid_t pid, const char *tid)
{
	char name[64], text[1024];
	struct procfs_stat stat;

	return snprintf(name, sizeof(name), "task/%s/stat", tid) >= (int)sizeof(name) ||
	       read_proc(pid, name, text, sizeof(text)) || procfs_parse_stat(text, &stat) || is_dead(&stat);
}

static int live_thread(pid_t pid, pid_t *ret)
{
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	char path[64];
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (count++ < THREADS_MAX && (entry = readdir(dir))) {
		const char *p = entry->d_name;
		__u64 tid;

		if (parse_number(&p, 10, &tid) || *p || tid > INT_MAX)
			continue;
		if (is_thread_dead(pid, entry->d_name))
			continue;
		*ret = tid;
		return 0;
	}
	return -ESRCH;
}

int procfs_memory_tid(pid_t pid, pid_t *ret)
{
	struct procfs_stat stat;
	int err = procfs_stat(pid, &stat);

	if (err)
		return err;
	if (is_dead(&stat))
		return live_thread(pid, ret);
	*ret = pid;
	return 0;
}

pid_t procfs_parse_own_id(const char *status, const char *key)
{
	const char *last = NULL;
	char line[32];

	snprintf(line, sizeof(line), "\n%s:", key);
	status = strstr(status, line);
	for (const char *s = status ? status + 1 : ""; *s && *s != '\n'; s++)
		if (*s == '\t')
			last = s + 1;
	return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

int procfs_parse_users(const char *status, struct procfs_users *ret)
{
	const char *line = strstr(status, "\nUid:\t");
	struct procfs_users u;

	if (!line || sscanf(line, "\nUid: %u %u", &u.real, &u.effective) != 2)
		return -EBADMSG;
	*ret = u;
	return 0;
}

static int read_status(pid_t tid, char **ret)
{
	char path[64] = "/proc/self/status";

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/status", tid);
	return small_file_read(path, STATUS_MAX, ret);
}

int procfs_read_user(pid_t tid, uid_t *ret)
{
	_cleanup_free_ char *text = NULL;
	struct procfs_users users;
	int err = read_status(tid, &text) ?: procfs_parse_users(text, &users);

	if (!err)
		*ret = users.effective;
	return err;
}

int procfs_read_process(pid_t tid, pid_t *ret)
{
	_cleanup_free_ char *text = NULL;
	int err = read_status(tid, &text);
	pid_t process;

	if (err)
		return err;
	process = procfs_parse_own_id(text, "Tgid");
	if (process <= 0)
		return -EBADMSG;
	*ret = process;
	return 0;
}

int procfs_check_access(pid_t tid)
{
	_cleanup_close_ int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", tid);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 && (errno == EACCES || errno == EPERM) ? -EACCES : 0;
}

/* The kernel writes a newline in a path as "\012"; a real backslash is not escaped, so this can be wrong. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++) {
		if (!strncmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static int parse_map_path(const char *text, struct procfs_map *map)
{
	static const char suffix[] = " (deleted)";
	size_t length = strlen(text), tail = sizeof(suffix) - 1;

	map->deleted = length >= tail && !strcmp(text + length - tail, suffix);
	if (map->deleted)
		length -= tail;
	if (length >= sizeof(map->path))
		return -EBADMSG;
	memcpy(map->path, text, length);
	map->path[length] = '\0';
	unescape(map->path);
	return 0;
}

static bool parse_permissions(const char *p, struct procfs_map *map)
{
	for (int i = 0; i < 4; i++) {
		if (!p[i] || (p[i] != '-' && p[i] != "rwxp"[i] && !(i == 3 && p[i] == 's')))
			return false;
	}
	map->read = p[0] == 'r';
	map->write = p[1] == 'w';
	map->execute = p[2] == 'x';
	return p[4] == ' ';
}

int procfs_parse_map(const char *line, struct procfs_map *ret)
{
	const char *p = line;
	__u64 major, minor;

	if (parse_number(&p, 16, &ret->start) || *p++ != '-' || parse_number(&p, 16, &ret->end) ||
	    *p++ != ' ')
		return -EBADMSG;
	if (ret->start >= ret->end || !parse_permissions(p, ret))
		return -EBADMSG;
	p += 5;
	if (parse_number(&p, 16, &ret->offset) || *p++ != ' ')
		return -EBADMSG;
	if (parse_number(&p, 16, &major) || *p++ != ':' || parse_number(&p, 16, &minor) || *p++ != ' ')
		return -EBADMSG;
	if (major > UINT32_MAX || minor > UINT32_MAX || parse_number(&p, 10, &ret->inode))
		return -EBADMSG;
	ret->device = makedev(major, minor);
	if (*p && *p != ' ')
		return -EBADMSG;
	/*
	 * The path is padded to a column of its own; it never begins with a blank, it is absolute or in [].
	 */
	p += strspn(p, " ");
	return parse_map_path(p, ret);
}

/* A line that does not fit in the buffer is dropped to its newline. */
int procfs_maps_fd(int fd, procfs_map_fn visit, void *context)
{
	enum { SIZE = 64 * 1024 };
	_cleanup_free_ char *buffer = malloc(SIZE);
	_cleanup_free_ struct procfs_map *map = malloc(sizeof(*map));
	size_t have = 0, lines = 0;
	bool skip = false;

	if (!buffer || !map)
		return -ENOMEM;
	for (;;) {
		char *line = buffer, *newline;
		ssize_t n = read(fd, buffer + have, SIZE - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		have += n;
		for (; (newline = memchr(line, '\n', buffer + have - line)); line = newline + 1) {
			int err = 0;

			*newline = '\0';
			if (lines++ >= PROCFS_MAPS_MAX)
				return -E2BIG;
			if (!skip && !procfs_parse_map(line, map))
				err = visit(map, context);
			if (err)
				return err;
			skip = false;
		}
		have -= line - buffer;
		memmove(buffer, line, have);
		if (have == SIZE) {
			have = 0;
			skip = true;
		}
	}
}

int procfs_maps(pid_t tid, procfs_map_fn visit, void *context)
{
	_cleanup_close_ int fd = open_proc(tid, "maps");

	return fd < 0 ? fd : procfs_maps_fd(fd, visit, context);
}

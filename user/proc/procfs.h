/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * procfs.h - what /proc says about a process: identity, threads, mappings. Names in it are chosen by the
 * process and trusted for nothing; a process can end between any two calls (-ESRCH).
 */
#ifndef PYPERF_PROC_PROCFS_H
#define PYPERF_PROC_PROCFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#define PROCFS_MAPS_MAX	 65536 /* lines; the kernel's default vm.max_map_count is 65530 */
#define PROCFS_NAME_SIZE 16    /* TASK_COMM_LEN */

struct procfs_stat {
	char name[PROCFS_NAME_SIZE]; /* raw bytes, NUL-terminated */
	char state;		     /* R S D Z T t X I */
	bool exiting;		     /* it has begun to end; for a process, its main thread has */
	bool of_the_kernel;	     /* a thread of the kernel's: it has no program */
	pid_t parent;
	int cpu;	   /* field 39, on which it is or was last; -1 = the text does not say */
	__u64 start_ticks; /* field 22, clock ticks since boot; pid and start together name a process */
};

/* One line of /proc/PID/maps. */
struct procfs_map {
	__u64 start;
	__u64 end; /* first address behind it */
	__u64 offset;
	__u64 inode;
	dev_t device;
	bool read;
	bool write;
	bool execute;
	bool deleted;	     /* path had the suffix " (deleted)", which is cut off */
	char path[PATH_MAX]; /* as seen from the process's own root; "" = none */
};

/* Parses the text of a stat file. -EBADMSG if it is not one. */
int procfs_parse_stat(const char *text, struct procfs_stat *ret);

/* -ESRCH if there is no such process. */
int procfs_stat(pid_t pid, struct procfs_stat *ret);
int procfs_start_ticks(pid_t pid, __u64 *ret);

/* 0 if pid is still the process that started then. -ESRCH if that one has ended, whoever has the pid now. */
int procfs_check_start(pid_t pid, __u64 start_ticks);

/*
 * Finds a thread through which the memory of process pid can be reached. That is pid itself, or another
 * thread when the main thread has exited: its maps file is empty then, and process_vm_readv() says ESRCH.
 * Returns 0, or -ESRCH if there is none.
 */
int procfs_memory_tid(pid_t pid, pid_t *ret);

/*
 * Whether the kernel lets us look at a thread's files: 0, or -EACCES if not. That maps can be opened does not
 * say so. CAP_PERFMON alone suffices for that (kernel/fork.c, mm_access), and maps then names files that
 * cannot be reached.
 */
int procfs_check_access(pid_t tid);

/* Parses one line of maps, without its newline. -EBADMSG if it is malformed. */
int procfs_parse_map(const char *line, struct procfs_map *ret);

/*
 * The id of a process or thread in its own PID namespace: the last number of the line `key`, "NStgid" or
 * "NSpid", of the text of its status file. 0 if there is none.
 */
pid_t procfs_parse_own_id(const char *status, const char *key);

/* Who started it, and whom it acts as: the first two numbers of the line "Uid" of a status file. */
struct procfs_users {
	uid_t real, effective;
};

/* 0, or -EBADMSG. */
int procfs_parse_users(const char *status, struct procfs_users *ret);
/* Of a process or thread, 0 = this one, whom it acts as. 0, or the -errno of small_file_read() besides. */
int procfs_read_user(pid_t tid, uid_t *ret);
/* The process that a thread belongs to; of a process itself. 0, or -errno as above. */
int procfs_read_process(pid_t tid, pid_t *ret);

/*
 * This is called with each mapping. It returns 0 to go on, 1 or more to stop with success, or -errno to fail.
 */
typedef int (*procfs_map_fn)(const struct procfs_map *map, void *context);

/*
 * Calls `visit` for every mapping of the thread's address space, in order of address. Malformed or overlong
 * lines are skipped. Returns 0; what `visit` stopped with; -E2BIG after PROCFS_MAPS_MAX lines; -ESRCH or
 * another -errno.
 */
int procfs_maps(pid_t tid, procfs_map_fn visit, void *context);

/* procfs_maps() of an open file that has the format of /proc/PID/maps. */
int procfs_maps_fd(int fd, procfs_map_fn visit, void *context);

#endif

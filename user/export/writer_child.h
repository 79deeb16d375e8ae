/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * writer_child.h - a job that may take long, or for ever, done by a child while the event loop goes on: a
 * write to a file system that hangs can neither be interrupted nor waited for. The child has a copy of all
 * memory, so nothing is handed over, and what it does to its copy is not seen here.
 */
#ifndef PYPERF_EXPORT_WRITER_CHILD_H
#define PYPERF_EXPORT_WRITER_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#define WRITER_CHILD_RESULT_MAX 512 /* bytes */
/* Killed children that the kernel still has, since their system call hangs. */
#define WRITER_CHILD_UNDEAD_MAX 4

/* Begins as 0. */
struct writer_child {
	pid_t child;			/* 0 = none */
	struct writer_child_page *page; /* shared with the child */
	unsigned int undead_count;
	pid_t undead[WRITER_CHILD_UNDEAD_MAX];
};

/* In the child. Its result is for writer_child_end(), and what it returns too: 0 or -errno. */
typedef int writer_child_job(void *context, void *result);

/*
 * Forks. The child keeps stdin, stdout and stderr, and no other descriptor. It gets SIGKILL when this process
 * ends. Its end is a SIGCHLD here. 0; -EBUSY while there is one, or too many that hang; or -errno of mmap()
 * or fork().
 */
int writer_child_start(struct writer_child *a, writer_child_job *job, void *context);
/*
 * Does not wait. -EINPROGRESS: it is not over; so is no job at all. Otherwise what the job returned, and
 * `size` bytes of its result; -EIO when the child has died instead.
 */
int writer_child_end(struct writer_child *a, void *result, size_t size);
/* What the child has of its result so far, which it may be changing; NULL if there is no child. */
const void *writer_child_look(const struct writer_child *a);
/* Kills the child, if there is one, and does not wait. What it has done is unknown. */
void writer_child_abandon(struct writer_child *a);

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include "export/writer_child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

struct writer_child_page {
	int returned;
	_Alignas(max_align_t) char result[WRITER_CHILD_RESULT_MAX];
};

/* Does not wait: a child that hangs in the kernel may stay there. */
static void reap(struct writer_child *a)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < a->undead_count; i++)
		if (waitpid(a->undead[i], NULL, WNOHANG) == 0)
			a->undead[kept++] = a->undead[i];
	a->undead_count = kept;
}

static void forget_child(struct writer_child *a)
{
	munmap(TAKE_PTR(a->page), sizeof(*a->page));
	a->child = 0;
}

/*
 * SIGINT of a terminal reaches the whole process group. What it means is for the parent to say, so the
 * signals that the parent blocks stay blocked.
 */
static _Noreturn void run(struct writer_child_page *page, pid_t parent, writer_child_job *job, void *context)
{
	/* The parent may have died before prctl() asked to be told of its end. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "pyperf-writer");
	/* As long as it hangs, no address stays taken and no BPF object held because of it. */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	page->returned = job(context, page->result);
	_exit(0);
}

int writer_child_start(struct writer_child *a, writer_child_job *job, void *context)
{
	const pid_t parent = getpid();
	pid_t child;

	reap(a);
	if (a->child || a->undead_count == WRITER_CHILD_UNDEAD_MAX)
		return -EBUSY;
	/* A page of its own for each: one that was abandoned may still write to its own. */
	a->page = mmap(NULL, sizeof(*a->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->page == MAP_FAILED) {
		a->page = NULL;
		return -errno;
	}
	child = fork();
	if (!child)
		run(a->page, parent, job, context);
	a->child = child;
	if (child < 0) {
		int err = -errno;

		forget_child(a);
		return err;
	}
	return 0;
}

int writer_child_end(struct writer_child *a, void *result, size_t size)
{
	int status, returned;
	pid_t ended;

	if (!a->child)
		return -EINPROGRESS;
	ended = waitpid(a->child, &status, WNOHANG);
	if (ended == 0 || (ended < 0 && errno == EINTR))
		return -EINPROGRESS;
	returned = ended == a->child && WIFEXITED(status) && !WEXITSTATUS(status) ? a->page->returned : -EIO;
	memcpy(result, a->page->result, size);
	forget_child(a);
	return returned;
}

const void *writer_child_look(const struct writer_child *a)
{
	return a->child ? a->page->result : NULL;
}

void writer_child_abandon(struct writer_child *a)
{
	if (!a->child)
		return;
	kill(a->child, SIGKILL);
	a->undead[a->undead_count++] = a->child; /* writer_child_start() left room */
	forget_child(a);
	reap(a);
}

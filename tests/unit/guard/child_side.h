/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * child_side.h - a process at the other end of a socket, as the worker and the parser are, without the parent
 * that each of them has. The includer's start_child() makes it.
 */
#ifndef PYPERF_TESTS_CHILD_SIDE_H
#define PYPERF_TESTS_CHILD_SIDE_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forge/test.h"

static pid_t child;
static int ours = -1; /* end of the socket */

static void start_child(pid_t parent);

static int setup(void **state)
{
	(void)state;
	start_child(getpid());
	return 0;
}

static void close_ours(void)
{
	if (ours >= 0)
		close(ours);
	ours = -1;
}

/* How the child ended, as waitpid() says it. */
static int end_of_child(void)
{
	int status = -1;

	assert_int_equal(waitpid(child, &status, 0), child);
	child = 0;
	return status;
}

static void stop_child(void)
{
	close_ours();
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - the COMMAND that is started to be profiled: held back until the sampler knows it.
 */
#ifndef PYPERF_RUN_COMMAND_H
#define PYPERF_RUN_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int go;		    /* closed to let it run */
	int failure;	    /* tells the errno of its exec */
	double cpu_seconds; /* that it and its children used; once it has ended */
};

/*
 * Forks; the child waits. from_outside: its memory is read by other children of this process, without a
 * right, which it allows them where Yama asks for that. Returns 0, or -errno of fork() or pipe(), and then *c
 * is as it was.
 */
int command_start(struct command *c, char **argv, bool from_outside);
/*
 * Lets it exec. Returns 0, or the -errno of exec: then it is gone. -EPIPE: a signal has ended it before.
 */
int command_go(struct command *c);
/* Whether it was let go and, as far as command_ended() has seen, has not ended. */
bool command_runs(const struct command *c);
/* Without waiting: true when it has ended, with the exit code a shell would give. */
bool command_ended(struct command *c, int *ret_code);
void command_signal(struct command *c, int signal);
/* Ends one that was never let go, and releases all. */
void command_release(struct command *c);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - waits for what a run waits for: kernel events, the worker, signals, the clock, HTTP clients.
 */
#ifndef PYPERF_RUN_LOOP_H
#define PYPERF_RUN_LOOP_H

#include <stdbool.h>

enum loop_source {
	LOOP_KERNEL = 1,
	LOOP_WORKER = 2,
	LOOP_SIGNAL = 4,
	LOOP_TIMER = 8,
	LOOP_HTTP = 16,
	LOOP_PUSH = 32,
	LOOP_KUBELET = 64,
};

struct loop {
	int epoll;
	int signals;
	int timer;
};

/* Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD, to be read as events; ignores SIGPIPE. A timer every interval_ms. */
int loop_open(struct loop *l, int interval_ms);
void loop_close(struct loop *l);
int loop_add(struct loop *l, int fd, enum loop_source source);
void loop_remove(struct loop *l, int fd);
/* Waits at most timeout_ms (-1 = for ever). Returns the sources that are ready, or -errno. */
int loop_wait(struct loop *l, int timeout_ms);
/* The next signal that came in, or 0. */
int loop_signal(struct loop *l);
/* A second SIGINT or SIGTERM from now on ends the process at once, whatever it is doing. */
void loop_hasty(void);

#endif

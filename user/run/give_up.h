/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * give_up.h - the profiler's own capabilities and system calls, once it samples. What touches targets is the
 * worker's (guard/worker.h), and what loads programs and opens ports is done by then.
 */
#ifndef PYPERF_RUN_GIVE_UP_H
#define PYPERF_RUN_GIVE_UP_H

#include <linux/types.h>

struct agent;
struct options;

/*
 * Gives up every capability of this thread but those without which something that is still to come would be
 * refused: each of them is tried without it. docs/internals/worker.md lists them. Then give_up_calls(). 0 or
 * -errno.
 */
int give_up_privileges(const struct agent *a);

/* Of a command that loads nothing: the same, but for these, and what the files of its options need. */
int give_up_all_but(const struct options *o, __u64 keep);

/*
 * Of mcp, which starts commands: none is used by itself, and those that it starts can have what the tools
 * need. They start no COMMAND, and write into no folder of others. Logs. 0 or -errno.
 */
int give_up_but_for_tools(void);

/*
 * Gives up every system call that is not on the profiler's list (guard/profiler_rules.c), as
 * give_up_privileges() does at its end. Logs. 0 or -errno.
 */
int give_up_calls(void);

#endif

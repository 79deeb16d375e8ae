/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ask_lines.h - has native code looked up that was counted: the lines of source (--native-lines), and the
 * names of functions of files that have too many to be had at once. What was counted is in the kernel's tree;
 * each position of it is asked for once, many in one question.
 */
#ifndef PYPERF_SYMBOLS_ASK_LINES_H
#define PYPERF_SYMBOLS_ASK_LINES_H

#include <stdbool.h>

struct ask_lines;
struct kernel;
struct loop;
struct native_targets;
struct natives;
struct questions;
struct registry;

/*
 * All borrowed. natives_lines() of the natives is not NULL. lines: lines of source are wanted, too. 0 or
 * -ENOMEM.
 */
int ask_lines_new(struct ask_lines **ret, struct kernel *kernel, struct natives *natives,
		  const struct registry *registry, struct questions *questions,
		  const struct native_targets *native, bool lines);
void ask_lines_free(struct ask_lines *a); /* NULL is fine */

/* Asks for what is new in the tree. To be called before a profile is made. False: nothing is on its way. */
bool ask_lines_look(struct ask_lines *a);
/*
 * Adds the row that now and then does so, while the processes can still be asked. 0 or -errno of
 * loop_watch().
 */
int ask_lines_watch(struct ask_lines *a, struct loop *loop);

#endif

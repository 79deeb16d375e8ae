/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread_words.h - what a thread does, in a few words.
 */
#ifndef PYPERF_DUMP_THREAD_WORDS_H
#define PYPERF_DUMP_THREAD_WORDS_H

#include "base/buf.h"
#include "remote/look.h"

/* One word for programs: "runs", "gil", "syscall", "kernel", "waits", "stopped", "traced" or "ended". */
const char *thread_words_key(const struct look_thread *t);
/* A part of a sentence for people, such as "waits in read of fd 7 (pipe:[4711]) for 12.3 s". 0 or -ENOMEM. */
int thread_words_text(const struct look_thread *t, struct buf *out);
/* The words for how its stack ends; NULL = there is nothing to say, since it is whole. */
const char *thread_words_end(const struct look_thread *t);

#endif

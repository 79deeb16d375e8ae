/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * printed.h - what a command prints on stdout, to the last byte: a disk that is full is an error of the
 * command.
 */
#ifndef PYPERF_RUN_PRINTED_H
#define PYPERF_RUN_PRINTED_H

#include <stdio.h>

#include "base/buf.h"

/* Writes it to stdout. err: of making it. Logs; 0 or -errno. */
int printed(int err, const struct buf *out);

/*
 * What was printed to f, stdout or stderr, has been written. Logs; 0 or -errno. Nobody is told of stderr, nor
 * of a pipe whose reader has seen enough.
 */
int printed_flush(FILE *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wrap.h - text for people on a terminal: lines of a width, broken at blanks.
 */
#ifndef PYPERF_BASE_WRAP_H
#define PYPERF_BASE_WRAP_H

#include <stdio.h>

#define WRAP_COLUMNS 100

/*
 * Writes text to f, where `column` columns of the line are taken, and a line break at its end. What does not
 * fit goes on in the next line, below its beginning. A word that is longer than a line is not broken.
 */
void wrap_text(FILE *f, const char *text, int column);

#endif

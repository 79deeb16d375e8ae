/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * escapes.h - what a terminal is told about the text that follows (ECMA-48, SGR).
 */
#ifndef PYPERF_BASE_ESCAPES_H
#define PYPERF_BASE_ESCAPES_H

#define BOLD	"\033[1m"
#define DIM	"\033[2m"
#define REVERSE "\033[7m"
#define RED	"\033[31m"
#define GREEN	"\033[32m"
#define RESET	"\033[0m" /* as any other text */

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * distance.h - how alike two words are (edit distance): for who has mistyped a name.
 */
#ifndef PYPERF_BASE_DISTANCE_H
#define PYPERF_BASE_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

#define DISTANCE_WORD_MAX 63 /* bytes; longer words are like no other one */

/*
 * How many letters of a have to be put in, taken out, changed, or exchanged with the next one, to make b of
 * it. More than limit: limit + 1.
 */
size_t distance(const char *a, const char *b, size_t limit);
/*
 * For who looks for the name that was perhaps meant by a word. *left begins as distance_begin(word). True if
 * this name is like the word, and more so than all before it for which that was true.
 */
size_t distance_begin(const char *word);
bool distance_is_nearer(const char *word, const char *name, size_t *left);

#endif

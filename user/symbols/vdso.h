/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vdso.h - the page of code that the kernel maps into each process: it is the same in all of them, so how its
 * callers are found is read from the profiler's own.
 */
#ifndef PYPERF_SYMBOLS_VDSO_H
#define PYPERF_SYMBOLS_VDSO_H

#include <linux/types.h>

struct texts;

/*
 * Adds it to the kernel side's table as one function, with its rows. *ret is what struct text_mapping.text is
 * to be. 0; -ENOSPC; or another -errno if there is none, or nothing is known of its callers.
 */
int vdso_add(struct texts *t, __u32 *ret);

#endif

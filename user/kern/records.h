/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * records.h - what the programs tell about processes and code objects, through the ring buffer.
 */
#ifndef PYPERF_KERN_RECORDS_H
#define PYPERF_KERN_RECORDS_H

#include <stddef.h>

struct kernel;
struct loop;

/*
 * Calls the function with each record that there is, at most as many as the ring can hold: those that are
 * written just now included, for which it waits a tenth of a second at most. 0 or -errno.
 */
int kernel_read_records(struct kernel *k);
/* That function. Without one, records are dropped. */
void kernel_on_record(struct kernel *k, int (*fn)(void *context, void *record, size_t size), void *context);
/*
 * Adds the row that reads them. It comes before the rows of all who need what the records say. 0 or -errno of
 * loop_watch().
 */
int kernel_watch(struct kernel *k, struct loop *loop);

#endif

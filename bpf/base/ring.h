/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - when the reader of the ring buffer of records is woken.
 */
#ifndef PYPERF_BPF_BASE_RING_H
#define PYPERF_BPF_BASE_RING_H

#include "bpf/data/maps.h"

#define RING_BUSY (1 << 19) /* unread bytes from which the reader is woken at once */

/* For what need not be read at once: whether the reader is to be woken all the same. */
static __always_inline __u64 records_wakeup(void)
{
	return bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > RING_BUSY ? BPF_RB_FORCE_WAKEUP :
									    BPF_RB_NO_WAKEUP;
}

#endif

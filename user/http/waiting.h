/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waiting.h - a request that waits before it is answered. Only its subject knows for what; of the subject's
 * own structure this is the first member.
 */
#ifndef PYPERF_HTTP_WAITING_H
#define PYPERF_HTTP_WAITING_H

#include <microhttpd.h>

struct waiting {
	/* MHD has come back to it, since it waits no longer: answers it. */
	enum MHD_Result (*end)(struct waiting *w);
	/* It is over, whatever became of it. */
	void (*free)(struct waiting *w);
};

#endif

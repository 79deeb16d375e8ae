/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * part.h - what is to be had at an address. Each part has what the next one has.
 */
#ifndef PYPERF_HTTP_PART_H
#define PYPERF_HTTP_PART_H

enum part {
	PART_ALL,
	PART_METRICS, /* without what shows names of processes */
	PART_HEALTH,  /* for probes */
	PARTS
};

#endif

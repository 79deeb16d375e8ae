/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exposure.h - how much of the site an address exposes. Each has what the next one has.
 */
#ifndef PYPERF_HTTP_EXPOSURE_H
#define PYPERF_HTTP_EXPOSURE_H

enum exposure {
	EXPOSURE_ALL,
	EXPOSURE_METRICS, /* without what shows names of processes */
	EXPOSURE_HEALTH,  /* for probes */
	EXPOSURES
};

#endif

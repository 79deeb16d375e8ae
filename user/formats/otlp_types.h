/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_types.h - which types of values a profile has as OTLP: those of which there are samples, in the order
 * in which otlp.c writes them, process by process.
 */
#ifndef PYPERF_FORMATS_OTLP_TYPES_H
#define PYPERF_FORMATS_OTLP_TYPES_H

#include "formats/pprof_header.h"

struct otlp_types {
	size_t types[PPROF_TYPES_MAX]; /* of the header */
	size_t count;
};

/* 0 or -ENOMEM. */
int otlp_types_find(const struct pprof_header *h, struct otlp_types *ret);

#endif

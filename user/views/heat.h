/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heat.h - how much of a profile with moments (moments.h) was in each part of each second, as the page's heat
 * map gets it, in JSON:
 *
 *   {"schema": "pyperf-bpf.heat/1", "event": "cpu", "unit": "count", "type": "samples", "start": 1790000000,
 *    "parts": 50, "cells": [0, 3, 1, ...]}
 *
 * The first cell begins at that second, and so many parts are a second. What lasts is spread over the cells
 * that it lasts in; the cells add up to what has moments.
 */
#ifndef PYPERF_VIEWS_HEAT_H
#define PYPERF_VIEWS_HEAT_H

#include <stdbool.h>

#include "base/buf.h"

#define HEAT_PARTS	 50  /* of a second */
#define HEAT_SECONDS_MAX 600 /* of a longer profile the newest */

struct profile;

/* Appends to out. 0 or -ENOMEM; -ECANCELED as graph_encode_until(). On failure out is unchanged. */
int heat_encode_until(const struct profile *p, const bool *stop, struct buf *out);

#endif

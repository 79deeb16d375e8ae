/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_list.h - /debug/pyperf/intervals: which intervals are kept, with how much of each kind of event
 * was in them, and the books of the run up to now, in JSON:
 *
 *   {"schema": "pyperf-bpf.intervals/1",
 *    "events": [{"event": "cpu", "unit": "count", "noun": "tick", "resource": "CPU", "total": 990,
 *      "not_asked": 3, "outside": 3, "outcomes": [{"outcome": "not_python", "place": "not asked", "count": 3,
 *        "text": "not Python"}, ...]}],
 *    "chance": {"z": 1.96, "z_rare": 3.29}, "formats": ["pprof", ...], "labels": ["pid", ...], "log": false,
 *    "source": false, "speedscope": false,
 *    "intervals": [{"serial": 1, "start": 1790000000.500, "seconds": 2.000, "totals": [99]}]}
 *
 * Totals are in the order of events, in their units. Outcomes that no event has had are not there.
 * What is outside of profiles, and of programs that were not asked for, is counted apart.
 * Chance is what report/chance.h counts with, labels are the keys that /debug/pyperf/interval takes, log,
 * source and speedscope are whether /debug/pyperf/log, /debug/pyperf/source and /speedscope/ have something.
 */
#ifndef PYPERF_HTTP_INTERVAL_LIST_H
#define PYPERF_HTTP_INTERVAL_LIST_H

#include <stdbool.h>

#include "http/answer.h"

struct history;
struct kernel;
struct run_facts;

/* Which other addresses the page may ask. */
struct interval_offers {
	bool log, source, speedscope;
};

enum MHD_Result interval_list_answer(const struct history *h, const struct kernel *kernel,
				     const struct run_facts *run, const struct interval_offers *offers,
				     const struct client *c);

#endif

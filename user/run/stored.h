/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stored.h - what a store of profiles has of many machines, for `pyperf-bpf report` and `pyperf-bpf diff`.
 * The store adds up what fits to a query, and answers with one profile.
 */
#ifndef PYPERF_RUN_STORED_H
#define PYPERF_RUN_STORED_H

#include <stdbool.h>

#include "options/options.h"

struct recorded;

#define STORED_NODES_MAX 32 /* that are told apart */

/* "pyroscope+http[s]://HOST[:PORT]/?query=...&from=...&until=..." (stored_query.h). */
bool stored_is_source(const char *text);
/*
 * Who asks in place of others (--wary) may ask the store of this variable of the environment, and no other:
 * pyperf-bpf mcp --store.
 */
#define STORED_PERMITTED "PYPERF_BPF_STORE"
bool stored_is_permitted(const char *text);
/*
 * Adds the merged profile of the query to r, with its books; where the store has nothing of it, r is as it
 * was. The time is that of the URL, or of --from and --to, or else the last hour. labels: those that have to
 * fit besides the query's, such as "version=\"1.4\""; NULL = none. by_node: samples get a label "node", as
 * far as there are not too many of them. Logs; 0 or -errno.
 */
int stored_read(const struct options *o, const char *url, const char *labels, bool by_node,
		struct recorded *r);

#endif

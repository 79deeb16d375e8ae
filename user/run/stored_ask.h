/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stored_ask.h - requests to a store of profiles. Who answers may be anybody: answers are bounded, and a
 * failure is one line.
 */
#ifndef PYPERF_RUN_STORED_ASK_H
#define PYPERF_RUN_STORED_ASK_H

#include "base/buf.h"
#include "net/awaited.h"
#include "options/options.h"
#include "run/stored_query.h"

#define STORED_NODE_SIZE 128

/* A node of which the store has something. */
struct stored_node {
	char name[STORED_NODE_SIZE]; /* letters, digits, '.', '-', '_' and ':' */
};

/* Who asks, with a token that is read once. All zero is not open, and stored_ask_close() does not mind. */
struct stored_asker {
	const struct options *options;
	const struct stored_query *query;
	char *token; /* NULL = none */
};

/* Each logs. 0 or -errno. */
int stored_ask_open(struct stored_asker *a, const struct options *o, const struct stored_query *q);
void stored_ask_close(struct stored_asker *a);
/* Appends the merged profile of a type and a selector, as pprof; nothing where the store has none. */
int stored_ask_profile(const struct stored_asker *a, const char *type, const char *selector,
		       struct buf *answer);
/*
 * Appends a struct stored_node for each value that the label has in what the query chooses, in their order,
 * of at most STORED_VALUES_MAX of them; others, with a name that is none, are left out.
 */
#define STORED_VALUES_MAX 100000
#define STORED_ANSWER_MAX (32u << 20) /* bytes of the answer with them */
int stored_ask_nodes(const struct stored_asker *a, const char *label, struct buf *ret);

/* For the files that ask: one request, to be POSTed. r has its type, body and who reads headers. */
int stored_ask_post(const struct stored_asker *a, const char *path, struct awaited *r, struct buf *answer);
/* Whether a name can be part of a query; it is then appended. */
struct wire;
int stored_ask_add_name(struct wire text, struct buf *ret);

/* As stored_ask_profile() and stored_ask_nodes(), of a Parca: stored_parca.c. */
int stored_parca_profile(const struct stored_asker *a, const char *type, const char *selector,
			 struct buf *answer);
int stored_parca_nodes(const struct stored_asker *a, const char *label, struct buf *ret);

#endif

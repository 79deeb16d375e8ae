// SPDX-License-Identifier: GPL-2.0-only
#include "tree/endpoints.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fair.h"
#include "base/hash.h"
#include "bpf/abi.h"
#include "endpoint/rules.h"
#include "kern/banks.h"
#include "names/codes.h"
#include "names/shares.h"
#include "profile/events.h"
#include "targets/registry.h"
#include "tree/harvest_inputs.h"
#include "tree/harvest_span.h"
#include "tree/node_stack.h"

/*
 * What is known at a node: that it was looked at, the code object of the endpoint, and that of the dispatcher
 * whose handler is still to come; 0 = none.
 */
#define STATE_KNOWN (1ULL << 63)

struct endpoint_name {
	UT_hash_handle hh;
	char text[];
};

#define CODES	    NODE_ATTRIBUTE /* the numbers of code objects are below it */
#define PAUSE_NODES 4096 /* from one look at the clock to the next */
#define TICKS	    100	 /* that are taken to be a second, where waits are counted beside them */

static __u64 make_state(__u32 endpoint, __u32 dispatcher)
{
	return STATE_KNOWN | (__u64)dispatcher << CODE_BITS | endpoint;
}

static __u32 endpoint_of(__u64 state)
{
	return state & ((1U << CODE_BITS) - 1);
}

static __u32 dispatcher_of(__u64 state)
{
	return state >> CODE_BITS & ((1U << CODE_BITS) - 1);
}

static int begin_endpoints(struct endpoints *e, const struct kernel_tables *t)
{
	if (!e->state_of)
		e->state_of = calloc(t->node_count, sizeof(e->state_of[0]));
	if (!e->rule_of)
		e->rule_of = calloc(CODES, sizeof(e->rule_of[0]));
	if (!e->name_of)
		e->name_of = calloc(CODES, sizeof(e->name_of[0]));
	if (!e->met)
		e->met = calloc(CODES, sizeof(e->met[0]));
	if (!e->shares && shares_new(&e->shares))
		return -ENOMEM;
	return e->state_of && e->rule_of && e->name_of && e->met ? 0 : -ENOMEM;
}

void endpoints_free(struct endpoints *e)
{
	struct endpoint_name *n, *next;

	HASH_ITER(hh, e->names, n, next) {
		HASH_DEL(e->names, n);
		free(n);
	}
	shares_free(e->shares);
	free(e->met);
	free(e->name_of);
	free(e->rule_of);
	free(e->state_of);
	*e = (struct endpoints){};
}

/* False: nothing is known of this number, or not yet. */
static bool resolve(const struct harvest_inputs *inputs, __u32 code, struct code_line *ret)
{
	codes_resolve(inputs->codes, code, INSTR_UNKNOWN, ret);
	return ret->kind == FRAME_PYTHON;
}

/* The number of the rule by which a code object calls handlers; 0 = it does not. */
static unsigned int find_rule(struct endpoints *e, const struct harvest_inputs *inputs, __u32 code)
{
	struct code_line l;

	if (!e->rule_of[code] && resolve(inputs, code, &l))
		e->rule_of[code] = 1 + rules_dispatcher(inputs->endpoint_rules, l.file, l.function);
	return e->rule_of[code] ? e->rule_of[code] - 1 : 0;
}

static enum rules_verdict judge(struct endpoints *e, const struct harvest_inputs *inputs, __u32 dispatcher,
				__u32 code)
{
	struct code_line by, l;

	if (!resolve(inputs, dispatcher, &by) || !resolve(inputs, code, &l))
		return RULES_ASIDE;
	return rules_below(find_rule(e, inputs, dispatcher),
			   &(struct rules_function){ by.file, by.function },
			   &(struct rules_function){ l.file, l.function });
}

/* From what is known at a node's parent to what is known at the node. */
static __u64 step(struct endpoints *e, const struct harvest_inputs *inputs, __u64 state, __u64 key)
{
	const __u32 code = node_code(key);

	if (node_frame_kind(key) != FRAME_PYTHON)
		return state;
	if (find_rule(e, inputs, code))
		return make_state(endpoint_of(state), code);
	if (!dispatcher_of(state))
		return state;
	switch (judge(e, inputs, dispatcher_of(state), code)) {
	case RULES_PASSES:
		return state;
	case RULES_ASIDE:
		return make_state(endpoint_of(state), 0);
	default:
		return make_state(code, 0);
	}
}

static bool may_have(const struct endpoints *e, __u64 user)
{
	return e->count < ENDPOINTS_MAX &&
	       fair_may(shares_count(e->shares, user), 1, ENDPOINTS_MAX - e->count);
}

static struct endpoint_name *add_name(struct endpoints *e, const char *text, size_t size)
{
	struct endpoint_name *n = calloc(1, sizeof(*n) + size + 1);

	if (!n)
		return NULL;
	memcpy(n->text, text, size);
	HASH_ADD_KEYPTR(hh, e->names, n->text, size, n);
	if (n->hh.tbl)
		return n;
	free(n);
	return NULL;
}

/* The name with this text, which is made for this user if there is none yet. */
static int intern(struct endpoints *e, const char *text, size_t size, __u64 user, struct endpoint_name **ret)
{
	const bool is_more = endpoints_is_more(text);
	struct endpoint_name *n;
	struct owner_share *share;

	HASH_FIND(hh, e->names, text, size, n);
	if (!n && !is_more && !may_have(e, user))
		return intern(e, ENDPOINTS_MORE, strlen(ENDPOINTS_MORE), user, ret);
	if (!n) {
		n = add_name(e, text, size);
		if (!n)
			return -ENOMEM;
		e->count += !is_more;
		if (!is_more && shares_take(e->shares, user, 0, &share))
			return -ENOMEM;
	}
	*ret = n;
	return 0;
}

/* Of a code object, made once. */
static int find_name(struct endpoints *e, const struct harvest_inputs *inputs, __u32 code, __u64 user,
		     const char **ret)
{
	_cleanup_buf_ struct buf name = {};
	struct code_line l;
	int err = 0;

	if (!e->name_of[code]) {
		resolve(inputs, code, &l);
		err = rules_name(l.file, l.function, &name) ?: buf_add(&name, "", 1) ?:
		      intern(e, name.data, name.size - 1, user, &e->name_of[code]);
	}
	if (!err)
		*ret = e->name_of[code]->text;
	return err;
}

bool endpoints_is_more(const char *name)
{
	return !strcmp(name, ENDPOINTS_MORE);
}

/* The code object of the endpoint that a stack belongs to; 0 = none. */
static __u32 find_code(struct endpoints *e, const struct harvest_inputs *inputs, const struct node_stack *s)
{
	const struct node *nodes = inputs->tables->nodes;
	__u32 path[NODE_STACK_MAX], n = 0, node = s->leaf;
	__u64 state = make_state(0, 0);

	for (; node != s->root && n < NODE_STACK_MAX; node = node_parent(nodes[node].key)) {
		if (e->state_of[node]) {
			state = e->state_of[node];
			break;
		}
		path[n++] = node;
	}
	while (n) {
		node = path[--n];
		state = e->state_of[node] = step(e, inputs, state, nodes[node].key);
	}
	return endpoint_of(state);
}

/* Whose process it is; 0 = not known. */
static __u64 user_of(const struct harvest_inputs *inputs, const struct node_stack *s)
{
	const struct registry_entry *process = registry_find(inputs->registry, s->owner->process);

	return process ? process->user : 0;
}

int endpoints_find(struct endpoints *e, const struct harvest_inputs *inputs, const struct node_stack *s,
		   const char **ret_name)
{
	__u32 code;
	int err = begin_endpoints(e, inputs->tables);

	if (err)
		return err;
	code = find_code(e, inputs, s);
	*ret_name = NULL;
	return code ? find_name(e, inputs, code, user_of(inputs, s), ret_name) : 0;
}

/* --- those with most samples --------------------------------------------------------------------------- */

static void count_node(struct endpoints *e, const struct harvest_inputs *inputs,
		       const struct harvest_span *span, __u32 node)
{
	const struct node *nodes = inputs->tables->nodes;
	__u64 until, count = harvest_span_count(span, nodes, node, &until);
	struct node_stack s;
	__u32 code;

	if (!count || !nodes[node].key || node_is_account(nodes[node].key) ||
	    !node_stack_begin(inputs, node, &s) || s.kind >= EVENT_KINDS)
		return;
	code = find_code(e, inputs, &s);
	if (!code)
		return;
	e->met[code].user = user_of(inputs, &s);
	e->met[code].count += event_wall_ns(s.kind, count, TICKS) ?: count;
}

static int compare(const void *a, const void *b, void *met)
{
	const __u64 x = ((const struct endpoint_met *)met)[*(const __u32 *)a].count;
	const __u64 y = ((const struct endpoint_met *)met)[*(const __u32 *)b].count;

	return x > y ? -1 : x < y;
}

static int name_all(struct endpoints *e, const struct harvest_inputs *inputs)
{
	_cleanup_free_ __u32 *codes = NULL;
	const char *name;
	size_t n = 0;
	int err = 0;

	for (__u32 code = 0; code < CODES; code++)
		n += e->met[code].count != 0;
	codes = malloc((n ?: 1) * sizeof(*codes));
	if (!codes)
		return -ENOMEM;
	n = 0;
	for (__u32 code = 0; code < CODES; code++)
		if (e->met[code].count)
			codes[n++] = code;
	qsort_r(codes, n, sizeof(*codes), compare, e->met);
	for (size_t i = 0; i < n && !err; i++)
		err = find_name(e, inputs, codes[i], e->met[codes[i]].user, &name);
	return err;
}

int endpoints_rank(struct endpoints *e, const struct harvest_inputs *inputs, const struct harvest_span *span)
{
	const __u32 end = span->nodes.end ?: inputs->tables->node_count;
	int err = e->ranked ? 0 : begin_endpoints(e, inputs->tables);

	if (err || e->ranked)
		return err;
	if (e->next < EVENT_KINDS)
		e->next = EVENT_KINDS;
	if (e->next < span->nodes.first)
		e->next = span->nodes.first;
	while (e->next < end) {
		count_node(e, inputs, span, e->next++);
		if (e->next % PAUSE_NODES == 0 && span->progress && span->pause_ns &&
		    clock_ns() >= span->pause_ns)
			return -EAGAIN;
	}
	err = name_all(e, inputs);
	e->ranked = !err;
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "tree/endpoints.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "bpf/abi.h"
#include "endpoint/name.h"
#include "endpoint/rules.h"
#include "kern/banks.h"
#include "names/codes.h"
#include "tree/harvest_inputs.h"
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

#define CODES NODE_ATTRIBUTE /* the numbers of code objects are below it */

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

static int begin(struct endpoints *e, const struct kernel_tables *t)
{
	if (!e->state_of)
		e->state_of = calloc(t->node_count, sizeof(e->state_of[0]));
	if (!e->rule_of)
		e->rule_of = calloc(CODES, sizeof(e->rule_of[0]));
	if (!e->name_of)
		e->name_of = calloc(CODES, sizeof(e->name_of[0]));
	return e->state_of && e->rule_of && e->name_of ? 0 : -ENOMEM;
}

void endpoints_free(struct endpoints *e)
{
	struct endpoint_name *n, *next;

	HASH_ITER(hh, e->names, n, next) {
		HASH_DEL(e->names, n);
		free(n);
	}
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

/* The name with this text, which is made if there is none yet. */
static int intern(struct endpoints *e, const char *text, size_t size, struct endpoint_name **ret)
{
	struct endpoint_name *n;

	HASH_FIND(hh, e->names, text, size, n);
	if (!n && e->count >= ENDPOINTS_MAX && strcmp(text, ENDPOINTS_MORE))
		return intern(e, ENDPOINTS_MORE, strlen(ENDPOINTS_MORE), ret);
	if (!n) {
		n = calloc(1, sizeof(*n) + size + 1);
		if (!n)
			return -ENOMEM;
		memcpy(n->text, text, size);
		HASH_ADD_KEYPTR(hh, e->names, n->text, size, n);
		if (!n->hh.tbl) {
			free(n);
			return -ENOMEM;
		}
		e->count++;
	}
	*ret = n;
	return 0;
}

/* Of a code object, made once. */
static int find_name(struct endpoints *e, const struct harvest_inputs *inputs, __u32 code, const char **ret)
{
	_cleanup_buf_ struct buf name = {};
	struct code_line l;
	int err = 0;

	if (!e->name_of[code]) {
		resolve(inputs, code, &l);
		err = name_add(l.file, l.function, &name) ?: buf_add(&name, "", 1) ?:
		      intern(e, name.data, name.size - 1, &e->name_of[code]);
	}
	if (!err)
		*ret = e->name_of[code]->text;
	return err;
}

int endpoints_find(struct endpoints *e, const struct harvest_inputs *inputs, __u32 node, __u32 root,
		   const char **ret_name)
{
	const struct node *nodes = inputs->tables->nodes;
	__u32 path[NODE_STACK_MAX], n = 0;
	__u64 state = make_state(0, 0);
	int err = begin(e, inputs->tables);

	if (err)
		return err;
	for (; node != root && n < NODE_STACK_MAX; node = node_parent(nodes[node].key)) {
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
	*ret_name = NULL;
	return endpoint_of(state) ? find_name(e, inputs, endpoint_of(state), ret_name) : 0;
}

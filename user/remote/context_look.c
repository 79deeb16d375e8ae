// SPDX-License-Identifier: GPL-2.0-only
#include "remote/context_look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/remote.h"
#include "python/objects.h"
#include "python/pystr.h"
#include "remote/thread_states.h"
#include "remote/trace_look.h"

#define ROUNDS	    20
#define ROUND_NS    200000 /* from one to the next */
#define READS_MAX   8192   /* of a look */
#define TSTATE_SCAN 1024   /* bytes of a thread state in which the context is looked for */
#define LEVELS_MAX  8
#define LEVEL_BITS  5
#define SLOTS	    (1 << LEVEL_BITS)
#define PAIRS_MAX   32
#define VAR_WORDS   6 /* of a variable, behind its header: the last one is its hash */

struct context_look {
	struct objects objects;
	const struct context_names *names;
	struct thread_states *threads;
	struct context_vars vars;
	__u64 context_type, tree_type, var_type; /* types whose name is known; 0 = not met yet */
};

/* Whether the object is of the type with this name, which may stand behind that of its module. */
static bool is_of(struct context_look *k, __u64 object, const char *wanted, __u64 *known)
{
	return objects_is(&k->objects, object, "_contextvars.", wanted, known);
}

/* --- what is met ---------------------------------------------------------------------------------------- */

static const char *const type_names[CONTEXT_TYPES] = {
	[CONTEXT_BITMAP] = "hamt_bitmap_node", [CONTEXT_ARRAY] = "hamt_array_node",
	[CONTEXT_COLLISION] = "hamt_collision_node", [CONTEXT_STR] = "str", [CONTEXT_INT] = "int",
	[CONTEXT_BOOL] = "bool", [CONTEXT_NONE] = "NoneType",
};

/* Which of these types the object has, and that this one is met. */
static enum context_type meet(struct context_look *k, __u64 object)
{
	const __u64 type = objects_type(&k->objects, object);
	char name[OBJECTS_NAME];

	for (int i = 0; i < CONTEXT_TYPES && type; i++)
		if (k->vars.types[i] == type)
			return i;
	objects_type_name(&k->objects, type, name);
	for (int i = 0; i < CONTEXT_TYPES && type; i++)
		if (!strcmp(type_names[i], name)) {
			k->vars.types[i] = type;
			return i;
		}
	return CONTEXT_TYPES;
}

/*
 * Takes a variable that was found by so many bits of a hash, if its name was asked for. That these are bits
 * of its own hash proves where that is.
 */
static void take_variable(struct context_look *k, __u64 variable, __u64 value, __u32 path, unsigned int bits)
{
	const __u32 mask = bits < 32 ? (1U << bits) - 1 : ~0U;
	char name[PYSTR_SIZE];
	struct context_vars *v = &k->vars;
	__u64 text = objects_pointer(&k->objects, variable + v->head + CONTEXT_VAR_NAME), hash;
	__u32 label;

	if (!is_of(k, variable, "ContextVar", &k->var_type) || !text ||
	    objects_read(&k->objects, variable + v->var_hash, &hash, sizeof(hash)) ||
	    (context_hash(hash) & mask) != path)
		return;
	meet(k, text);
	if (objects_text(&k->objects, text, name, sizeof(name)))
		return;
	label = context_names_find(k->names, name);
	if (label == CONTEXT_LABELS)
		return;
	meet(k, value);
	for (__u32 i = 0; i < v->count; i++)
		if (v->keys[i].address == variable)
			return;
	if (v->count == CONTEXT_KEYS)
		return;
	v->keys[v->count] = (struct context_key){ variable, hash };
	v->label[v->count++] = (__u8)label;
}

/* --- the tree of a context ------------------------------------------------------------------------------ */

struct variable_place {
	__u64 node;
	__u32 path; /* bits of the hash that have led there */
	unsigned int level;
};

static void walk_node(struct context_look *k, const struct variable_place *at);

/* The bits of a hash that lead there. A tree that is deeper than a hash has bits adds none. */
static __u32 path_below(const struct variable_place *at, __u32 slot)
{
	const __u32 shift = LEVEL_BITS * at->level;

	return shift < 32 ? at->path | slot << shift : at->path;
}

static void walk_child(struct context_look *k, const struct variable_place *at, __u32 slot, __u64 child)
{
	const struct variable_place next = { child, path_below(at, slot), at->level + 1 };

	if (objects_is_address(child) && next.level < LEVELS_MAX)
		walk_node(k, &next);
}

static void walk_array(struct context_look *k, const struct variable_place *at)
{
	__u64 children[SLOTS];

	if (objects_read(&k->objects, at->node + k->vars.head + CONTEXT_CHILDREN, children, sizeof(children)))
		return;
	for (__u32 i = 0; i < SLOTS; i++)
		walk_child(k, at, i, children[i]);
}

static void take_pair(struct context_look *k, const struct variable_place *at, __u32 slot,
		      const __u64 pair[2])
{
	const unsigned int bits = LEVEL_BITS * (at->level + 1);

	if (!pair[0])
		walk_child(k, at, slot, pair[1]);
	else if (objects_is_address(pair[0]) && objects_is_address(pair[1]))
		take_variable(k, pair[0], pair[1], path_below(at, slot), bits);
}

static void walk_pairs(struct context_look *k, const struct variable_place *at, bool of_one_hash)
{
	const __u64 fields = at->node + k->vars.head;
	__u64 head[2], pairs[PAIRS_MAX][2];
	__u32 slots, n = 0;

	if (objects_read(&k->objects, fields, head, sizeof(head)) || head[0] > 2 * PAIRS_MAX || head[0] % 2 ||
	    objects_read(&k->objects, fields + CONTEXT_PAIRS, pairs, head[0] * sizeof(__u64)))
		return;
	slots = (__u32)head[1];
	if (of_one_hash) {
		for (; n < head[0] / 2; n++)
			take_variable(k, pairs[n][0], pairs[n][1], at->path, LEVEL_BITS * at->level);
		return;
	}
	for (__u32 i = 0; i < SLOTS && n < head[0] / 2; i++)
		if (slots >> i & 1)
			take_pair(k, at, i, pairs[n++]);
}

static void walk_node(struct context_look *k, const struct variable_place *at)
{
	const enum context_type type = meet(k, at->node);

	if (type == CONTEXT_ARRAY)
		walk_array(k, at);
	else if (type == CONTEXT_BITMAP || type == CONTEXT_COLLISION)
		walk_pairs(k, at, type == CONTEXT_COLLISION);
}

/* --- the contexts of threads ---------------------------------------------------------------------------- */

/* Whether this is where thread states have their context. Only one word of them leads to one. */
static int find_in(struct context_look *k, const __u64 *words, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (!objects_is_address(words[i]) || !is_of(k, words[i], "Context", &k->context_type))
			continue;
		if (k->vars.tstate_context && k->vars.tstate_context != 8 * i)
			return -EBADMSG;
		k->vars.tstate_context = (__u16)(8 * i);
	}
	return 0;
}

static int find_context(struct context_look *k)
{
	__u64 words[TSTATE_SCAN / 8];

	for (size_t i = 0; i < k->threads->count && !k->vars.tstate_context; i++) {
		const __u64 tstate = k->threads->list[i].address;
		ssize_t n = remote_read_some(k->objects.memory, tstate, words, sizeof(words));
		int err = n > 0 ? find_in(k, words, (size_t)n / 8) : 0;

		if (err)
			return err;
	}
	return k->vars.tstate_context ? 0 : -ENOENT;
}

static void look_at_context(struct context_look *k, __u64 tstate)
{
	const __u64 context = objects_pointer(&k->objects, tstate + k->vars.tstate_context);
	__u64 tree;
	struct variable_place root = { 0 };

	if (!context || !is_of(k, context, "Context", &k->context_type))
		return;
	tree = objects_pointer(&k->objects, context + k->vars.head + CONTEXT_VARS);
	if (!tree || !is_of(k, tree, "hamt", &k->tree_type))
		return;
	root.node = objects_pointer(&k->objects, tree + k->vars.head + CONTEXT_ROOT);
	if (root.node)
		walk_node(k, &root);
}

/* With --trace the nodes' types are wanted, too: the variable itself is found by other ways. */
static bool is_done(const struct context_look *k)
{
	struct context_names only = *k->names;

	only.trace = 0;
	return context_vars_are_all(&k->vars, &only) &&
	       (!k->names->trace || k->vars.types[CONTEXT_BITMAP] || k->vars.types[CONTEXT_ARRAY]);
}

static void look_some_times(struct context_look *k)
{
	const struct timespec pause = { .tv_nsec = ROUND_NS };

	for (int round = 0; round < ROUNDS && k->objects.reads < READS_MAX; round++) {
		if (round)
			nanosleep(&pause, NULL);
		for (size_t i = 0; i < k->threads->count; i++)
			look_at_context(k, k->threads->list[i].address);
		if (is_done(k))
			return;
	}
}

int context_look(pid_t memory, const struct layout *layout, __u64 runtime, const struct context_names *names,
		 struct context_vars *ret)
{
	_cleanup_free_ struct thread_states *threads = calloc(1, sizeof(*threads));
	struct context_look k = { .names = names, .threads = threads };
	int err;

	if (!threads)
		return -ENOMEM;
	objects_begin(&k.objects, memory, layout, READS_MAX);
	k.vars.head = (__u8)k.objects.head;
	k.vars.var_hash = (__u8)(k.vars.head + (layout->free_threaded ? 2 : VAR_WORDS - 1) * sizeof(__u64));
	k.vars.int_tag = layout->version >= OBJECTS_INT_TAGGED;
	*ret = k.vars;
	err = thread_states_read(threads, memory, layout, runtime) ?: find_context(&k);
	if (err)
		return err;
	look_some_times(&k);
	if (names->trace && threads->count)
		trace_look(memory, layout, threads->list[0].interp, &k.vars);
	*ret = k.vars;
	return 0;
}

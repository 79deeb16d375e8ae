/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * context.h - with --label-var and --trace: values of context variables (contextvars.ContextVar) in the
 * thread's context.
 * A context keeps them in a tree of nodes (Python/hamt.c) that is descended by the variable's hash. All of it
 * is looked up anew at each sample: contexts and their nodes come and go, and others are made in their place.
 * The thread is stopped, so all of it is of one moment.
 */
#ifndef PYPERF_BPF_PYTHON_CONTEXT_H
#define PYPERF_BPF_PYTHON_CONTEXT_H

#include "bpf/data/maps.h"
#include "bpf/python/name.h"
#include "bpf/python/object.h"

#define HASH_BITS    32
#define LEVEL_BITS   5
#define CONTEXT_ALL  (HASH_BITS / LEVEL_BITS + 1) /* levels of the tree */
#define CONTEXT_SAME 8 /* variables of one hash that are looked at */
#define DIGIT_MASK   ((1U << DIGIT_BITS) - 1)

/* The first 8 bytes of the names of types whose address is not known yet: "hamt_bit", "hamt_arr", ... */
static const char type_bitmap[8] = "hamt_bit", type_array[8] = "hamt_arr", type_collision[8] = "hamt_col",
		  type_bool[8] = "bool", type_none[8] = "NoneType";

/* Reads the type of an object and the two words behind its header. 0, or negative if that fails. */
static __always_inline int context_object(struct scratch *s, const struct context_vars *v, __u64 address)
{
	if (!mem_plausible(address))
		return -1;
	return walk_read(&s->walk, &s->context.object, sizeof(s->context.object),
			 address + v->head - sizeof(__u64));
}

static __always_inline enum context_type type_by_address(const struct context_vars *v, __u64 type)
{
	for (int i = 0; i < CONTEXT_TYPES; i++)
		if (type == v->types[i])
			return i;
	return CONTEXT_TYPES;
}

/*
 * What objects of a type are whose address is not known. A class of the program's own may be derived from
 * str or int, but not from bool, and is none of the nodes. A global function: the verifier looks at it once.
 */
__noinline int context_type_by_name(struct scratch *s, const struct context_vars *v, __u64 type)
{
	__u64 name, flags, begin;

	if ((!opt_contexts && !opt_trace) || !s || !v || !mem_plausible(type))
		return CONTEXT_TYPES;
	flags = search_read(s, type + v->head + CONTEXT_TP_FLAGS);
	if (flags & FLAG_STR)
		return CONTEXT_STR;
	name = flags & FLAG_HEAP_TYPE ? 0 : search_read(s, type + v->head + CONTEXT_TP_NAME);
	begin = name ? search_read(s, name) : 0;
	if (flags & FLAG_INT)
		return (begin ^ *(const __u64 *)type_bool) << 24 ? CONTEXT_INT : CONTEXT_BOOL;
	if (begin == *(const __u64 *)type_bitmap)
		return CONTEXT_BITMAP;
	if (begin == *(const __u64 *)type_array)
		return CONTEXT_ARRAY;
	if (begin == *(const __u64 *)type_collision)
		return CONTEXT_COLLISION;
	return begin == *(const __u64 *)type_none ? CONTEXT_NONE : CONTEXT_TYPES;
}

static __always_inline enum context_type context_type(struct scratch *s, const struct context_vars *v)
{
	const __u64 type = s->context.object.type;
	const enum context_type known = type_by_address(v, type);

	return known < CONTEXT_TYPES ? known : (enum context_type)context_type_by_name(s, v, type);
}

/* --- the variable ------------------------------------------------------------------------------------- */

struct context_walk {
	struct scratch *s;
	const struct context_vars *v;
	__u64 key;
	__u32 hash;
};

static __always_inline __u32 bits_of(__u32 word)
{
	word -= word >> 1 & 0x55555555;
	word = (word & 0x33333333) + (word >> 2 & 0x33333333);
	return (((word + (word >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}

/*
 * Looks at a pair of a node: a variable and its value, or 0 and a node of the next level. Whether it is the
 * variable.
 */
static __always_inline int context_pair(struct context_walk *c, __u64 address)
{
	struct scratch *s = c->s;
	__u64 pair[2] = {};

	s->context.at = 0;
	if (!mem_plausible(address) || walk_read(&s->walk, pair, sizeof(pair), address))
		return 0;
	if (pair[0] == c->key)
		s->context.value = pair[1];
	else if (!pair[0])
		s->context.at = pair[1];
	return pair[0] == c->key;
}

/* Goes on in the node that was read: to a pair of it, to its child, or into its list of pairs of one hash. */
static __always_inline void context_node(struct context_walk *c, enum context_type type, __u32 bits)
{
	struct scratch *s = c->s;
	const __u64 behind = s->context.at + c->v->head, *words = s->context.object.words;
	const __u32 bitmap = words[1];

	s->context.at = 0;
	if (type == CONTEXT_ARRAY) {
		s->context.at = search_read(s, behind + CONTEXT_CHILDREN + sizeof(__u64) * bits);
	} else if (type == CONTEXT_BITMAP && bitmap >> bits & 1) {
		context_pair(c, behind + CONTEXT_PAIRS +
					2 * sizeof(__u64) * bits_of(bitmap & ((1U << bits) - 1)));
	} else if (type == CONTEXT_COLLISION) {
		s->context.pairs = words[0] / 2 < CONTEXT_SAME ? words[0] / 2 : CONTEXT_SAME;
		s->context.at = behind + CONTEXT_PAIRS;
	}
}

/* Looks at a node, or at a pair of a node of which all have one hash. 0 to go on, 1 to stop. */
static long context_step(__u32 i, struct context_walk *c)
{
	struct scratch *s = c->s;
	const __u32 shift = s->context.shift;
	const __u64 at = s->context.at;

	(void)i;
	if (walk_step_late(&s->walk)) {
		s->context.late = 1;
		return 1;
	}
	if (s->context.pairs) {
		s->context.pairs--;
		if (context_pair(c, at))
			return 1;
		s->context.at = at + 2 * sizeof(__u64);
		return !s->context.pairs;
	}
	if (shift >= CONTEXT_ALL * LEVEL_BITS + LEVEL_BITS || context_object(s, c->v, at))
		return 1;
	s->context.shift = shift + LEVEL_BITS;
	context_node(c, context_type(s, c->v), shift < HASH_BITS ? c->hash >> shift & 31 : 0);
	return s->context.value || !s->context.at;
}

/*
 * Finds the value of variable number i, which is left in s->context.value; 0 = it has none. Whether the
 * object at its address is still the variable that was meant, its hash says. A global function: the verifier
 * looks at it once. Always 0.
 */
__noinline int context_find(struct scratch *s, const struct context_vars *v, __u32 i)
{
	struct context_walk c = { .s = s, .v = v };
	const struct context_key *key;

	if ((!opt_contexts && !opt_trace) || !s || !v || i > TRACE_KEY)
		return -1;
	key = &v->keys[i];
	c.key = key->address;
	c.hash = context_hash(key->hash);
	s->context.value = 0;
	s->context.at = s->context.root;
	s->context.pairs = s->context.shift = s->context.late = 0;
	bpf_loop(CONTEXT_ALL + 1 + CONTEXT_SAME, context_step, &c, 0);
	if (s->context.value && search_read(s, c.key + v->var_hash) != key->hash)
		s->context.value = 0;
	return 0;
}

/* --- its value ---------------------------------------------------------------------------------------- */

/*
 * The number of the int whose words were read, without its sign, goes to s->context.number. Returns the sign,
 * 1 or -1, or 0 if it has more than 64 bits.
 */
static __always_inline int context_int(struct scratch *s, const struct context_vars *v)
{
	const __u64 word = s->context.object.words[0], low = s->context.object.words[1];
	const int negative = v->int_tag ? (word & 3) == 2 : (__s64)word < 0;
	const __u64 digits = v->int_tag ? word >> 3 : negative ? -word : word;
	__u64 third = 0;

	if (digits > 3)
		return 0;
	s->context.number = digits ? low & DIGIT_MASK : 0;
	if (digits > 1)
		s->context.number |= (low >> 32 & DIGIT_MASK) << DIGIT_BITS;
	if (digits > 2)
		third = search_read(s, s->context.value + v->head + CONTEXT_DIGITS + 2 * sizeof(__u32));
	third &= DIGIT_MASK;
	if (third >> (64 - 2 * DIGIT_BITS))
		return 0;
	s->context.number |= third << 2 * DIGIT_BITS;
	return negative ? -1 : 1;
}

/* Writes the text of a bool into the record. */
static __always_inline void context_bool_text(struct scratch *s)
{
	static const char yes[8] = "True", no[8] = "False";
	struct record_code *e = &s->record;

	*(__u64 *)e->data = s->context.number ? *(const __u64 *)yes : *(const __u64 *)no;
	e->name.bytes = e->name.length = s->context.number ? sizeof("True") - 1 : sizeof("False") - 1;
}

/* Writes the text of a number into the record. */
static __always_inline void context_int_text(struct scratch *s, int sign)
{
	static const char positive[] = "%llu", negative[] = "-%llu";
	struct record_code *e = &s->record;
	__u64 number = s->context.number;
	long n;

	if (sign > 0)
		n = bpf_snprintf((char *)e->data, NAME_BYTES, positive, &number, sizeof(number));
	else
		n = bpf_snprintf((char *)e->data, NAME_BYTES, negative, &number, sizeof(number));
	e->name.bytes = e->name.length = n > 0 && n <= NAME_BYTES ? n - 1 : 0;
}

/* The number of the text of an int or a bool, 0 if there is none. The text is made only if it is new. */
static __always_inline __u32 context_number(struct scratch *s, struct cpu_stats *count,
					    const struct context_vars *v, int is_bool)
{
	const int sign = context_int(s, v);
	const __u64 digest = mix(mix(s->context.number) ^ (sign < 0 ? 4 : 2) ^ (is_bool ? 8 : 0)) | 1;
	struct code *c;
	__u32 index;

	if (!sign) {
		count->context_values_other++;
		return 0;
	}
	index = name_number(s, count, NAME_OF_VARIABLE, digest);
	c = bpf_map_lookup_elem(&codes, &index);
	if (!index || !c || c->state & CODE_SENT)
		return index;
	if (is_bool)
		context_bool_text(s);
	else
		context_int_text(s, sign);
	name_send(s, count, c, index, digest);
	return index;
}

/*
 * The value that was found becomes an attribute of the sample. None is no value. A global function: the
 * verifier looks at it once. Always 0.
 */
__noinline int context_value(struct scratch *s, struct cpu_stats *count, const struct layout *l,
			     const struct context_vars *v, __u32 attribute)
{
	enum context_type type;
	__u32 index = 0;

	if (!opt_contexts || !s || !count || !l || !v || attribute >= ATTRIBUTES_OF_TICKS)
		return -1;
	s->record.name = s->record.file = s->record.table = (struct code_part){ .kind = 1 };
	type = context_object(s, v, s->context.value) ? CONTEXT_TYPES : context_type(s, v);
	if (type == CONTEXT_INT || type == CONTEXT_BOOL)
		index = context_number(s, count, v, type == CONTEXT_BOOL);
	else if (type == CONTEXT_STR && name_read(s, l, s->context.value))
		index = name_intern(s, count, NAME_OF_VARIABLE);
	else if (type != CONTEXT_NONE)
		count->context_values_other++;
	s->attribute[attribute] = index;
	return 0;
}

/* --- all of them -------------------------------------------------------------------------------------- */

/*
 * Finds the tree of the context of the thread with this thread state, whose first bytes have been read.
 * Whether it has one.
 */
static __always_inline int context_begin(struct scratch *s, const struct layout *l,
					 const struct context_vars *v, __u64 tstate)
{
	const int is_read = v->tstate_context + sizeof(__u64) <= l->tstate_size;
	const __u64 context = is_read ? tstate_field(s, v->tstate_context) :
					search_read(s, tstate + v->tstate_context);
	__u64 vars;

	if (!mem_plausible(context))
		return 0;
	vars = search_read(s, context + v->head + CONTEXT_VARS);
	s->context.root = mem_plausible(vars) ? search_read(s, vars + v->head + CONTEXT_ROOT) : 0;
	return s->context.root != 0;
}

/* Of several variables of one name the first that has a value counts. */
static __always_inline void context_label(struct scratch *s, struct cpu_stats *count, const struct layout *l,
					  const struct context_vars *v, __u32 i)
{
	__u32 attribute = v->label[i] + ATTRIBUTE_VARIABLE0;

	mem_opaque(attribute);
	if (attribute > ATTRIBUTE_VARIABLE3 || s->attribute[attribute])
		return;
	context_find(s, v, i);
	if (s->context.value)
		context_value(s, count, l, v, attribute);
	else
		count->context_values_late += s->context.late;
}

/*
 * Before the walk of a thread with this thread state: values of its variables become attributes of the
 * sample. Always 0. A global function: the verifier then does not follow each result on its own.
 */
__noinline int context_read(struct scratch *s, struct cpu_stats *count, const struct layout *l, __u64 tstate)
{
	struct context_vars *v;
	__u32 index;

	if (!opt_contexts || !s || !count || !l)
		return -1;
	index = s->who.known.contexts - 1;
	v = bpf_map_lookup_elem(&contexts, &index);
	if (!v || !context_begin(s, l, v, tstate))
		return 0;
	for (__u32 i = 0; i < CONTEXT_KEYS; i++)
		if (i < v->count)
			context_label(s, count, l, v, i);
	return 0;
}

#endif

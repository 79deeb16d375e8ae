// SPDX-License-Identifier: GPL-2.0-only
#include "outside/trace_look.h"

#include <string.h>

#include "outside/values.h"
#include "outside/dicts.h"
#include "python/context_names.h"

#define READS_MAX	65536
#define INTERPRETER_MAX (64 << 10) /* bytes of an interpreter in which its modules are looked for */
#define CHUNK		4096
#define TYPE_WORDS	136  /* of a class, in which the names of its instances' attributes are looked for */
#define ATTRIBUTES_MAX	64   /* of those */
#define MODULE_DICT	0    /* PyModuleObject.md_dict, and ... */
#define TP_BASICSIZE	16   /* ... PyTypeObject.tp_basicsize, tp_dictoffset, behind an object's header */
#define TP_DICTOFFSET	272
#define AT_MAX		1024 /* bytes of an instance */
#define KEY_BEGIN	"current-span-"

struct look {
	struct values values;
	struct context_vars *vars;
	struct trace_place place;
	__u64 dict_type, module_type, class_type, variable_type, str_type, int_type;
};

/* --- modules ------------------------------------------------------------------------------------------ */

enum { MODULE_CONTEXT, MODULE_PROPAGATION, MODULE_SPAN, MODULE_SDK, MODULES };

static const char *const module_names[MODULES] = {
	[MODULE_CONTEXT] = "opentelemetry.context",
	[MODULE_PROPAGATION] = "opentelemetry.trace.propagation",
	[MODULE_SPAN] = "opentelemetry.trace.span",
	[MODULE_SDK] = "opentelemetry.sdk.trace",
};

/* sys.modules is the dict that has sys first. */
static bool is_modules(struct look *k, __u64 dict)
{
	static const char *const sys[] = { "sys" };
	__u64 value = 0;

	return values_is(&k->values, dict, "", "dict", &k->dict_type) &&
	       dicts_find(&k->values, dict, 1, sys, 1, &value) &&
	       values_is(&k->values, value, "", "module", &k->module_type);
}

static __u64 find_modules(struct look *k, __u64 interpreter)
{
	__u64 words[CHUNK / sizeof(__u64)];

	size_t n = CHUNK / sizeof(__u64);

	for (size_t at = 0; at < INTERPRETER_MAX && n == CHUNK / sizeof(__u64); at += CHUNK) {
		n = values_words(&k->values, interpreter + at, words, n);
		for (size_t i = 0; i < n; i++)
			if (context_is_object(words[i]) && is_modules(k, words[i]))
				return words[i];
	}
	return 0;
}

/* What a module has under these names; 0 where it has nothing. Whether it has all. */
static bool module_get(struct look *k, __u64 module, const char *const *names, int count, __u64 *ret)
{
	__u64 dict;

	if (!module || !values_is(&k->values, module, "", "module", &k->module_type))
		return false;
	dict = values_pointer(&k->values, module + k->values.head + MODULE_DICT);
	return dict && values_is(&k->values, dict, "", "dict", &k->dict_type) &&
	       dicts_find(&k->values, dict, DICTS_ALL, names, count, ret);
}

/* --- attributes of instances -------------------------------------------------------------------------- */

static enum trace_values values_of(__u32 version)
{
	return version < 0x030b0000 ? TRACE_DICT :
	       version < 0x030c0000 ? TRACE_POINTER :
	       version < 0x030d0000 ? TRACE_TAGGED :
				      TRACE_INLINE;
}

/*
 * Where instances of a class keep this attribute: the class has a table of the names of their attributes. The
 * name's own address goes to *ret_name.
 */
static bool find_class(struct look *k, __u64 type, const char *name, struct trace_class *ret, __u64 *ret_name)
{
	const size_t offset = k->place.values == TRACE_DICT ? TP_DICTOFFSET : TP_BASICSIZE;
	__u64 words[TYPE_WORDS], at;
	size_t n;
	int index = -1;

	if (!type ||
	    values_read(&k->values, type + k->values.head + offset, &at, sizeof(at)) ||
	    !at || at > AT_MAX || at % sizeof(__u64))
		return false;
	n = values_words(&k->values, type, words, TYPE_WORDS);
	for (size_t i = 0; i < n && index < 0; i++)
		if (context_is_object(words[i]))
			index = dicts_shared_index(&k->values, words[i], name, ret_name);
	if (index < 0 || index >= TRACE_INDEX_MAX)
		return false;
	*ret = (struct trace_class){ .type = type, .at = (__u16)at, .index = (__u16)index };
	return true;
}

static __u64 value_at(struct look *k, __u64 values, const struct trace_class *c)
{
	if (k->place.values == TRACE_INLINE)
		values += TRACE_VALUES_HEAD;
	return values_pointer(&k->values, values + sizeof(__u64) * c->index);
}

/* The attribute of an instance that has not been given a dict of its own; 0 = it was. */
static __u64 attribute(struct look *k, const struct trace_class *c, __u64 object)
{
	struct values *o = &k->values;
	__u64 word = 0;

	switch (k->place.values) {
	case TRACE_DICT:
		word = values_pointer(o, object + c->at);
		word = word ? values_pointer(o, word + o->head + TRACE_MA_KEYS + sizeof(__u64)) : 0;
		return word ? value_at(k, word, c) : 0;
	case TRACE_POINTER:
		word = values_pointer(o, object - 4 * sizeof(__u64));
		return word ? value_at(k, word, c) : 0;
	case TRACE_TAGGED:
		if (values_read(o, object - 3 * sizeof(__u64), &word, sizeof(word)) || !(word & 1))
			return 0;
		return value_at(k, word + 1, c);
	default:
		return value_at(k, object + c->at, c);
	}
}

/* --- what is looked for ------------------------------------------------------------------------------- */

/* The variable that has the current context. That its hash is where it is taken to be is known by now. */
static bool find_variable(struct look *k, __u64 module)
{
	static const char *const names[] = { "_RUNTIME_CONTEXT" };
	struct context_key *key = &k->vars->keys[TRACE_KEY];
	struct trace_class class;
	__u64 runtime = 0, name, variable;

	if (!module_get(k, module, names, 1, &runtime) ||
	    !find_class(k, values_type(&k->values, runtime), "_current_context", &class, &name))
		return false;
	variable = attribute(k, &class, runtime);
	if (!variable ||
	    !values_is(&k->values, variable, "_contextvars.", "ContextVar", &k->variable_type) ||
	    values_read(&k->values, variable + k->vars->var_hash, &key->hash, sizeof(key->hash)))
		return false;
	key->address = variable;
	return true;
}

static bool find_key(struct look *k, __u64 module)
{
	static const char *const names[] = { "_SPAN_KEY" };
	char text[VALUES_TEXT + 1];
	__u64 key = 0;

	if (!module_get(k, module, names, 1, &key) ||
	    !values_is(&k->values, key, "", "str", &k->str_type) ||
	    values_text(&k->values, key, text, sizeof(text)) ||
	    strncmp(text, KEY_BEGIN, sizeof(KEY_BEGIN) - 1))
		return false;
	k->place.span_key = key;
	return true;
}

/* By the ids of no span, which are a tuple like any other: where its items are. */
static bool find_items(struct look *k, __u64 invalid)
{
	for (__u8 at = 8; at <= 16; at += 8) {
		const __u64 first = values_pointer(&k->values, invalid + k->values.head + at);
		const __u64 second = values_pointer(&k->values, invalid + k->values.head + at + 8);

		k->place.tuple_items = at;
		if (first && second && values_is(&k->values, first, "", "int", &k->int_type) &&
		    values_is(&k->values, second, "", "int", &k->int_type))
			return true;
	}
	return false;
}

static void add_class(struct look *k, __u64 type)
{
	struct trace_place *p = &k->place;

	for (int i = 0; i < p->count; i++)
		if (p->classes[i].type == type)
			return;
	if (p->count < TRACE_CLASSES && find_class(k, type, "_context", &p->classes[p->count], &p->name))
		p->count++;
}

static bool find_spans(struct look *k, __u64 span, __u64 sdk)
{
	enum { IDS, INVALID, PLAIN, OF_API };
	static const char *const api_names[OF_API] = { "SpanContext", "INVALID_SPAN_CONTEXT",
						       "NonRecordingSpan" };
	static const char *const sdk_names[] = { "_Span", "Span" };
	__u64 api[OF_API] = {}, own[2] = {};

	if (!module_get(k, span, api_names, OF_API, api) ||
	    values_type(&k->values, api[INVALID]) != api[IDS] || !find_items(k, api[INVALID]))
		return false;
	k->place.ids_type = api[IDS];
	module_get(k, sdk, sdk_names, 2, own);
	add_class(k, own[0]);
	add_class(k, own[1]);
	k->place.has_sdk = k->place.count > 0;
	add_class(k, api[PLAIN]);
	return k->place.count;
}

void trace_look(pid_t memory, const struct layout *layout, __u64 interpreter, struct context_vars *v)
{
	struct look k = { .vars = v };
	__u64 module[MODULES] = {}, all;

	values_begin(&k.values, memory, layout, READS_MAX);
	k.place.values = values_of(layout->version);
	k.place.keys_are_old = layout->version < 0x030b0000;
	all = find_modules(&k, interpreter);
	if (!all)
		return;
	dicts_find(&k.values, all, DICTS_ALL, module_names, MODULES, module);
	if (!find_key(&k, module[MODULE_PROPAGATION]) ||
	    !find_spans(&k, module[MODULE_SPAN], module[MODULE_SDK]) ||
	    !find_variable(&k, module[MODULE_CONTEXT]))
		return;
	v->types[CONTEXT_STR] = k.str_type;
	v->types[CONTEXT_INT] = k.int_type;
	v->trace = k.place;
}

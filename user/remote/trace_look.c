// SPDX-License-Identifier: GPL-2.0-only
#include "remote/trace_look.h"

#include <string.h>

#include "python/modules.h"

#define READS_MAX	65536
#define AT_MAX		1024 /* bytes of an instance */
#define KEY_BEGIN	"current-span-"

struct trace_look {
	struct objects objects;
	struct context_vars *vars;
	struct trace_place place;
	__u64 variable_type, str_type, int_type;
};

/* --- modules ------------------------------------------------------------------------------------------ */

enum { MODULE_CONTEXT, MODULE_PROPAGATION, MODULE_SPAN, MODULE_SDK, MODULES };

static const char *const module_names[MODULES] = {
	[MODULE_CONTEXT] = "opentelemetry.context",
	[MODULE_PROPAGATION] = "opentelemetry.trace.propagation",
	[MODULE_SPAN] = "opentelemetry.trace.span",
	[MODULE_SDK] = "opentelemetry.sdk.trace",
};

/* What a module has under these names. Whether it has all. */
static bool module_get(struct trace_look *k, __u64 module, const char *const *names, int count, __u64 *ret)
{
	return objects_dict_get(&k->objects, modules_dict(&k->objects, module), names, count, ret);
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
static bool find_class(struct trace_look *k, __u64 type, const char *name, struct trace_class *ret,
		       __u64 *ret_name)
{
	const __u64 offset = k->place.values == TRACE_DICT ? TYPE_DICT_OFFSET : TYPE_BASIC_SIZE;
	__u64 at;
	int index;

	if (objects_read(&k->objects, type + k->objects.head + offset, &at, sizeof(at)) || !at ||
	    at > AT_MAX || at % sizeof(__u64))
		return false;
	index = objects_attribute_index(&k->objects, type, name, ret_name);
	if (index < 0 || index >= TRACE_INDEX_MAX)
		return false;
	*ret = (struct trace_class){ .type = type, .at = (__u16)at, .index = (__u16)index };
	return true;
}

/* --- what is looked for ------------------------------------------------------------------------------- */

/* The variable that has the current context. That its hash is where it is taken to be is known by now. */
static bool find_context_variable(struct trace_look *k, __u64 module)
{
	static const char *const names[] = { "_RUNTIME_CONTEXT" };
	struct context_key *key = &k->vars->keys[TRACE_KEY];
	__u64 runtime = 0, variable;

	if (!module_get(k, module, names, 1, &runtime))
		return false;
	variable = objects_attribute(&k->objects, runtime, "_current_context");
	if (!variable ||
	    !objects_is(&k->objects, variable, "_contextvars.", "ContextVar", &k->variable_type) ||
	    objects_read(&k->objects, variable + k->vars->var_hash, &key->hash, sizeof(key->hash)))
		return false;
	key->address = variable;
	return true;
}

static bool find_key(struct trace_look *k, __u64 module)
{
	static const char *const names[] = { "_SPAN_KEY" };
	char text[OBJECTS_TEXT + 1];
	__u64 key = 0;

	if (!module_get(k, module, names, 1, &key) ||
	    !objects_is(&k->objects, key, "", "str", &k->str_type) ||
	    objects_text(&k->objects, key, text, sizeof(text)) ||
	    strncmp(text, KEY_BEGIN, sizeof(KEY_BEGIN) - 1))
		return false;
	k->place.span_key = key;
	return true;
}

/* By the ids of no span, which are a tuple like any other: where its items are. */
static bool find_items(struct trace_look *k, __u64 invalid)
{
	for (__u8 at = 8; at <= 16; at += 8) {
		const __u64 first = objects_pointer(&k->objects, invalid + k->objects.head + at);
		const __u64 second = objects_pointer(&k->objects, invalid + k->objects.head + at + 8);

		k->place.tuple_items = at;
		if (first && second && objects_is(&k->objects, first, "", "int", &k->int_type) &&
		    objects_is(&k->objects, second, "", "int", &k->int_type))
			return true;
	}
	return false;
}

static void add_class(struct trace_look *k, __u64 type)
{
	struct trace_place *p = &k->place;

	for (int i = 0; i < p->count; i++)
		if (p->classes[i].type == type)
			return;
	if (p->count < TRACE_CLASSES && find_class(k, type, "_context", &p->classes[p->count], &p->name))
		p->count++;
}

static bool find_spans(struct trace_look *k, __u64 span, __u64 sdk)
{
	enum { IDS, INVALID, PLAIN, OF_API };
	static const char *const api_names[OF_API] = { "SpanContext", "INVALID_SPAN_CONTEXT",
						       "NonRecordingSpan" };
	static const char *const sdk_names[] = { "_Span", "Span" };
	__u64 api[OF_API] = {}, own[2] = {};

	if (!module_get(k, span, api_names, OF_API, api) ||
	    objects_type(&k->objects, api[INVALID]) != api[IDS] || !find_items(k, api[INVALID]))
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
	struct trace_look k = { .vars = v };
	__u64 module[MODULES] = {}, all;

	objects_begin(&k.objects, memory, layout, READS_MAX);
	k.place.values = values_of(layout->version);
	k.place.keys_are_old = layout->version < 0x030b0000;
	all = modules_of(&k.objects, interpreter);
	if (!all)
		return;
	objects_dict_get(&k.objects, all, module_names, MODULES, module);
	if (!find_key(&k, module[MODULE_PROPAGATION]) ||
	    !find_spans(&k, module[MODULE_SPAN], module[MODULE_SDK]) ||
	    !find_context_variable(&k, module[MODULE_CONTEXT]))
		return;
	v->types[CONTEXT_STR] = k.str_type;
	v->types[CONTEXT_INT] = k.int_type;
	v->trace = k.place;
}

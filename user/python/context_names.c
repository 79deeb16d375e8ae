// SPDX-License-Identifier: GPL-2.0-only
#include "python/context_names.h"

#include <errno.h>
#include <string.h>

#include "python/objects.h"

#define TSTATE_MAX 4096 /* bytes; where the context is in a thread state is far below */

int context_names_parse(const char *text, struct context_names *ret)
{
	struct context_names names = {};

	for (;;) {
		const size_t length = strcspn(text, ",");

		if (names.count == CONTEXT_LABELS || !length || length >= CONTEXT_NAME_SIZE)
			return -EINVAL;
		memcpy(names.name[names.count], text, length);
		if (context_names_find(&names, names.name[names.count]) < CONTEXT_LABELS)
			return -EINVAL;
		names.count++;
		if (!text[length])
			break;
		text += length + 1;
	}
	*ret = names;
	return 0;
}

__u32 context_names_find(const struct context_names *names, const char *name)
{
	for (__u32 i = 0; i < names->count && i < CONTEXT_LABELS; i++)
		if (!strcmp(names->name[i], name))
			return i;
	return CONTEXT_LABELS;
}

static bool trace_is_sane(const struct trace_place *p, const struct context_key *key)
{
	if (!p->count)
		return !key->address;
	if (p->count > TRACE_CLASSES || !p->values || p->values >= TRACE_VALUES || p->keys_are_old > 1 ||
	    p->has_sdk > 1 || (p->tuple_items != 8 && p->tuple_items != 16) ||
	    !objects_is_address(p->span_key) || !objects_is_address(p->name) ||
	    !objects_is_address(p->ids_type) || !objects_is_address(key->address))
		return false;
	for (int i = 0; i < p->count; i++)
		if (!objects_is_address(p->classes[i].type) || !p->classes[i].at || p->classes[i].at % 8 ||
		    p->classes[i].index >= TRACE_INDEX_MAX)
			return false;
	return true;
}

static bool thread_context_is_sane(const struct thread_context_place *p)
{
	if (p->kind == THREAD_CONTEXT_NONE || p->kind == THREAD_CONTEXT_UNTRUE)
		return !p->module && !p->offset && !p->generation;
	if (p->offset % 8 || p->offset < -THREAD_CONTEXT_FAR || p->offset > THREAD_CONTEXT_FAR)
		return false;
	if (p->kind == THREAD_CONTEXT_STATIC)
		return !p->module && !p->generation;
	return p->kind == THREAD_CONTEXT_MODULE && p->offset >= 0 && p->module &&
	       p->module <= THREAD_CONTEXT_MODULES;
}

/* A process that only publishes ids need not have a context. */
static bool context_is_sane(const struct context_vars *v)
{
	if (!v->tstate_context)
		return !v->count && !v->trace.count && v->thread.kind;
	return v->tstate_context % 8 == 0 && v->tstate_context <= TSTATE_MAX;
}

bool context_vars_are_sane(const struct context_vars *v, const struct context_names *names)
{
	if ((v->head != 16 && v->head != 32) || v->var_hash < v->head || v->var_hash > v->head + 64 ||
	    v->count > CONTEXT_KEYS || v->int_tag > 1 || v->pad || !context_is_sane(v) ||
	    !thread_context_is_sane(&v->thread))
		return false;
	for (int i = 0; i < CONTEXT_TYPES; i++)
		if (v->types[i] && !objects_is_address(v->types[i]))
			return false;
	for (int i = 0; i < v->count; i++)
		if (!objects_is_address(v->keys[i].address) || v->label[i] >= names->count)
			return false;
	return trace_is_sane(&v->trace, &v->keys[TRACE_KEY]);
}

/* Where in known a variable goes: in its own place, a free one, or that of the first of the same name. */
static __u32 place_of(const struct context_vars *known, const struct context_vars *found, __u32 i)
{
	for (__u32 j = 0; j < known->count; j++)
		if (known->keys[j].address == found->keys[i].address)
			return j;
	if (known->count < CONTEXT_KEYS)
		return known->count;
	for (__u32 j = 0; j < known->count; j++)
		if (known->label[j] == found->label[i])
			return j;
	return CONTEXT_KEYS;
}

bool context_vars_merge(struct context_vars *known, const struct context_vars *found)
{
	const struct context_vars before = *known;

	for (int i = 0; i < CONTEXT_TYPES; i++)
		if (found->types[i])
			known->types[i] = found->types[i];
	if (found->tstate_context)
		known->tstate_context = found->tstate_context;
	known->head = found->head;
	known->var_hash = found->var_hash;
	known->int_tag = found->int_tag;
	if (found->trace.count) {
		known->trace = found->trace;
		known->keys[TRACE_KEY] = found->keys[TRACE_KEY];
	}
	if (found->thread.kind)
		known->thread = found->thread;
	for (__u32 i = 0; i < found->count; i++) {
		const __u32 at = place_of(known, found, i);

		if (at == CONTEXT_KEYS)
			continue;
		known->keys[at] = found->keys[i];
		known->label[at] = found->label[i];
		known->count += at == known->count;
	}
	return memcmp(known, &before, sizeof(before));
}

bool context_vars_are_all(const struct context_vars *v, const struct context_names *names)
{
	__u32 found = 0;

	for (__u32 i = 0; i < v->count; i++)
		found |= 1U << v->label[i];
	return found == (1U << names->count) - 1 &&
	       (!names->trace || v->trace.has_sdk || thread_context_is_read(&v->thread));
}

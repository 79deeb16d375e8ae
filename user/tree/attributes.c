// SPDX-License-Identifier: GPL-2.0-only
#include "tree/attributes.h"

#include <stddef.h>
#include <string.h>

#include "bpf/abi.h"
#include "names/codes.h"
#include "profile/profile.h"

/* NULL: the kernel side has sent no text with this number, or another one has it now. */
static const char *name_of(struct codes *codes, __u32 number)
{
	struct code_line line;

	codes_resolve(codes, number, INSTR_UNKNOWN, &line);
	return line.kind == FRAME_PYTHON ? line.function : NULL;
}

static void fill_states(__u32 bits, struct profile_labels *l)
{
#define STATE(name, key, value, help)   \
	if (bits & STATE_BIT(name)) \
		l->key = value;
#include "bpf/states.def"
#undef STATE
}

/* By the value column of attributes.def. */
#define FILL_BITS(label)   fill_states(value, l)
#define FILL_NAME(label)   l->label = name_of(codes, value)
#define FILL_NUMBER(label) l->label = value
#define FILL_VARIABLE(label) variables[label] = name_of(codes, value)

void attributes_fill(__u64 key, struct codes *codes, const char **variables, struct profile_labels *l)
{
	const __u32 value = attribute_value(key);

	switch (attribute_of(key)) {
#define ATTRIBUTE(name, option, value, storage, label, help) \
	case ATTRIBUTE_##name:                             \
		FILL_##value(label);                       \
		break;
#include "bpf/attributes.def"
#undef ATTRIBUTE
	}
}

/*
 * Lib/importlib/_bootstrap.py, 3.6 to 3.15: every import of a module that is not in sys.modules yet goes
 * through this function, that of the import statement (import_find_and_load() in Python/import.c) and that
 * of importlib.import_module(). 2.7 imports in C.
 */
bool attributes_is_import(const struct profile *p, __u32 location)
{
	const struct profile_function *f =
		profile_get_function(p, profile_get_location(p, location)->function);

	return !strcmp(profile_get_string(p, f->name), "_find_and_load") &&
	       !strcmp(profile_get_string(p, f->file), "<frozen importlib._bootstrap>");
}

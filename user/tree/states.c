// SPDX-License-Identifier: GPL-2.0-only
#include "tree/states.h"

#include <string.h>

#include "bpf/abi.h"
#include "profile/profile.h"

void states_fill(__u32 bits, struct profile_labels *l)
{
#define STATE(name, key, value, help)   \
	if (bits & STATE_BIT(name)) \
		l->key = value;
#include "bpf/states.def"
#undef STATE
}

/*
 * Lib/importlib/_bootstrap.py, 3.6 to 3.15: every import of a module that is not in sys.modules yet goes
 * through this function, that of the import statement (import_find_and_load() in Python/import.c) and that
 * of importlib.import_module(). 2.7 imports in C.
 */
bool states_is_import(const struct profile *p, __u32 location)
{
	const struct profile_function *f =
		profile_get_function(p, profile_get_location(p, location)->function);

	return !strcmp(profile_get_string(p, f->name), "_find_and_load") &&
	       !strcmp(profile_get_string(p, f->file), "<frozen importlib._bootstrap>");
}

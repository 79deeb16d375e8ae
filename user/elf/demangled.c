// SPDX-License-Identifier: GPL-2.0-only
#include "elf/demangled.h"

#include <libiberty/demangle.h>
#undef ARRAY_SIZE /* ours is in base/cleanup.h */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MANGLED_MAX 8192 /* of a longer name, what comes out would be cut all the same */

/* What C++ and Rust begin a mangled name with; a symbol of C is given to no parser. */
static bool is_mangled(const char *name)
{
	return (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2)) &&
	       strnlen(name, MANGLED_MAX) < MANGLED_MAX;
}

void demangled(const char *name, char *ret, size_t size)
{
	_cleanup_free_ char *text = is_mangled(name) ? cplus_demangle(name, DMGL_AUTO) : NULL;
	const char *from = text && *text ? text : name;
	const size_t length = strnlen(from, size - 1);

	memcpy(ret, from, length);
	ret[length] = '\0';
}

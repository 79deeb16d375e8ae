// SPDX-License-Identifier: GPL-2.0-only
/*
 * demangled.c - libiberty writes a name piece by piece, and is left as soon as there is no more room. A name
 * of 346 bytes, in which each type stands for two of the one before, would come out as 2^35 bytes.
 */
#include "elf/demangled.h"

#include <libiberty/demangle.h>
#undef ARRAY_SIZE /* ours is in base/cleanup.h */
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

struct demangled_writing {
	char *to;
	size_t size, room; /* room: without the NUL */
	jmp_buf full;
};

/*
 * It holds no memory meanwhile. The one exception is an identifier of Rust with letters beyond ASCII: what
 * was unpacked of it, some bytes, is lost.
 */
static void on_piece(const char *piece, size_t size, void *writing)
{
	struct demangled_writing *w = writing;
	const bool is_full = size > w->room - w->size;

	if (is_full)
		size = w->room - w->size;
	memcpy(w->to + w->size, piece, size);
	w->size += size;
	if (is_full)
		longjmp(w->full, 1);
}

/* Prefixes of mangled names of C++ and Rust; a symbol of C is given to no parser. */
static bool is_mangled(const char *name)
{
	return (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2)) &&
	       strnlen(name, MANGLED_MAX) < MANGLED_MAX;
}

/* False: it is none of this language, and what stands there now says nothing. */
static bool write_demangled(const char *name, struct demangled_writing *w,
			    int (*parse)(const char *, int, demangle_callbackref, void *), int options)
{
	w->size = 0;
	return setjmp(w->full) || (parse(name, options, on_piece, w) && w->size);
}

void demangled(const char *name, char *ret, size_t size)
{
	struct demangled_writing w = { .to = ret, .room = size - 1 };

	/* Rust's first, whose older names are C++'s with a hash behind them. */
	if (!is_mangled(name) || (!write_demangled(name, &w, rust_demangle_callback, DMGL_AUTO) &&
				  !write_demangled(name, &w, cplus_demangle_v3_callback, DMGL_AUTO))) {
		w.size = strnlen(name, size - 1);
		memcpy(ret, name, w.size);
	}
	ret[w.size] = '\0';
}

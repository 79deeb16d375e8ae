// SPDX-License-Identifier: GPL-2.0-only
#include "python/modules.h"

#include "base/cleanup.h"

/* Bytes in which sys.modules is looked for: around where it is expected, since builds move it, ... */
#define AROUND	    512
#define INTERPRETER (64 << 10) /* ... or of the whole interpreter, where it is not */
#define CHUNK	    4096
#define MODULE_DICT 0 /* PyModuleObject.md_dict, Objects/moduleobject.c, behind its header */

struct first_keys {
	struct objects *o;
	int count; /* that were as expected */
};

static int is_next_key(void *keys, __u64 key, __u64 value)
{
	static const char *const expected[] = { "sys", "builtins" };
	struct first_keys *k = keys;

	(void)value;
	if (!objects_is_text(k->o, key, expected[k->count]))
		return 1;
	return ++k->count == ARRAY_SIZE(expected);
}

/* Its first keys are "sys" and "builtins": those modules make the dict and are made with it. */
static bool is_modules(struct objects *o, __u64 dict)
{
	struct first_keys k = { .o = o };

	return dict && objects_dict_each(o, dict, is_next_key, &k) == 1 && k.count == 2;
}

/* The first word that leads to it; 0: none does. */
static __u64 search_word(struct objects *o, __u64 begin, size_t size)
{
	__u64 words[CHUNK / sizeof(__u64)];

	for (size_t at = 0; at < size; at += CHUNK) {
		const size_t most = size - at < CHUNK ? size - at : CHUNK;
		const ssize_t n = objects_read_some(o, begin + at, words, most);

		for (ssize_t i = 0; i < n / (ssize_t)sizeof(__u64) && !o->unreachable; i++)
			if (objects_is_address(words[i]) && is_modules(o, words[i]))
				return words[i];
		if (n < CHUNK)
			return 0;
	}
	return 0;
}

__u64 modules_of(struct objects *o, __u64 interpreter)
{
	__u32 at, first;
	__u64 dict;

	if (!o->facts)
		return search_word(o, interpreter, INTERPRETER);
	at = o->facts->interp_modules;
	first = at > AROUND ? at - AROUND : 0;
	dict = objects_pointer(o, interpreter + at);
	return is_modules(o, dict) ? dict : search_word(o, interpreter + first, at + AROUND - first);
}

__u64 modules_dict(struct objects *o, __u64 module)
{
	return module ? objects_pointer(o, module + o->head + MODULE_DICT) : 0;
}

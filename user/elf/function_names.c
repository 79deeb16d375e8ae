// SPDX-License-Identifier: GPL-2.0-only
/*
 * function_names.c - the symbols are looked at once, and each is offered to the offsets that it covers. So
 * nothing is kept but the best for each of them.
 */
#include "elf/function_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/demangled.h"
#include "elf/symbols.h"

struct wanted {
	__u32 offset, index; /* the offset, and which one of the question it is */
	struct symbol best;  /* name is NULL if none covers it */
};

struct offers {
	struct wanted *list; /* by offset */
	__u32 count;
};

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int offer(void *context, const struct symbol *s)
{
	const struct offers *o = context;
	__u32 low = 0, high = o->count;

	while (low < high) {
		const __u32 middle = (low + high) / 2;

		if (o->list[middle].offset < s->begin)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < o->count && o->list[low].offset < s->end; low++)
		if (!o->list[low].best.name || symbol_compare(s, &o->list[low].best) > 0)
			o->list[low].best = *s;
	return 0;
}

static int write_name(const struct symbol *s, struct source_place *p, struct buf *strings)
{
	char text[SOURCE_NAME_SIZE];
	int err;

	if (!s->name)
		return 0;
	demangled(s->name, text, sizeof(text));
	err = buf_add(strings, text, strlen(text) + 1);
	if (err)
		return err;
	p->frames[0].name = strings->size - strlen(text) - 1;
	p->count = 1;
	return 0;
}

static int write_names(const struct offers *o, struct buf *out)
{
	_cleanup_free_ struct source_place *places = calloc(o->count, sizeof(*places));
	_cleanup_buf_ struct buf strings = { 0 };
	struct source_header h = { .count = o->count };
	int err = places ? buf_add(&strings, "", 1) : -ENOMEM;

	for (__u32 i = 0; !err && i < o->count; i++) {
		struct source_place *p = &places[o->list[i].index];

		p->offset = o->list[i].offset;
		err = write_name(&o->list[i].best, p, &strings);
	}
	h.strings_size = strings.size;
	return err ?: buf_add(out, &h, sizeof(h)) ?: buf_add(out, places, o->count * sizeof(*places)) ?:
	       buf_add(out, strings.data, strings.size);
}

int function_names_read(int fd, int debug, const __u32 *offsets, __u32 count, struct buf *out)
{
	_cleanup_free_ struct wanted *list = calloc(count ?: 1, sizeof(*list));
	_cleanup_(symbols_close) struct elf_symbols files = { 0 };
	struct offers offers = { list, count };
	const size_t size = out->size;
	int err;

	if (!count || count > SOURCE_ASKED_MAX)
		return -EINVAL;
	if (!list)
		return -ENOMEM;
	for (__u32 i = 0; i < count; i++)
		list[i] = (struct wanted){ .offset = offsets[i], .index = i };
	qsort(list, count, sizeof(*list), compare_wanted);
	err = symbols_open(&files, fd, debug) ?: symbols_each(&files, offer, &offers) ?:
	      write_names(&offers, out);
	if (err)
		out->size = size;
	return err;
}

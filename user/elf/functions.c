// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - the code is cut at every place where something begins or ends: a segment, a function of
 * .eh_frame, a symbol. Each part gets the name of the innermost symbol that covers it. A symbol counts within
 * its size only: whoever names an address by the symbol before it is wrong about most of a stripped library.
 */
#include "elf/functions.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/code_file.h"
#include "elf/demangled.h"
#include "elf/symbols.h"
#include "elf/tail_calls.h"

#define SYMBOLS_TAKEN (1 << 20)
#define MANGLED_ALL   (32 << 20) /* bytes of names that are demangled; later ones stay as they are */

/* The bytes that are sent: this, count struct function, names. */
struct functions_header {
	__u32 count;
	__u32 end;
	__u32 names_size;
	__u8 build_id[IMAGE_BUILD_ID_MAX];
	__u8 build_id_size;
	__u8 has_symbols;
	__u8 is_even;
	__u8 names_apart;
	__u8 pad[8];
	__u64 shift;
};

struct functions_reading {
	struct elf_symbols files;
	bool has_loop;	    /* it is CPython's interpreter, for x86-64 */
	struct buf cuts;    /* __u32[], offsets */
	struct buf symbols; /* struct symbol[] */
	struct buf names;
	bool names_apart;    /* they found no room */
	size_t mangled_left; /* bytes of names that may still be demangled */
};

static void cleanup_reading(struct functions_reading *r)
{
	symbols_close(&r->files);
	buf_free(&r->cuts);
	buf_free(&r->symbols);
	buf_free(&r->names);
}

static int add_cuts(struct functions_reading *r, __u32 begin, __u32 end)
{
	const __u32 both[] = { begin, end };

	if (r->cuts.size >= 2 * FUNCTIONS_MAX * sizeof(both))
		return -E2BIG;
	return buf_add(&r->cuts, both, sizeof(both));
}

static int on_fde(void *context, const struct eh_function *f)
{
	struct functions_reading *r = context;
	__u32 begin, end;

	if (!code_loads_find(&r->files.loads, f->address, f->size, &begin, &end))
		return 0;
	return add_cuts(r, begin, end);
}

static int on_frames(void *context, const struct eh_frame *section)
{
	int err = eh_frame_each(section, on_fde, context);

	return err == -EBADMSG ? 0 : err; /* what was there before is of use */
}

/* Of the interpreter this one is exported by every build. */
static int on_symbol(void *context, const struct symbol *symbol)
{
	struct functions_reading *r = context;

	if (!strcmp(symbol->name, "_PyEval_EvalFrameDefault"))
		r->has_loop = true;
	if (r->symbols.size >= SYMBOLS_TAKEN * sizeof(*symbol))
		return -E2BIG;
	return add_cuts(r, symbol->begin, symbol->end) ?: buf_add(&r->symbols, symbol, sizeof(*symbol));
}

static int compare_cuts(const void *a, const void *b)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return (x > y) - (x < y);
}

static int compare_symbols(const void *a, const void *b)
{
	return symbol_compare(a, b);
}

/* Sorted, each once. Returns how many there are. */
static size_t sort_cuts(struct buf *cuts)
{
	__u32 *list = (__u32 *)cuts->data;
	size_t n = cuts->size / sizeof(*list), kept = 0;

	qsort(list, n, sizeof(*list), compare_cuts);
	for (size_t i = 0; i < n; i++)
		if (!i || list[i] != list[i - 1])
			list[kept++] = list[i];
	return kept;
}

/* *ret is where the name is, 0 when there is no room. */
static int add_name(struct functions_reading *r, const char *name, __u32 *ret)
{
	char text[FUNCTIONS_NAME_SIZE];
	size_t size;
	int err;

	*ret = 0;
	if (r->names_apart)
		return 0;
	size = strnlen(name, MANGLED_MAX);
	if (size <= r->mangled_left)
		demangled(name, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%.*s", (int)sizeof(text) - 1, name);
	r->mangled_left -= size <= r->mangled_left ? size : 0;
	size = strlen(text) + 1;
	r->names_apart = r->names.size + size > FUNCTIONS_NAMES_MAX;
	if (size == 1 || r->names_apart)
		return 0;
	err = buf_add(&r->names, text, size);
	if (!err)
		*ret = r->names.size - size;
	return err;
}

/* The symbols that cover the place at hand; a new one goes on top. */
struct function_cover {
	const struct symbol **list;
	size_t count;
};

static const struct symbol *innermost(struct function_cover *c, __u32 offset)
{
	while (c->count && c->list[c->count - 1]->end <= offset)
		c->count--;
	return c->count ? c->list[c->count - 1] : NULL;
}

/* Writes one struct function for each cut; of a symbol that names several parts the name is written once. */
static int name_parts(struct functions_reading *r, const __u32 *cuts, size_t n, struct buf *out)
{
	const struct symbol *symbols = (const struct symbol *)r->symbols.data, *last = NULL, *s;
	const size_t count = r->symbols.size / sizeof(*symbols);
	_cleanup_free_ const struct symbol **stack = calloc(count + 1, sizeof(*stack));
	struct function_cover cover = { stack, 0 };
	struct function f = { 0 };
	int err = stack ? 0 : -ENOMEM;

	for (size_t i = 0, next = 0; !err && i < n; i++) {
		for (; next < count && symbols[next].begin <= cuts[i]; next++) {
			innermost(&cover, symbols[next].begin);
			cover.list[cover.count++] = &symbols[next];
		}
		s = innermost(&cover, cuts[i]);
		if (s && s != last)
			err = add_name(r, s->name, &f.name);
		if (s)
			last = s;
		err = err ?: buf_add(out, &(struct function){ cuts[i], s ? f.name : 0 }, sizeof(f));
	}
	return err;
}

/* Functions of an interpreter's loop that have lost their names. */
static int name_loop(struct functions_reading *r, int fd, const __u32 *cuts, size_t n, struct function *list)
{
	_cleanup_free_ bool *is = calloc(n, sizeof(*is));
	__u32 name = 0;
	int err = is ? tail_calls_find(fd, &r->files.loads, cuts, n, is) : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		if (!is[i] || list[i].name)
			continue;
		if (!name)
			err = add_name(r, TAIL_CALLS_NAME, &name);
		list[i].name = name;
	}
	return err;
}

/* None is better than those of some part of the code. */
static void drop_names(struct functions_reading *r, struct function *list, size_t n)
{
	r->names.size = 1;
	for (size_t i = 0; i < n; i++)
		list[i].name = 0;
}

static int write_functions(struct functions_reading *r, int fd, struct functions_header h, struct buf *out)
{
	const size_t begin = out->size;
	__u32 *cuts;
	size_t n;
	int err = buf_add(&r->names, "", 1) ?: buf_add(out, &h, sizeof(h));

	for (int i = 0; !err && i < r->files.loads.count; i++) {
		const struct code_load *l = &r->files.loads.list[i];

		err = add_cuts(r, l->offset & ~4095U, l->offset + l->size);
	}
	if (err)
		return err;
	n = sort_cuts(&r->cuts);
	cuts = (__u32 *)r->cuts.data;
	if (n - 1 > FUNCTIONS_MAX)
		return -E2BIG;
	if (r->symbols.size)
		qsort(r->symbols.data, r->symbols.size / sizeof(struct symbol), sizeof(struct symbol),
		      compare_symbols);
	err = name_parts(r, cuts, n - 1, out);
	if (!err && r->has_loop)
		err = name_loop(r, fd, cuts, n - 1, (struct function *)(out->data + begin + sizeof(h)));
	if (!err && r->names_apart)
		drop_names(r, (struct function *)(out->data + begin + sizeof(h)), n - 1);
	err = err ?: buf_add(out, r->names.data, r->names.size);
	if (err)
		return err;
	h.names_apart = r->names_apart;
	h.count = n - 1;
	h.end = cuts[n - 1];
	h.names_size = r->names.size;
	memcpy(out->data + begin, &h, sizeof(h));
	return 0;
}

/* How far addresses are from offsets, if that is the same for all code. */
static void find_shift(const struct code_loads *loads, struct functions_header *h)
{
	h->shift = loads->list[0].address - loads->list[0].offset;
	h->is_even = loads->list[0].address >= loads->list[0].offset;
	for (int i = 1; i < loads->count; i++)
		h->is_even &= loads->list[i].address - loads->list[i].offset == h->shift;
}

int functions_read(int fd, int debug, struct buf *out)
{
	_cleanup_(cleanup_reading) struct functions_reading r = { .mangled_left = MANGLED_ALL };
	struct functions_header h = { 0 };
	const size_t size = out->size;
	int err;

	err = symbols_open(&r.files, fd, debug) ?: code_frames_each(r.files.elf, on_frames, &r) ?:
	      symbols_each(&r.files, on_symbol, &r);
	if (err)
		return err;
	r.has_loop &= r.files.machine == EM_X86_64;
	memcpy(h.build_id, r.files.build_id, sizeof(h.build_id));
	h.build_id_size = r.files.build_id_size;
	h.has_symbols = r.files.has_table;
	find_shift(&r.files.loads, &h);
	err = write_functions(&r, fd, h, out);
	if (err)
		out->size = size;
	return err;
}

static bool is_sane_table(const struct functions *f, __u32 names_size)
{
	if (!f->count || f->count > FUNCTIONS_MAX || !names_size || names_size > FUNCTIONS_NAMES_MAX ||
	    *f->names || f->names[names_size - 1] || f->list[0].offset & 4095)
		return false;
	for (__u32 i = 0; i < f->count; i++)
		if (f->list[i].name >= names_size || (i && f->list[i].offset <= f->list[i - 1].offset))
			return false;
	return f->list[f->count - 1].offset < f->end;
}

int functions_parse(const void *bytes, size_t size, struct functions *ret)
{
	struct functions_header h;
	struct functions f;

	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (size != sizeof(h) + (__u64)h.count * sizeof(struct function) + h.names_size)
		return -EBADMSG;
	f.list = (const struct function *)((const char *)bytes + sizeof(h));
	f.count = h.count;
	f.end = h.end;
	f.names = (const char *)(f.list + h.count);
	memcpy(f.build_id, h.build_id, sizeof(f.build_id));
	f.build_id_size = h.build_id_size;
	f.has_symbols = h.has_symbols;
	f.is_even = h.is_even;
	f.names_apart = h.names_apart;
	f.shift = h.shift;
	if (h.build_id_size > sizeof(h.build_id) || !is_sane_table(&f, h.names_size))
		return -EBADMSG;
	*ret = f;
	return 0;
}

const struct function *functions_find(const struct functions *f, __u32 offset)
{
	__u32 low = 0, high = f->count;

	if (offset >= f->end || offset < f->list[0].offset)
		return NULL;
	while (low + 1 < high) {
		__u32 middle = (low + high) / 2;

		if (f->list[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return &f->list[low];
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - the code is cut at every place where something begins or ends: a segment, a function of
 * .eh_frame, a symbol. Each part gets the name of the innermost symbol that covers it. A symbol counts within
 * its size only: whoever names an address by the symbol before it is wrong about most of a stripped library.
 */
#include "elf/functions.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/code_file.h"
#include "elf/demangled.h"
#include "elf/minidebug.h"
#include "elf/tail_calls.h"

#define SYMBOLS_TAKEN (1 << 20)

struct symbol {
	__u32 begin, end; /* offsets in the file */
	const char *name; /* libelf's, as long as the files are open */
	__u32 order;	  /* of symbols of one place the lowest names it */
};

/* What is sent: this, count struct function, names. */
struct functions_header {
	__u32 count;
	__u32 end;
	__u32 names_size;
	__u8 build_id[IMAGE_BUILD_ID_MAX];
	__u8 build_id_size;
	__u8 has_symbols;
	__u8 is_even;
	__u8 pad[9];
	__u64 shift;
};

struct reading {
	struct code_loads loads;
	struct minidebug minidebug;
	Elf *debug;
	bool has_symbols;
	bool has_loop; /* it is CPython's interpreter, for x86-64 */
	struct buf cuts;    /* __u32[], offsets */
	struct buf symbols; /* struct symbol[] */
	struct buf names;
};

static void cleanup_reading(struct reading *r)
{
	minidebug_cleanup(&r->minidebug);
	elf_file_cleanup(&r->debug);
	buf_free(&r->cuts);
	buf_free(&r->symbols);
	buf_free(&r->names);
}

static int add_cuts(struct reading *r, __u32 begin, __u32 end)
{
	const __u32 both[] = { begin, end };

	if (r->cuts.size >= 2 * FUNCTIONS_MAX * sizeof(both))
		return -E2BIG;
	return buf_add(&r->cuts, both, sizeof(both));
}

static int on_fde(void *context, const struct eh_function *f)
{
	struct reading *r = context;
	__u32 begin, end;

	return code_loads_find(&r->loads, f->address, f->size, &begin, &end) ? add_cuts(r, begin, end) : 0;
}

static int on_frames(void *context, const struct eh_frame *section)
{
	int err = eh_frame_each(section, on_fde, context);

	return err == -EBADMSG ? 0 : err; /* what was there before is of use */
}

/* Lower is better: exported before local, without underscores before with, short before long. */
static __u32 rank(const GElf_Sym *symbol, const char *name)
{
	__u32 underscores = strspn(name, "_"), length = strnlen(name, 255);

	if (underscores > 15)
		underscores = 15;
	return (GELF_ST_BIND(symbol->st_info) == STB_LOCAL) << 16 | underscores << 8 | length;
}

static int add_symbol(struct reading *r, const GElf_Sym *symbol, const char *name)
{
	const int type = GELF_ST_TYPE(symbol->st_info);
	struct symbol s = { .name = name, .order = rank(symbol, name) };

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || !*name ||
	    !symbol->st_size || symbol->st_shndx == SHN_UNDEF ||
	    !code_loads_find(&r->loads, symbol->st_value, symbol->st_size, &s.begin, &s.end))
		return 0;
	if (r->symbols.size >= SYMBOLS_TAKEN * sizeof(s))
		return -E2BIG;
	return add_cuts(r, s.begin, s.end) ?: buf_add(&r->symbols, &s, sizeof(s));
}

/* Of the interpreter this one is exported by every build. */
static int take_symbol(struct reading *r, const GElf_Sym *symbol, const char *name)
{
	if (symbol->st_shndx != SHN_UNDEF && !strcmp(name, "_PyEval_EvalFrameDefault"))
		r->has_loop = true;
	return add_symbol(r, symbol, name);
}

static int read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct reading *r)
{
	Elf_Data *data, *text;
	int err = 0;

	if (elf_file_symbols(elf, section, header, &data, &text))
		return 0;
	for (size_t i = 0; !err && i < data->d_size / sizeof(Elf64_Sym); i++) {
		GElf_Sym symbol;

		if (gelf_getsym(data, i, &symbol) && symbol.st_name < text->d_size)
			err = take_symbol(r, &symbol, (const char *)text->d_buf + symbol.st_name);
	}
	return err;
}

static int read_symbol_tables(Elf *elf, struct reading *r)
{
	Elf_Scn *section = NULL;
	int err = 0;

	while (!err && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		r->has_symbols |= header.sh_type == SHT_SYMTAB;
		err = read_symbols(elf, section, &header, r);
	}
	return err;
}

/* Of the same build only: its addresses are those of the file. */
static int read_debug(int fd, const struct functions_header *h, struct reading *r)
{
	__u8 id[IMAGE_BUILD_ID_MAX], size = 0;
	Elf64_Ehdr header;

	if (fd < 0 || !h->build_id_size || elf_file_header(fd, &header) || elf_file_open(fd, &r->debug))
		return 0;
	elf_file_build_id(r->debug, &header, id, &size);
	if (size != h->build_id_size || memcmp(id, h->build_id, size))
		return 0;
	return read_symbol_tables(r->debug, r);
}

/* One that is broken or too large only has no names for us. */
static int read_minidebug(Elf *elf, struct reading *r)
{
	int err = minidebug_open(elf, &r->minidebug);

	return err ? (err == -ENOMEM ? err : 0) : read_symbol_tables(r->minidebug.elf, r);
}

static int read_sections(Elf *elf, struct reading *r)
{
	return code_frames_each(elf, on_frames, r) ?: read_symbol_tables(elf, r) ?: read_minidebug(elf, r);
}

static int compare_cuts(const void *a, const void *b)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return (x > y) - (x < y);
}

/* By begin; of those that begin at one place the outermost first, and of equal ones the best name last. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->order != y->order ? (x->order > y->order ? -1 : 1) : strcmp(x->name, y->name);
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
static int add_name(struct reading *r, const char *name, __u32 *ret)
{
	char text[FUNCTIONS_NAME_SIZE];
	size_t size;
	int err;

	demangled(name, text, sizeof(text));
	size = strlen(text) + 1;
	*ret = 0;
	if (size == 1 || r->names.size + size > FUNCTIONS_NAMES_MAX)
		return 0;
	err = buf_add(&r->names, text, size);
	if (!err)
		*ret = r->names.size - size;
	return err;
}

/* The symbols that cover the place at hand; a new one goes on top. */
struct cover {
	const struct symbol **list;
	size_t count;
};

static const struct symbol *innermost(struct cover *c, __u32 offset)
{
	while (c->count && c->list[c->count - 1]->end <= offset)
		c->count--;
	return c->count ? c->list[c->count - 1] : NULL;
}

/* Writes one struct function for each cut; of a symbol that names several parts the name is written once. */
static int name_parts(struct reading *r, const __u32 *cuts, size_t n, struct buf *out)
{
	const struct symbol *symbols = (const struct symbol *)r->symbols.data, *last = NULL, *s;
	const size_t count = r->symbols.size / sizeof(*symbols);
	_cleanup_free_ const struct symbol **stack = calloc(count + 1, sizeof(*stack));
	struct cover cover = { stack, 0 };
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
static int name_loop(struct reading *r, int fd, const __u32 *cuts, size_t n, struct function *list)
{
	_cleanup_free_ bool *is = calloc(n, sizeof(*is));
	__u32 name = 0;
	int err = is ? tail_calls_find(fd, &r->loads, cuts, n, is) : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		if (!is[i] || list[i].name)
			continue;
		if (!name)
			err = add_name(r, TAIL_CALLS_NAME, &name);
		list[i].name = name;
	}
	return err;
}

static int write_functions(struct reading *r, int fd, struct functions_header h, struct buf *out)
{
	const size_t begin = out->size;
	__u32 *cuts;
	size_t n;
	int err = buf_add(&r->names, "", 1) ?: buf_add(out, &h, sizeof(h));

	for (int i = 0; !err && i < r->loads.count; i++) {
		const struct code_load *l = &r->loads.list[i];

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
	err = err ?: buf_add(out, r->names.data, r->names.size);
	if (err)
		return err;
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
	_cleanup_(elf_file_cleanup) Elf *elf = NULL;
	_cleanup_(cleanup_reading) struct reading r = { 0 };
	struct functions_header h = { 0 };
	const size_t size = out->size;
	Elf64_Ehdr header;
	int err;

	err = elf_file_header(fd, &header) ?: code_loads_read(fd, &header, &r.loads);
	if (!err)
		err = elf_file_open(fd, &elf);
	if (!err)
		elf_file_build_id(elf, &header, h.build_id, &h.build_id_size);
	if (!err)
		err = read_sections(elf, &r) ?: read_debug(debug, &h, &r);
	r.has_loop &= header.e_machine == EM_X86_64;
	h.has_symbols = r.has_symbols;
	if (!err)
		find_shift(&r.loads, &h);
	if (!err)
		err = write_functions(&r, fd, h, out);
	if (err)
		out->size = size;
	return err;
}

static bool is_sane(const struct functions *f, __u32 names_size)
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
	f.shift = h.shift;
	if (h.build_id_size > sizeof(h.build_id) || !is_sane(&f, h.names_size))
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

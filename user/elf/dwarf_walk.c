// SPDX-License-Identifier: GPL-2.0-only
/*
 * dwarf_walk.c - see dwarf_walk.h. Units are found by their ranges, not by .debug_aranges, which clang leaves
 * out. Of a unit the entries are followed that hold an address that is looked for; others are passed over.
 */
#include "elf/dwarf_walk.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#define NESTED_MAX 64 /* entries within entries */
#define TEXTS_MAX  8
#define TEXT_SIZE  65536 /* of a string, with its NUL */

/* A section that may have strings in it. */
struct dwarf_text {
	const char *begin, *end;
};

struct dwarf_walk {
	struct dwarf_place *places;
	size_t count;
	Dwarf_Files *files; /* of the unit at hand; NULL: it has none */
	__u32 dies;	    /* that were looked at */
	struct dwarf_text texts[TEXTS_MAX];
	int text_count;
};

static bool is_strings(const char *name)
{
	return !strcmp(name, ".debug_str") || !strcmp(name, ".debug_line_str");
}

/*
 * 0; -EBADMSG: a section that is all strings does not end with the end of one, which libdw (0.188) takes for
 * granted; or there are too many of a name.
 */
static int find_texts(struct dwarf_walk *w, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return -EBADMSG;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = NULL;
		GElf_Shdr header;
		const Elf_Data *data;
		struct dwarf_text *t;

		if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS)
			name = elf_strptr(elf, names, header.sh_name);
		if (!name || (!is_strings(name) && strcmp(name, ".debug_info")))
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf || !data->d_size)
			continue;
		if (w->text_count == TEXTS_MAX)
			return -EBADMSG;
		t = &w->texts[w->text_count++];
		*t = (struct dwarf_text){ data->d_buf, (const char *)data->d_buf + data->d_size };
		if (is_strings(name) && t->end[-1])
			return -EBADMSG;
	}
	return 0;
}

/*
 * A string that stands in .debug_info itself may not end before the section does. One that is far too long is
 * no name either: it would be gone through once for each entry that has it.
 */
static const char *checked(const struct dwarf_walk *w, const char *text)
{
	for (int i = 0; text && i < w->text_count; i++) {
		const struct dwarf_text *t = &w->texts[i];
		const size_t left = text >= t->begin && text < t->end ? t->end - text : 0;

		if (left)
			return memchr(text, 0, left < TEXT_SIZE ? left : TEXT_SIZE) ? text : NULL;
	}
	return NULL;
}

/* The first place that is not below the address. */
static size_t first_at(const struct dwarf_walk *w, __u64 address)
{
	size_t low = 0, high = w->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (w->places[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Calls fn for each place in the entry's ranges that is on this level. Returns how many there were. */
static size_t each_within(struct dwarf_walk *w, Dwarf_Die *die, __u32 level,
			  void (*fn)(struct dwarf_walk *w, Dwarf_Die *die, struct dwarf_place *p))
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	size_t n = 0;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0 && w->dies++ < SOURCE_DIES_MAX)
		for (size_t i = first_at(w, start); i < w->count && w->places[i].address < end; i++) {
			if (w->places[i].level != level)
				continue;
			fn(w, die, &w->places[i]);
			w->places[i].level++;
			n++;
		}
	return n;
}

static const char *name_of(const struct dwarf_walk *w, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));

	name = name ?: dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a));
	return checked(w, name ?: dwarf_diename(die));
}

static __u32 number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &a), &value) || value > INT32_MAX ? 0 : value;
}

static void add_scope(struct dwarf_walk *w, Dwarf_Die *die, struct dwarf_place *p)
{
	struct dwarf_scope *s = p->depth < SOURCE_FRAMES_MAX ? &p->scopes[p->depth] : &p->beyond;
	const __u32 depth = p->depth++;

	if (depth > SOURCE_FRAMES_MAX)
		return;
	s->name = name_of(w, die);
	if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
		return;
	s->call_line = number_of(die, DW_AT_call_line);
	if (w->files)
		s->call_file = dwarf_filesrc(w->files, number_of(die, DW_AT_call_file), NULL, NULL);
}

static void pass(struct dwarf_walk *w, Dwarf_Die *die, struct dwarf_place *p)
{
	(void)w;
	(void)die;
	(void)p;
}

/* What an entry is to us. */
enum dwarf_part {
	PART_OTHER,
	PART_FUNCTION, /* has code, and is shown */
	PART_BLOCK,    /* has code */
	PART_SPACE,    /* of names: may have functions in it */
};

static enum dwarf_part part_of_entry(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return PART_FUNCTION;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return PART_BLOCK;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return PART_SPACE;
	}
	return PART_OTHER;
}

/* Looks at what is in an entry around places of this level. nested: how deep it is. */
static void walk_children(struct dwarf_walk *w, Dwarf_Die *parent, __u32 level, int nested)
{
	Dwarf_Die die;

	if (nested == NESTED_MAX || dwarf_child(parent, &die))
		return;
	do {
		const enum dwarf_part part = part_of_entry(&die);

		if (part == PART_SPACE)
			walk_children(w, &die, level, nested + 1);
		if ((part == PART_FUNCTION && each_within(w, &die, level, add_scope)) ||
		    (part == PART_BLOCK && each_within(w, &die, level, pass)))
			walk_children(w, &die, level + 1, nested + 1);
	} while (w->dies++ < SOURCE_DIES_MAX && !dwarf_siblingof(&die, &die));
}

static void find_line(Dwarf_Die *unit, struct dwarf_place *p)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, p->address);
	int number;

	if (!line || dwarf_lineno(line, &number) || number < 0)
		return;
	p->line = number;
	p->file = dwarf_linesrc(line, NULL, NULL);
}

static void walk_unit(struct dwarf_walk *w, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	size_t files;

	if (!each_within(w, unit, 0, pass))
		return;
	if (dwarf_getsrcfiles(unit, &w->files, &files))
		w->files = NULL;
	walk_children(w, unit, 1, 0);
	for (size_t i = 0; i < w->count; i++) {
		struct dwarf_place *p = &w->places[i];

		if (!p->level || p->found)
			continue;
		p->found = true;
		p->directory = checked(w, dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &a)));
		find_line(unit, p);
	}
}

int dwarf_walk(Dwarf *dwarf, struct dwarf_place *places, size_t count)
{
	struct dwarf_walk w = { .places = places, .count = count };
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	__u8 type;
	int err;

	err = find_texts(&w, dwarf_getelf(dwarf));
	if (err)
		return err;
	while (w.dies++ < SOURCE_DIES_MAX && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL))
		if (type == DW_UT_compile)
			walk_unit(&w, &unit);
	return w.dies >= SOURCE_DIES_MAX ? -E2BIG : 0;
}

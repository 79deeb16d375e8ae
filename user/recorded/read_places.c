// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_places.c - of a pprof message: mappings, functions and locations. A location has a line for each
 * function that was inlined there; each of them is a place.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "recorded/frame_kinds.h"
#include "recorded/read_parts.h"

static int add_pprof_mapping(struct pprof_reader *r, struct wire m)
{
	struct recorded_mapping mapping = { 0 };
	struct read_mapping read = { 0 };
	__u64 f[PPROF_MAPPING_BUILD_ID + 1];
	int err = read_scalars(r, m, f, PPROF_MAPPING_BUILD_ID) ?:
		  read_text(r, f[PPROF_MAPPING_FILE], &mapping.file) ?:
		  read_text(r, f[PPROF_MAPPING_BUILD_ID], &mapping.build_id) ?:
		  recorded_mapping(r->recorded, &mapping, &read.recorded);

	read.start = f[PPROF_MAPPING_START];
	return err ?: read_ids_add(r, &r->mappings, f[PPROF_MAPPING_ID], &read, sizeof(read));
}

static int add_pprof_function(struct pprof_reader *r, struct wire m)
{
	struct recorded_function function = { 0 };
	__u64 f[PPROF_FUNCTION_LINE + 1];
	__u32 id;
	int err = read_scalars(r, m, f, PPROF_FUNCTION_LINE) ?:
		  read_text(r, f[PPROF_FUNCTION_NAME], &function.name) ?:
		  read_text(r, f[PPROF_FUNCTION_FILE], &function.file);

	if (!err && !function.name)
		err = read_text(r, f[PPROF_FUNCTION_SYSTEM_NAME], &function.name);
	function.start_line = (__s64)f[PPROF_FUNCTION_LINE];
	err = err ?: recorded_function(r->recorded, &function, &id);
	return err ?: read_ids_add(r, &r->functions, f[PPROF_FUNCTION_ID], &id, sizeof(id));
}

/* Code that has no name yet is called by the file that it lies in, or by its address. */
static int name_by_mapping(struct pprof_reader *r, const struct recorded_place *p, __u32 *ret)
{
	struct recorded_function function = { 0 };
	char name[RECORDED_STRING_MAX + 16];

	if (p->mapping)
		function.file = recorded_get_mapping(r->recorded, p->mapping)->file;
	if (function.file)
		snprintf(name, sizeof(name), "%s",
			 base_name(recorded_get_string(r->recorded, function.file)));
	else
		snprintf(name, sizeof(name), "0x%llx", p->address);
	return recorded_string(r->recorded, name, strlen(name), &function.name) ?:
	       recorded_function(r->recorded, &function, ret);
}

static void find_kind(const struct recorded *r, struct recorded_place *p)
{
	const struct recorded_function *f = recorded_get_function(r, p->function);
	const __u32 mapping = p->mapping ? recorded_get_mapping(r, p->mapping)->file : 0;
	const struct frame_facts facts = {
		.name = recorded_get_string(r, f->name),
		.file = recorded_get_string(r, f->file),
		.mapping = recorded_get_string(r, mapping),
		.address = p->address,
	};

	p->kind = frame_kinds_find(&facts);
}

int read_place_add(struct pprof_reader *r, struct recorded_place *p)
{
	const struct recorded_function *f;
	__u32 id;
	int err = 0;

	if (!p->function)
		err = name_by_mapping(r, p, &p->function);
	if (err)
		return err;
	f = recorded_get_function(r->recorded, p->function);
	if (!f->name)
		err = name_by_mapping(r, p, &p->function);
	if (err)
		return err;
	find_kind(r->recorded, p);
	err = recorded_place(r->recorded, p, &id);
	return err ?: buf_add(&r->lines, &id, sizeof(id));
}

/* OTLP has the same numbers for the fields of a line. */
static int add_line(struct pprof_reader *r, struct wire m, struct recorded_place place)
{
	const __u32 *function = NULL;
	__u64 f[PPROF_LINE_COLUMN + 1], id;
	int err = read_scalars(r, m, f, PPROF_LINE_COLUMN);

	if (err)
		return err;
	id = f[PPROF_LINE_FUNCTION];
	if (id && !(function = read_ids_find(&r->functions, id, sizeof(*function))))
		return read_fail(r, -EBADMSG, "it names a function that it has not");
	place.function = function ? *function : 0;
	place.line = (__s64)f[PPROF_LINE_LINE];
	place.column = (__s64)f[PPROF_LINE_COLUMN];
	return read_place_add(r, &place);
}

static int add_lines(struct pprof_reader *r, struct wire m, __u32 number, const struct recorded_place *place)
{
	const size_t before = r->lines.size;
	struct recorded_place alone = *place;
	struct wire_field field;
	int err = 0;

	while (!err && wire_next(&m, &field) > 0) {
		if (field.number != number)
			continue;
		if (field.type != WIRE_BYTES)
			return read_fail(r, -EBADMSG, "it has a line that is none");
		err = add_line(r, field.bytes, *place);
	}
	return err ?: r->lines.size == before ? read_place_add(r, &alone) : 0;
}

int read_location_add(struct pprof_reader *r, struct wire m, const struct read_location *l)
{
	struct read_line_range range = { .first = r->lines.size / sizeof(__u32) };
	struct recorded_place place = { .address = l->address };
	const struct read_mapping *mapping = NULL;
	int err;

	if (l->mapping && !(mapping = read_ids_find(&r->mappings, l->mapping, sizeof(*mapping))))
		return read_fail(r, -EBADMSG, "it names a mapping that it has not");
	place.mapping = mapping ? mapping->recorded : 0;
	/* No code is at a file's very start. Frames of Python stand there (pprof_places.c). */
	if (mapping && place.address == mapping->start)
		place.address = 0;
	err = add_lines(r, m, l->line, &place);
	range.count = r->lines.size / sizeof(__u32) - range.first;
	return err ?: read_ids_add(r, &r->locations, l->id, &range, sizeof(range));
}

static int add_pprof_location(struct pprof_reader *r, struct wire m)
{
	__u64 f[PPROF_LOCATION_ADDRESS + 1];
	int err = read_scalars(r, m, f, PPROF_LOCATION_ADDRESS);
	const struct read_location location = { f[PPROF_LOCATION_ID], f[PPROF_LOCATION_MAPPING],
						f[PPROF_LOCATION_ADDRESS], PPROF_LOCATION_LINE };

	return err ?: read_location_add(r, m, &location);
}

int read_places(struct pprof_reader *r)
{
	return read_each(r, &r->message, PPROF_MAPPING, add_pprof_mapping) ?:
	       read_each(r, &r->message, PPROF_FUNCTION, add_pprof_function) ?:
	       read_each(r, &r->message, PPROF_LOCATION, add_pprof_location);
}

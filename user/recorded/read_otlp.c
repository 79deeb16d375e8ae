// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_otlp.c - see read_otlp.h. Here are the tables that all profiles of a message share. Element 0 of each
 * stands for "none".
 */
#include "recorded/read_otlp.h"

#include <errno.h>
#include <string.h>

#include "formats/otlp_owners.h"
#include "formats/otlp_wire.h"

#define HEX_MAX 32

/* read_places.c reads lines of both formats. */
_Static_assert(OTLP_LINE_FUNCTION_INDEX == 1 && OTLP_LINE_LINE == 2 && OTLP_LINE_COLUMN == 3,
	       "the fields of a line have the numbers that pprof gives them");

bool read_otlp_is(struct wire message)
{
	struct wire_field field;
	bool has_dictionary = false;
	int more;

	while ((more = wire_next(&message, &field)) > 0) {
		if (field.type != WIRE_BYTES || field.number > OTLP_DATA_DICTIONARY)
			return false;
		has_dictionary |= field.number == OTLP_DATA_DICTIONARY;
	}
	return !more && has_dictionary;
}

struct read_attribute *read_otlp_attribute(const struct pprof_reader *r, __u64 index)
{
	struct read_attribute *all = (struct read_attribute *)r->attributes.data;

	return index < r->attributes.size / sizeof(*all) ? all + index : NULL;
}

int read_otlp_value(struct pprof_reader *r, struct wire any, __u32 key, struct recorded_label *ret)
{
	struct recorded_label label = { .key = key };
	struct wire_field field;
	bool is_known = false;
	int more, err = 0;

	while (!err && (more = wire_next(&any, &field)) > 0) {
		is_known = true;
		label.is_number = field.number == OTLP_ANY_INT && field.type == WIRE_VARINT;
		label.number = label.is_number ? (__s64)field.value : 0;
		if (field.number == OTLP_ANY_STRING && field.type == WIRE_BYTES)
			err = recorded_string(r->recorded, field.bytes.at, field.bytes.end - field.bytes.at,
					      &label.text);
		else
			is_known = label.is_number;
	}
	if (err || more < 0)
		return err ?: more;
	*ret = is_known ? label : (struct recorded_label){ 0 };
	return 0;
}

/* The key of the label that an attribute is. */
static int add_key(struct pprof_reader *r, __u64 index, __u32 *ret)
{
	const char *label;
	int err = read_text(r, index, ret);

	if (err)
		return err;
	label = otlp_owners_label(recorded_get_string(r->recorded, *ret));
	return recorded_string(r->recorded, label, strlen(label), ret);
}

static int add_otlp_attribute(struct pprof_reader *r, struct wire m)
{
	struct read_attribute attribute = { .value = { m.end, m.end } };
	struct wire rest = m;
	struct wire_field field;
	__u64 f[OTLP_ATTRIBUTE_KEY + 1];
	__u32 key;
	int more, err = read_scalars(r, m, f, OTLP_ATTRIBUTE_KEY) ?: add_key(r, f[OTLP_ATTRIBUTE_KEY], &key);

	if (err)
		return err;
	while ((more = wire_next(&rest, &field)) > 0)
		if (field.number == OTLP_ATTRIBUTE_VALUE && field.type == WIRE_BYTES)
			attribute.value = field.bytes;
	err = more ?: read_otlp_value(r, attribute.value, key, &attribute.label);
	return err ?: buf_add(&r->attributes, &attribute, sizeof(attribute));
}

/* --- places --------------------------------------------------------------------------------------------- */

/* Whether it is element 0 of its table. */
static bool is_none(struct pprof_reader *r)
{
	return !r->index++;
}

static int find_build_id(struct pprof_reader *r, struct wire m, __u32 *ret)
{
	struct wire_field field;
	struct wire numbers;
	__u64 index;
	__u8 one[10];
	int more, err = 0;

	while (!err && (more = wire_next(&m, &field)) > 0) {
		if (field.number != OTLP_MAPPING_ATTRIBUTE_INDICES)
			continue;
		err = wire_numbers(&field, one, &numbers);
		while (!err && numbers.at < numbers.end) {
			const struct read_attribute *a;

			err = wire_number(&numbers, &index);
			a = err ? NULL : read_otlp_attribute(r, index);
			if (a && a->label.key && !strcmp(recorded_get_string(r->recorded, a->label.key),
							 "process.executable.build_id.gnu"))
				*ret = a->label.text;
		}
	}
	return err;
}

static int add_otlp_mapping(struct pprof_reader *r, struct wire m)
{
	struct recorded_mapping mapping = { 0 };
	struct read_mapping read = { 0 };
	__u64 f[OTLP_MAPPING_FILENAME + 1];
	int err;

	if (is_none(r))
		return 0;
	err = read_scalars(r, m, f, OTLP_MAPPING_FILENAME) ?:
	      read_text(r, f[OTLP_MAPPING_FILENAME], &mapping.file) ?:
	      find_build_id(r, m, &mapping.build_id) ?:
	      recorded_mapping(r->recorded, &mapping, &read.recorded);
	read.start = f[OTLP_MAPPING_MEMORY_START];
	return err ?: read_ids_add(r, &r->mappings, r->index - 1, &read, sizeof(read));
}

static int add_otlp_function(struct pprof_reader *r, struct wire m)
{
	struct recorded_function function = { 0 };
	__u64 f[OTLP_FUNCTION_START_LINE + 1];
	__u32 id;
	int err;

	if (is_none(r))
		return 0;
	err = read_scalars(r, m, f, OTLP_FUNCTION_START_LINE) ?:
	      read_text(r, f[OTLP_FUNCTION_NAME], &function.name) ?:
	      read_text(r, f[OTLP_FUNCTION_FILENAME], &function.file);
	function.start_line = (__s64)f[OTLP_FUNCTION_START_LINE];
	err = err ?: recorded_function(r->recorded, &function, &id);
	return err ?: read_ids_add(r, &r->functions, r->index - 1, &id, sizeof(id));
}

static int add_otlp_location(struct pprof_reader *r, struct wire m)
{
	__u64 f[OTLP_LOCATION_ADDRESS + 1];
	int err;

	if (is_none(r))
		return 0;
	err = read_scalars(r, m, f, OTLP_LOCATION_ADDRESS);
	return err ?: read_location_add(r, m, &(struct read_location){
						      .id = r->index - 1,
						      .mapping = f[OTLP_LOCATION_MAPPING_INDEX],
						      .address = f[OTLP_LOCATION_ADDRESS],
						      .line = OTLP_LOCATION_LINES,
					      });
}

static int note_stack(struct pprof_reader *r, struct wire m)
{
	return buf_add(&r->stacks, &m, sizeof(m));
}

/* --- links ---------------------------------------------------------------------------------------------- */

/* An id as OpenTelemetry writes it, in hexadecimal digits; none where it has another size. */
static int add_otlp_id(struct pprof_reader *r, const struct wire_field *field, size_t size, __u32 *ret)
{
	static const char digits[] = "0123456789abcdef";
	char text[HEX_MAX];

	if (field->type != WIRE_BYTES || (size_t)(field->bytes.end - field->bytes.at) != size)
		return 0;
	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[field->bytes.at[i] >> 4];
		text[2 * i + 1] = digits[field->bytes.at[i] & 15];
	}
	return recorded_string(r->recorded, text, 2 * size, ret);
}

static int add_otlp_link(struct pprof_reader *r, struct wire m)
{
	struct read_link link = { 0 };
	struct wire_field field;
	int more, err = 0;

	while (!err && (more = wire_next(&m, &field)) > 0) {
		if (field.number == OTLP_LINK_TRACE_ID)
			err = add_otlp_id(r, &field, 16, &link.trace);
		else if (field.number == OTLP_LINK_SPAN_ID)
			err = add_otlp_id(r, &field, 8, &link.span);
	}
	return err ?: more < 0 ? more : buf_add(&r->links, &link, sizeof(link));
}

static int read_table(struct pprof_reader *r, struct wire m, enum otlp_kind kind,
		      int (*add)(struct pprof_reader *r, struct wire m))
{
	r->index = 0;
	return read_each(r, &m, kind, add);
}

int read_otlp_dictionary(struct pprof_reader *r, struct wire m)
{
	return read_table(r, m, OTLP_STRING, read_text_add) ?:
	       read_table(r, m, OTLP_ATTRIBUTE, add_otlp_attribute) ?:
	       read_table(r, m, OTLP_MAPPING, add_otlp_mapping) ?:
	       read_table(r, m, OTLP_FUNCTION, add_otlp_function) ?:
	       read_table(r, m, OTLP_LOCATION, add_otlp_location) ?:
	       read_table(r, m, OTLP_LINK, add_otlp_link) ?: read_table(r, m, OTLP_STACK, note_stack);
}

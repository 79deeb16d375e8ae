// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_samples.c - of a pprof message: the samples, with their stacks, values and labels.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "recorded/read_parts.h"

int read_location_of_sample(struct pprof_reader *r, __u64 id)
{
	const struct read_line_range *range = read_ids_find(&r->locations, id, sizeof(*range));
	const __u32 *lines;
	int err;

	if (!range)
		return read_fail(r, -EBADMSG, "it names a location that it has not");
	r->frames += range->count;
	if (r->places.size / sizeof(__u32) + range->count > RECORDED_STACK_MAX || r->frames > READ_FRAMES_MAX)
		return -E2BIG;
	lines = (const __u32 *)r->lines.data + range->first;
	err = buf_reserve(&r->places, range->count * sizeof(*lines));
	for (__u32 i = 0; i < range->count && !err; i++, r->places.size += sizeof(*lines))
		*(__u32 *)(r->places.data + r->places.size) = lines[i];
	return err;
}

int read_value_of_sample(struct pprof_reader *r, __u64 value)
{
	return buf_add(&r->values, &value, sizeof(value));
}

int read_numbers(struct pprof_reader *r, const struct wire_field *field,
		 int (*add)(struct pprof_reader *r, __u64 number))
{
	struct wire numbers;
	__u8 one[10];
	__u64 number;
	int err = wire_numbers(field, one, &numbers);

	while (!err && numbers.at < numbers.end)
		err = wire_number(&numbers, &number) ?: add(r, number);
	return err;
}

int read_label_add(struct pprof_reader *r, struct buf *to, const struct recorded_label *label)
{
	if (to->size / sizeof(*label) == RECORDED_LABELS_MAX)
		return read_fail(r, -E2BIG, "a sample has more than 256 labels");
	return buf_add(to, label, sizeof(*label));
}

static int add_pprof_label(struct pprof_reader *r, const struct wire_field *field)
{
	struct recorded_label label = { 0 };
	__u64 f[PPROF_LABEL_UNIT + 1];
	int err;

	if (field->type != WIRE_BYTES)
		return -EBADMSG;
	err = read_scalars(r, field->bytes, f, PPROF_LABEL_UNIT) ?:
	      read_text(r, f[PPROF_LABEL_KEY], &label.key);
	label.is_number = !f[PPROF_LABEL_TEXT];
	label.number = label.is_number ? (__s64)f[PPROF_LABEL_NUMBER] : 0;
	err = err ?: read_text(r, f[label.is_number ? PPROF_LABEL_UNIT : PPROF_LABEL_TEXT], &label.text);
	return err ?: read_label_add(r, &r->labels, &label);
}

static int add_node(struct pprof_reader *r)
{
	const char *node = r->recorded->node;
	struct recorded_label label = { 0 };
	int err;

	if (!node)
		return 0;
	err = recorded_string(r->recorded, "node", strlen("node"), &label.key) ?:
	      recorded_string(r->recorded, node, strlen(node), &label.text);
	return err ?: buf_add(&r->labels, &label, sizeof(label));
}

int read_base(struct pprof_reader *r)
{
	struct recorded_label label = { 0 };
	int err = add_node(r);

	if (err || !r->recorded->is_base)
		return err;
	err = recorded_string(r->recorded, RECORDED_BASE, strlen(RECORDED_BASE), &label.key) ?:
	      recorded_string(r->recorded, "true", 4, &label.text);
	r->recorded->base_label = label.key;
	return err ?: buf_add(&r->labels, &label, sizeof(label));
}

static int add_pprof_field(struct pprof_reader *r, const struct wire_field *field)
{
	if (field->number == PPROF_SAMPLE_LOCATIONS)
		return read_numbers(r, field, read_location_of_sample);
	if (field->number == PPROF_SAMPLE_VALUES)
		return read_numbers(r, field, read_value_of_sample);
	return field->number == PPROF_SAMPLE_LABEL ? add_pprof_label(r, field) : 0;
}

static bool is_in_python(const struct pprof_reader *r)
{
	const __u32 *places = (const __u32 *)r->places.data;

	for (size_t i = 0; i < r->places.size / sizeof(*places); i++)
		if (recorded_get_place(r->recorded, places[i])->kind == FRAME_PYTHON)
			return true;
	return false;
}

/*
 * By how much its process grew in this profile. What it leaves when it ends, where no Python runs any more,
 * is not given back.
 */
static int add_growth(struct pprof_reader *r, const __s64 *values)
{
	const struct recorded_label *labels = (const struct recorded_label *)r->labels.data;
	__s64 pid = 0, shrunk = 0;

	if (r->memory < 0 && r->shrinkage < 0)
		return 0;
	for (size_t i = 0; i < r->labels.size / sizeof(*labels); i++)
		if (labels[i].key == r->pid && labels[i].is_number)
			pid = labels[i].number;
	if (r->shrinkage >= 0 && values[r->shrinkage] && is_in_python(r))
		shrunk = values[r->shrinkage];
	return recorded_growths_add(&r->recorded->growths, pid, r->memory >= 0 ? values[r->memory] : 0,
				    shrunk);
}

int read_values(struct pprof_reader *r, const __s64 *values)
{
	int err = add_growth(r, values);

	return err ?: recorded_add(r->recorded, (const __u32 *)r->places.data,
				   r->places.size / sizeof(__u32), (struct recorded_label *)r->labels.data,
				   r->labels.size / sizeof(struct recorded_label), values);
}

static int add_pprof_sample(struct pprof_reader *r, struct wire m)
{
	__s64 values[RECORDED_TYPES_MAX] = { 0 };
	struct wire_field field;
	int more, err = 0;

	buf_clear(&r->places);
	buf_clear(&r->values);
	buf_clear(&r->labels);
	while (!err && (more = wire_next(&m, &field)) > 0)
		err = add_pprof_field(r, &field);
	err = err ?: more < 0 ? more : read_base(r);
	if (err)
		return err;
	if (r->values.size / sizeof(__s64) != r->type_count)
		return read_fail(r, -EBADMSG, "a sample has not one value for each sample type");
	for (size_t i = 0; i < r->type_count; i++)
		values[r->columns[i]] = ((const __s64 *)r->values.data)[i];
	return read_values(r, values);
}

int read_samples(struct pprof_reader *r)
{
	return read_each(r, &r->message, PPROF_SAMPLE, add_pprof_sample);
}

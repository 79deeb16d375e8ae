// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_otlp_samples.c - of a message of OTLP: resources, their profiles, and the samples of these. What pprof
 * has as several values of one sample is a profile for each there.
 */
#include <errno.h>
#include <string.h>

#include "formats/otlp_owners.h"
#include "formats/otlp_wire.h"
#include "recorded/read_otlp.h"

static int add_otlp_label(struct pprof_reader *r, struct buf *labels, const struct recorded_label *label)
{
	return label->key ? read_label_add(r, labels, label) : 0;
}

/* --- what is in the profiles ---------------------------------------------------------------------------- */

static int find_otlp_type(struct pprof_reader *r, struct wire m)
{
	struct recorded_type type;
	__u64 f[OTLP_VALUE_TYPE_UNIT + 1];
	int err = read_scalars(r, m, f, OTLP_VALUE_TYPE_UNIT) ?:
		  read_text(r, f[OTLP_VALUE_TYPE_TYPE], &type.type) ?:
		  read_text(r, f[OTLP_VALUE_TYPE_UNIT], &type.unit) ?:
		  recorded_type(r->recorded, &type, &r->type);

	return err == -E2BIG ? read_fail(r, err, "it has more than 64 sample types") : err;
}

/* Those that it has no samples of are not there, so a second file may have more of them than the first. */
static int add_otlp_type(struct pprof_reader *r, struct wire m)
{
	int err = find_otlp_type(r, m);

	for (size_t i = 0; i < r->type_count && !err; i++)
		if (r->columns[i] == r->type)
			return 0;
	if (!err)
		r->columns[r->type_count++] = r->type;
	return err;
}

static int add_comment_texts(struct pprof_reader *r, struct wire any)
{
	struct wire_field array, value;
	int more, err = 0;

	while (!err && (more = wire_next(&any, &array)) > 0) {
		if (array.number != OTLP_ANY_ARRAY || array.type != WIRE_BYTES)
			continue;
		while (!err && wire_next(&array.bytes, &value) > 0) {
			struct recorded_label text;

			if (value.number != OTLP_ARRAY_VALUES || value.type != WIRE_BYTES)
				continue;
			err = read_otlp_value(r, value.bytes, 1, &text);
			if (!err && text.text)
				recorded_comment(r->recorded, text.text);
		}
	}
	return err;
}

/* Each profile of a file names the same ones: what they count was lost once. */
static int add_profile_attribute(struct pprof_reader *r, __u64 index)
{
	struct read_attribute *a = read_otlp_attribute(r, index);

	if (!a)
		return read_fail(r, -EBADMSG, "it names an attribute that it has not");
	if (a->is_said)
		return 0;
	a->is_said = true;
	return add_comment_texts(r, a->value);
}

/* What pprof says once for all: a profile of each resource says it. */
static int read_otlp_facts(struct pprof_reader *r, struct wire m)
{
	struct recorded *to = r->recorded;
	struct wire_field field;
	__u64 f[OTLP_PROFILE_PERIOD + 1];
	int more, err = read_scalars(r, m, f, OTLP_PROFILE_PERIOD);

	if (err)
		return err;
	if (!r->start_ns) {
		r->start_ns = (__s64)f[OTLP_PROFILE_TIME_UNIX_NANO];
		r->duration_ns = (__s64)f[OTLP_PROFILE_DURATION_NANO];
		err = read_times(r, r->start_ns, r->duration_ns);
	}
	err = err ?: read_each(r, &m, OTLP_PROFILE_SAMPLE_TYPE, add_otlp_type);
	if (!err && f[OTLP_PROFILE_PERIOD] && !to->period)
		to->period = (__s64)f[OTLP_PROFILE_PERIOD];
	while (!err && (more = wire_next(&m, &field)) > 0)
		if (field.number == OTLP_PROFILE_ATTRIBUTE_INDICES)
			err = read_numbers(r, &field, add_profile_attribute);
	return err;
}

/* --- samples -------------------------------------------------------------------------------------------- */

static int add_stack_of_sample(struct pprof_reader *r, __u64 index)
{
	struct wire_field field;
	struct wire stack;
	int more, err = 0;

	if (!index)
		return 0;
	if (index >= r->stacks.size / sizeof(stack))
		return read_fail(r, -EBADMSG, "it names a stack that it has not");
	stack = ((const struct wire *)r->stacks.data)[index];
	while (!err && (more = wire_next(&stack, &field)) > 0)
		if (field.number == OTLP_STACK_LOCATION_INDICES)
			err = read_numbers(r, &field, read_location_of_sample);
	return err ?: more;
}

static int add_attribute_of_sample(struct pprof_reader *r, __u64 index)
{
	const struct read_attribute *a = read_otlp_attribute(r, index);

	return a ? add_otlp_label(r, &r->labels, &a->label) :
		   read_fail(r, -EBADMSG, "it names an attribute that it has not");
}

static int add_id_label(struct pprof_reader *r, const char *key, __u32 text)
{
	struct recorded_label label = { .text = text };

	if (!text)
		return 0;
	return recorded_string(r->recorded, key, strlen(key), &label.key) ?:
		       add_otlp_label(r, &r->labels, &label);
}

/* *ret: whether its times are wanted. */
static int add_link_of_sample(struct pprof_reader *r, __u64 index, bool *ret)
{
	const struct read_link *links = (const struct read_link *)r->links.data;
	const char *wanted = r->recorded->trace;

	if (!index)
		return 0;
	if (index >= r->links.size / sizeof(*links))
		return read_fail(r, -EBADMSG, "it names a link that it has not");
	*ret = wanted && !strcmp(recorded_get_string(r->recorded, links[index].trace), wanted);
	return add_id_label(r, "trace_id", links[index].trace) ?:
	       add_id_label(r, "span_id", links[index].span);
}

/* times: fixed64, one for each value. */
static int add_otlp_moments(struct pprof_reader *r, struct wire times)
{
	const size_t n = r->values.size / sizeof(__s64);
	const __s64 *values = (const __s64 *)r->values.data;
	int err = 0;

	if ((size_t)(times.end - times.at) != n * sizeof(__u64))
		return 0;
	for (size_t i = 0; !err && i < n; i++) {
		struct recorded_moment m = { .value = values[i], .stack = r->recorded->last,
					     .type = r->type };

		for (size_t k = 0; k < sizeof(__u64); k++)
			m.begin |= (__s64)((__u64)times.at[i * sizeof(__u64) + k] << (8 * k));
		if (m.begin > 0)
			err = recorded_add_moment(r->recorded, &m);
	}
	return err;
}

static int add_sums(struct pprof_reader *r)
{
	__s64 values[RECORDED_TYPES_MAX] = { 0 };
	__s64 *sum = &values[r->type];

	for (size_t i = 0; i < r->values.size / sizeof(__s64); i++)
		*sum = recorded_sum(*sum, ((const __s64 *)r->values.data)[i]);
	return read_values(r, values);
}

static int add_otlp_field(struct pprof_reader *r, const struct wire_field *field, struct wire *times)
{
	if (field->number == OTLP_SAMPLE_ATTRIBUTE_INDICES)
		return read_numbers(r, field, add_attribute_of_sample);
	if (field->number == OTLP_SAMPLE_VALUES)
		return read_numbers(r, field, read_value_of_sample);
	if (field->number == OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO && field->type == WIRE_BYTES)
		*times = field->bytes;
	return 0;
}

static int add_otlp_sample(struct pprof_reader *r, struct wire m)
{
	struct wire times = { m.end, m.end };
	struct wire_field field;
	__u64 f[OTLP_SAMPLE_LINK_INDEX + 1];
	bool is_wanted = false;
	int more, err = read_scalars(r, m, f, OTLP_SAMPLE_LINK_INDEX);

	buf_clear(&r->places);
	buf_clear(&r->values);
	buf_clear(&r->labels);
	err = err ?: buf_add(&r->labels, r->resource.data, r->resource.size) ?:
	      add_stack_of_sample(r, f[OTLP_SAMPLE_STACK_INDEX]);
	while (!err && (more = wire_next(&m, &field)) > 0)
		err = add_otlp_field(r, &field, &times);
	err = err ?: add_link_of_sample(r, f[OTLP_SAMPLE_LINK_INDEX], &is_wanted) ?: read_base(r) ?:
	      add_sums(r);
	return err ?: is_wanted ? add_otlp_moments(r, times) : 0;
}

static int add_samples(struct pprof_reader *r, struct wire m)
{
	int err = read_each(r, &m, OTLP_PROFILE_SAMPLE_TYPE, find_otlp_type);

	return err ?: read_each(r, &m, OTLP_PROFILE_SAMPLES, add_otlp_sample);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static int add_pair(struct pprof_reader *r, struct wire m)
{
	struct recorded_label label = { 0 };
	struct wire any = { m.end, m.end };
	struct wire_field field;
	const char *name;
	__u32 key = 0;
	int more, err = 0;

	while (!err && (more = wire_next(&m, &field)) > 0) {
		if (field.type == WIRE_BYTES && field.number == OTLP_KEY_VALUE_KEY)
			err = recorded_string(r->recorded, field.bytes.at, field.bytes.end - field.bytes.at,
					      &key);
		else if (field.type == WIRE_BYTES && field.number == OTLP_KEY_VALUE_VALUE)
			any = field.bytes;
	}
	name = otlp_owners_label(recorded_get_string(r->recorded, key));
	err = err ?: more ?: recorded_string(r->recorded, name, strlen(name), &key) ?:
	      read_otlp_value(r, any, key, &label);
	return err ?: add_otlp_label(r, &r->resource, &label);
}

static int add_resource(struct pprof_reader *r, struct wire m)
{
	return read_each(r, &m, OTLP_RESOURCE_ATTRIBUTES, add_pair);
}

static int scope_facts(struct pprof_reader *r, struct wire m)
{
	return read_each(r, &m, OTLP_SCOPE_PROFILES_PROFILES, read_otlp_facts);
}

static int scope_samples(struct pprof_reader *r, struct wire m)
{
	return read_each(r, &m, OTLP_SCOPE_PROFILES_PROFILES, add_samples);
}

static int resource_facts(struct pprof_reader *r, struct wire m)
{
	return read_each(r, &m, OTLP_RESOURCE_PROFILES_SCOPE_PROFILES, scope_facts);
}

static int resource_samples(struct pprof_reader *r, struct wire m)
{
	buf_clear(&r->resource);
	return read_each(r, &m, OTLP_RESOURCE_PROFILES_RESOURCE, add_resource) ?:
	       read_each(r, &m, OTLP_RESOURCE_PROFILES_SCOPE_PROFILES, scope_samples);
}

/*
 * CPU time, if one of the files has that; else what comes first. One of nothing has a type all the same.
 */
static int find_otlp_default(struct recorded *to)
{
	__u32 cpu, unit;
	int err = recorded_string(to, "cpu", 3, &cpu) ?: recorded_string(to, "nanoseconds", 11, &unit);

	if (err || (to->files && !to->has_otlp))
		return err;
	if (!to->type_count)
		to->types[to->type_count++] = (struct recorded_type){ cpu, unit };
	if (!to->files)
		to->default_type = to->types[0].type;
	for (size_t i = 0; i < to->type_count; i++)
		if (to->types[i].type == cpu)
			to->default_type = cpu;
	return 0;
}

int read_otlp(struct pprof_reader *r)
{
	int err = read_each(r, &r->message, OTLP_DATA_DICTIONARY, read_otlp_dictionary) ?:
		  read_each(r, &r->message, OTLP_DATA_RESOURCE_PROFILES, resource_facts);

	if (!err && !r->start_ns && (r->recorded->from_ns || r->recorded->to_ns))
		return -ERANGE; /* it says no time */
	err = err ?: find_otlp_default(r->recorded) ?: read_growths_begin(r, r->start_ns, r->duration_ns);
	err = err ?: read_each(r, &r->message, OTLP_DATA_RESOURCE_PROFILES, resource_samples);
	r->recorded->has_otlp |= !err;
	return err;
}

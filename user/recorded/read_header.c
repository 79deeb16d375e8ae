// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_header.c - of a pprof message: what is measured, when, and what is said about it.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "profile/events.h"
#include "recorded/read_parts.h"

static int read_type(struct pprof_reader *r, struct wire m, struct recorded_type *ret)
{
	__u64 f[PPROF_TYPE_UNIT + 1];

	return read_scalars(r, m, f, PPROF_TYPE_UNIT) ?: read_text(r, f[PPROF_TYPE_TYPE], &ret->type) ?:
	       read_text(r, f[PPROF_TYPE_UNIT], &ret->unit);
}

static int is_of_others(struct pprof_reader *r)
{
	return read_fail(r, -EINVAL, "its sample types are others than those of the first file");
}

/* A second file has the types of the first one, as far as files of OTLP let tell which those are. */
static int add_pprof_type(struct pprof_reader *r, struct wire m)
{
	struct recorded *to = r->recorded;
	const size_t column = r->type_count;
	struct recorded_type type;
	int err = read_type(r, m, &type);

	if (err)
		return err;
	if (column == RECORDED_TYPES_MAX)
		return read_fail(r, -E2BIG, "it has more than 64 sample types");
	r->columns[column] = column;
	if (to->has_otlp)
		err = recorded_type(to, &type, &r->columns[column]);
	else if (!to->files)
		to->types[column] = type;
	else if (column >= to->type_count || to->types[column].type != type.type ||
		 to->types[column].unit != type.unit)
		return is_of_others(r);
	r->type_count++;
	return err == -E2BIG ? is_of_others(r) : err;
}

static int add_period_type(struct pprof_reader *r, struct wire m)
{
	return r->recorded->files ? 0 : read_type(r, m, &r->recorded->period_type);
}

static int add_comment(struct pprof_reader *r, __u64 index)
{
	__u32 string;
	int err = read_text(r, index, &string);

	if (!err)
		recorded_comment(r->recorded, string);
	return err;
}

static int read_comments(struct pprof_reader *r)
{
	struct wire w = r->message;
	struct wire_field field;
	int err = 0;

	while (!err && wire_next(&w, &field) > 0) {
		if (field.number != PPROF_COMMENT)
			continue;
		err = read_numbers(r, &field, add_comment);
	}
	return err;
}

/* When all of it was: from the start of the first to the end of the last. */
static void add_times(struct recorded *to, __s64 start, __s64 duration)
{
	const __s64 end = recorded_sum(start, duration);

	if (duration > 0)
		to->duration_ns = recorded_sum(to->duration_ns, duration);
	if (start <= 0)
		return;
	if (!to->start_ns || start < to->start_ns)
		to->start_ns = start;
	if (end > to->end_ns)
		to->end_ns = end;
}

/* One that does not say when it was is in no stretch. */
static bool is_outside(const struct recorded *to, __s64 start, __s64 duration)
{
	if (!to->from_ns && !to->to_ns)
		return false;
	return start <= 0 || (to->to_ns && start >= to->to_ns) ||
	       (to->from_ns && recorded_sum(start, duration > 0 ? duration : 0) <= to->from_ns);
}

int read_times(struct pprof_reader *r, __s64 start, __s64 duration)
{
	if (is_outside(r->recorded, start, duration))
		return -ERANGE;
	add_times(r->recorded, start, duration);
	return 0;
}

/* Which of the file's types it is. */
static int find_column(const struct pprof_reader *r, enum event_kind kind)
{
	const int type = recorded_find_type(r->recorded, event_rows[kind].type,
					    event_unit_name(event_rows[kind].unit));

	for (size_t i = 0; i < r->type_count; i++)
		if ((int)r->columns[i] == type)
			return type;
	return -1;
}

int read_growths_begin(struct pprof_reader *r, __s64 start, __s64 duration)
{
	int err = recorded_string(r->recorded, "pid", strlen("pid"), &r->pid);

	r->memory = find_column(r, EVENT_MEMORY);
	r->shrinkage = find_column(r, EVENT_SHRINKAGE);
	if (err || (r->memory < 0 && r->shrinkage < 0))
		return err;
	return recorded_growths_begin(&r->recorded->growths, start, duration);
}

int read_header(struct pprof_reader *r)
{
	struct recorded *to = r->recorded;
	__u64 f[PPROF_DEFAULT_TYPE + 1];
	int err = read_scalars(r, r->message, f, PPROF_DEFAULT_TYPE);

	if (!err && is_outside(to, (__s64)f[PPROF_TIME], (__s64)f[PPROF_DURATION]))
		return -ERANGE;
	err = err ?: read_each(r, &r->message, PPROF_SAMPLE_TYPE, add_pprof_type);
	if (!err && !r->type_count)
		return read_fail(r, -EBADMSG, "it has no sample type: is it a pprof profile?");
	if (!err && to->files && !to->has_otlp && r->type_count != to->type_count)
		return is_of_others(r);
	err = err ?: read_each(r, &r->message, PPROF_PERIOD_TYPE, add_period_type) ?: read_comments(r);
	if (!err && !to->files) {
		to->type_count = r->type_count; /* two of them may be called the same */
		to->period = (__s64)f[PPROF_PERIOD];
		err = read_text(r, f[PPROF_DEFAULT_TYPE], &to->default_type);
	}
	if (err)
		return err;
	add_times(to, (__s64)f[PPROF_TIME], (__s64)f[PPROF_DURATION]);
	return read_growths_begin(r, (__s64)f[PPROF_TIME], (__s64)f[PPROF_DURATION]);
}

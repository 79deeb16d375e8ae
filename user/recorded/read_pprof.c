// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_pprof.c - see read_pprof.h. What is OTLP goes on in read_otlp.c. The fields of a pprof message may
 * stand in any order, so it is gone through once for each kind of record: what records refer to comes before
 * them.
 */
#include "recorded/read_pprof.h"

#include <errno.h>
#include <string.h>

#include "recorded/read_otlp.h"
#include "recorded/read_parts.h"
#include "recorded/unpacked.h"

#define NEAR_AHEAD 1024 /* beyond twice as many as there are records */
#define DAMAGED "it is no pprof profile and none of OTLP, or a damaged one"

int read_fail(struct pprof_reader *r, int err, const char *why)
{
	r->why = why;
	return err;
}

int read_each(struct pprof_reader *r, const struct wire *message, __u32 number,
	      int (*f)(struct pprof_reader *r, struct wire m))
{
	struct wire w = *message;
	struct wire_field field;
	int more, err = 0;

	while (!err && (more = wire_next(&w, &field)) > 0) {
		if (field.number != number)
			continue;
		if (field.type != WIRE_BYTES)
			return read_fail(r, -EBADMSG, DAMAGED);
		err = f(r, field.bytes);
	}
	return err ?: more < 0 ? read_fail(r, more, DAMAGED) : 0;
}

int read_scalars(struct pprof_reader *r, struct wire m, __u64 *ret, size_t n)
{
	struct wire_field field;
	int more;

	memset(ret, 0, (n + 1) * sizeof(*ret));
	while ((more = wire_next(&m, &field)) > 0)
		if (field.number <= n && field.type != WIRE_BYTES)
			ret[field.number] = field.value;
	return more < 0 ? read_fail(r, more, DAMAGED) : 0;
}

int read_text(struct pprof_reader *r, __u64 index, __u32 *ret)
{
	const size_t count = r->texts.size / sizeof(struct wire);
	const struct wire *text;
	__u32 *known, id;
	int err;

	if (!index) {
		*ret = 0;
		return 0;
	}
	if (index >= count)
		return read_fail(r, -EBADMSG, "it names a text that it has not");
	text = (const struct wire *)r->texts.data + index;
	known = (__u32 *)r->text_ids.data + index;
	if (!*known) {
		err = recorded_string(r->recorded, text->at, text->end - text->at, &id);
		if (err)
			return err;
		*known = id + 1;
	}
	*ret = *known - 1;
	return 0;
}

/* Who writes a profile counts ids up, so that each has a place here. One that is far ahead has none. */
static int add_near(struct read_ids *ids, __u64 id, __u32 index)
{
	const __u64 known = ids->near.size / sizeof(index);
	const __u32 none = 0;
	int err = 0;

	if (id >= 2 * (__u64)ids->numbers.count + NEAR_AHEAD)
		return 0;
	for (__u64 next = known; next <= id && !err; next++)
		err = buf_add(&ids->near, &none, sizeof(none));
	if (!err)
		((__u32 *)ids->near.data)[id] = index;
	return err;
}

int read_ids_add(struct pprof_reader *r, struct read_ids *ids, __u64 id, const void *record, size_t size)
{
	const __u32 known = ids->numbers.count;
	__u32 index;
	int err;

	if (!id)
		return read_fail(r, -EBADMSG, "one of its records has no id");
	err = interned_add(&ids->numbers, &id, sizeof(id), &index);
	if (err)
		return err;
	if (index <= known)
		return read_fail(r, -EBADMSG, "two of its records have the same id");
	return buf_add(&ids->records, record, size) ?: add_near(ids, id, index);
}

const void *read_ids_find(struct read_ids *ids, __u64 id, size_t size)
{
	const __u32 near = id < ids->near.size / sizeof(near) ? ((const __u32 *)ids->near.data)[id] : 0;
	const __u32 index = near ?: interned_find(&ids->numbers, &id, sizeof(id));

	return index ? ids->records.data + (index - 1) * size : NULL;
}

int read_text_add(struct pprof_reader *r, struct wire m)
{
	const __u32 unknown = 0;

	return buf_add(&r->texts, &m, sizeof(m)) ?: buf_add(&r->text_ids, &unknown, sizeof(unknown));
}

static int read_message(struct pprof_reader *r)
{
	int err;

	if (r->message.at == r->message.end)
		return read_fail(r, -EBADMSG, "it is empty");
	err = read_each(r, &r->message, PPROF_STRING, read_text_add);
	return err ?: read_header(r) ?: read_places(r) ?: read_samples(r);
}

static void free_ids(struct read_ids *ids)
{
	interned_free(&ids->numbers);
	buf_free(&ids->near);
	buf_free(&ids->records);
}

void read_close(struct pprof_reader *r)
{
	buf_free(&r->texts);
	buf_free(&r->text_ids);
	free_ids(&r->mappings);
	free_ids(&r->functions);
	free_ids(&r->locations);
	buf_free(&r->lines);
	buf_free(&r->places);
	buf_free(&r->values);
	buf_free(&r->labels);
	buf_free(&r->attributes);
	buf_free(&r->links);
	buf_free(&r->stacks);
	buf_free(&r->resource);
}

int read_pprof(struct recorded *recorded, const void *data, size_t size, const char **ret_why)
{
	_cleanup_buf_ struct buf unpacked = { 0 };
	struct pprof_reader r = { .recorded = recorded };
	int err = unpacked_add(data, size, &unpacked);

	if (!err) {
		r.message = wire_of(unpacked.data, unpacked.size);
		err = read_otlp_is(r.message) ? read_otlp(&r) : read_message(&r);
	}
	read_close(&r);
	if (err == -ERANGE) {
		recorded->left_out++;
		return 0;
	}
	if (!err)
		recorded->files++;
	else if (!r.why)
		r.why = err == -EFBIG ? "it is too large: more than 256 MiB" :
			err == -E2BIG ? "it is too large: it has too many stacks, or too long ones" :
			err == -ENOMEM ? "out of memory" : DAMAGED;
	if (err)
		*ret_why = r.why;
	return err;
}
